import Foundation
import HTTPChainCore
import HTTPChainSupport
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@Suite("The timer of a transfer", .timeLimit(.minutes(10)))
struct TransferTimerTests {
    private let clock = VirtualClock()
    private let failures = Events<TimeoutError>()

    private func request(
        _ limits: TransferLimits,
        _ request: Request = .get("https://example.com/")
    ) -> Request {
        var request = request
        request.environment = .virtual(clock)
        request.options[TransferLimitsNote.self] = limits
        return request
    }

    private func timer(_ limits: TransferLimits, _ request: Request = .get("https://example.com/")) throws
        -> TransferTimer
    {
        let timer = try #require(TransferTimer(self.request(limits, request)))
        timer.start { [failures] in failures.add($0) }
        return timer
    }

    @Test("The total limit ends the transfer of the response's body where it covers it")
    func bodyCovered() throws {
        let timer = try timer(TransferLimits(total: .seconds(10), totalCoversBody: true))
        clock.advance(by: .seconds(4))
        timer.answered(HTTPResponse(status: .ok))
        timer.received(3)
        #expect(timer.remaining == .seconds(6))
        clock.advance(by: .seconds(6))
        let failure = try #require(failures.all.first)
        #expect(failures.all.count == 1)
        #expect(failure.scope == .attempt && failure.limit == .seconds(10))
        #expect(failure.progress == .readingBody(received: 3))
    }

    @Test(
        "A limit of zero or less ends an exchange at its start, whichever step it is for",
        arguments: [
            (TransferLimits(connect: .zero), TimeoutScope.connect), (.init(write: .zero), .write),
            (.init(response: .zero), .response), (.init(read: .zero), .read), (.init(total: .zero), .attempt),
            (.init(connect: .seconds(5), response: .seconds(-1)), .response),
        ]
    )
    func notPositive(limits: TransferLimits, scope: TimeoutScope) async throws {
        for tellsConnection in [true, false] {
            var request = Request.post("https://example.com/", body: .chunks(["a"]))
            request.environment = .virtual(clock)
            request.options[TransferLimitsNote.self] = limits
            let timer = try #require(TransferTimer(request, tellsConnection: tellsConnection))
            let hasRun = Counter()
            let error = await #expect(throws: TimeoutError.self) { try await timer.run { hasRun.add() } }
            #expect(error?.scope == scope && error?.sent == .nothing)
            #expect(hasRun.value == 0)
        }
    }

    @Test("A limit of zero on a step that an exchange doesn't have is not a limit")
    func notPositiveWithoutStep() throws {
        #expect(try timer(TransferLimits(write: .zero)).remaining == nil)
        var longLived = Request.get("https://example.com/")
        longLived.options[LongLivedResponseNote.self] = true
        #expect(try timer(TransferLimits(read: .zero), longLived).remaining == nil)
    }

    @Test("The limits of steps begin when the request's body is stored, and the total limit before that")
    func storing() throws {
        var request = Request.post("https://example.com/", body: "content")
        request.environment = .virtual(clock)
        request.options[TransferLimitsNote.self] = TransferLimits(write: .seconds(2), total: .seconds(10))
        for isStored in [true, false] {
            let timer = try #require(TransferTimer(request))
            timer.stores()
            #expect(timer.remaining == .seconds(10))
            timer.start { [failures] in failures.add($0) }
            clock.advance(by: .seconds(4))
            #expect(timer.remaining == .seconds(6))
            if isStored { timer.stored(.told) }
            clock.advance(by: isStored ? .seconds(2) : .seconds(6))
            let failure = try #require(failures.all.last)
            #expect(failure.scope == (isStored ? .write : .attempt))
            #expect(failure.progress == (isStored ? .sending : .storing))
            #expect(failure.sent == (isStored ? .maybe : .nothing))
        }
        #expect(failures.all.count == 2)
    }

    @Test("The total limit is over with the response's head where it does not cover the body, as by default")
    func bodyLeftOut() throws {
        for limits in [TransferLimits(total: .seconds(10)), .init(total: .seconds(10), totalCoversBody: false)] {
            let timer = try timer(limits)
            #expect(timer.remaining == .seconds(10))
            timer.answered(HTTPResponse(status: .ok))
            timer.awaitsBody()
            #expect(timer.remaining == nil)
            clock.advance(by: .seconds(100))
            #expect(failures.all.isEmpty && timer.failure == nil)
        }
    }

    @Test("A deadline is settled while a connection is awaited if no limit on a step can be nearer")
    func settled() throws {
        func isSettled(
            _ limits: TransferLimits,
            _ body: HTTPBody = .empty,
            tellsConnection: Bool = true
        ) throws -> Bool {
            var request = Request.post("https://example.com/", body: body)
            request.environment = .virtual(clock)
            request.options[TransferLimitsNote.self] = limits
            return try #require(TransferTimer(request, tellsConnection: tellsConnection)).isSettled
        }
        let (brief, long) = (Duration.seconds(1), Duration.seconds(2))
        #expect(try isSettled(TransferLimits(total: brief)))
        #expect(try isSettled(TransferLimits(connect: long, response: brief, total: brief)))
        #expect(try isSettled(TransferLimits(connect: brief, response: brief), tellsConnection: false))
        for limits in [
            TransferLimits(connect: brief), TransferLimits(response: brief),
            TransferLimits(connect: brief, total: long), TransferLimits(response: brief, total: long),
        ] {
            #expect(try !isSettled(limits))
        }
        #expect(try !isSettled(TransferLimits(total: brief), "body"))
    }

    @Test("Each limit counts for its step alone: sending, waiting for the head, reading")
    func steps() throws {
        let limits = TransferLimits(write: .seconds(10), response: .seconds(20), read: .seconds(30))
        let timer = try timer(limits, .post("https://example.com/", body: "plants"))
        clock.advance(by: .seconds(4))
        #expect(timer.remaining == .seconds(6))
        timer.uploadEnded()
        #expect(timer.remaining == .seconds(20))
        clock.advance(by: .seconds(19))
        timer.answered(HTTPResponse(status: .ok))
        #expect(timer.remaining == nil)
        timer.awaitsBody()
        clock.advance(by: .seconds(29))
        #expect(timer.remaining == .seconds(1))
        timer.received(6)
        #expect(timer.remaining == nil)
        timer.awaitsBody()
        clock.advance(by: .seconds(30))
        #expect(failures.all.map(\.scope) == [.read])
        #expect(failures.all.first?.progress == .readingBody(received: 6))
    }

    private struct Cut: Error {}

    private func body(_ chunks: [String], length: Int64?, then error: (any Error)? = nil) -> HTTPBody {
        let stream = AsyncThrowingStream<Data, any Error> { continuation in
            for chunk in chunks { continuation.yield(Data(chunk.utf8)) }
            continuation.finish(throwing: error)
        }
        return .once(length: length, chunks: stream)
    }

    @Test("What comes behind the last byte of a declared length is given out behind it: the end, more, or an error")
    func behindLastByte() async throws {
        let timer = try timer(TransferLimits(read: .seconds(30)))
        timer.answered(HTTPResponse(status: .ok))
        for length: Int64? in [6, nil] {
            var whole = timer.keep(body(["pla", "nts"], length: length)).makeAsyncIterator()
            #expect(try await whole.next() == Data("pla".utf8))
            #expect(try await whole.next() == Data("nts".utf8))
            #expect(try await whole.next() == nil)
            #expect(try await whole.next() == nil)
            var more = timer.keep(body(["plants", "!"], length: length)).makeAsyncIterator()
            #expect(try await more.next() == Data("plants".utf8))
            if length == nil {
                #expect(try await more.next() == Data("!".utf8))
                #expect(try await more.next() == nil)
            } else {
                await #expect(throws: BodyError.self, "more than was declared") { try await more.next() }
            }
            var cut = timer.keep(body(["plants"], length: length, then: Cut())).makeAsyncIterator()
            #expect(try await cut.next() == Data("plants".utf8))
            await #expect(throws: Cut.self) { try await cut.next() }
        }
        #expect(timer.remaining == nil, "nobody waits")
    }

    @Test("An end that does not come has the limit of a read")
    func noEnd() async throws {
        let timer = try timer(TransferLimits(read: .seconds(30)))
        timer.answered(HTTPResponse(status: .ok))
        let reads = Locked(0)
        let stream = AsyncThrowingStream<Data, any Error> {
            if reads.withLock({
                $0 += 1; return $0
            }) == 1 {
                return Data("plants".utf8)
            }
            // Until it is cancelled.
            try await Task.sleep(for: .seconds(3600))
            return nil
        }
        let reading = Task { try await timer.keep(.once(length: 6, chunks: stream)).collect(upTo: .kibibytes(1)) }
        try await until("the end to be waited for") { reads.withLock { $0 } == 2 }
        clock.advance(by: .seconds(30))
        let error = await #expect(throws: TimeoutError.self) { try await reading.value }
        #expect(error?.scope == .read && error?.progress == .readingBody(received: 6))
    }

    @Test(
        "A read in the task of its caller throws the limit's error when the end of the transfer returns",
        arguments: [false, true]
    )
    func endedRead(throwsToo: Bool) async throws {
        let timer = try #require(TransferTimer(request(TransferLimits(read: .seconds(30)))))
        timer.answered(HTTPResponse(status: .ok))
        let (chunks, continuation) = AsyncThrowingStream<Data, any Error>.makeStream()
        continuation.yield(Data("plants".utf8))
        let body = timer.keep(.once(chunks: chunks)) { [failures] error in
            failures.add(error)
            continuation.finish(throwing: throwsToo ? Cut() : nil)
        }
        let firstRead = Locked(false)
        let reading = Task {
            var iterator = body.makeAsyncIterator()
            let first = try await iterator.next()
            #expect(first == Data("plants".utf8))
            firstRead.withLock { $0 = true }
            await #expect(throws: TimeoutError.self) { try await iterator.next() }
        }
        try await until("the second read to begin") { firstRead.withLock { $0 } && timer.remaining != nil }
        clock.advance(by: .seconds(30))
        try await reading.value
        #expect(failures.all.map(\.scope) == [.read])
        #expect(failures.all.first?.progress == .readingBody(received: 6))
    }

    @Test("Nothing limits a body that was read to its end, or that nobody reads")
    func readToTheEnd() async throws {
        let timer = try #require(TransferTimer(request(TransferLimits(total: .seconds(10), totalCoversBody: true))))
        timer.answered(HTTPResponse(status: .ok))
        var iterator = timer.keep(body(["plants"], length: nil)) { [failures] in failures.add($0) }.makeAsyncIterator()
        #expect(try await iterator.next() == Data("plants".utf8))
        #expect(try await iterator.next() == nil)
        clock.advance(by: .seconds(20))
        #expect(try await iterator.next() == nil)
        #expect(failures.all.isEmpty)

        let idle = try #require(TransferTimer(request(TransferLimits(total: .seconds(10), totalCoversBody: true))))
        idle.answered(HTTPResponse(status: .ok))
        let late = idle.keep(body(["plants"], length: nil)) { [failures] in failures.add($0) }
        clock.advance(by: .seconds(20))
        #expect(failures.all.isEmpty)
        await #expect(throws: TimeoutError.self, "the transfer's time is over") {
            try await late.collect(upTo: .kibibytes(1))
        }
    }
}
