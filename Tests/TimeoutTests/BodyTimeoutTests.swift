import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPChainTimeout
import HTTPTypes
import TestSupport
import Testing

@Suite("The limits while the body is read", .timeLimit(.minutes(10)))
struct BodyTimeoutTests {
    private let clock = VirtualClock()

    private func response(
        _ stages: [any Middleware],
        _ feed: ChunkFeed,
        _ request: Request = .get(url)
    ) async throws -> Response {
        try await makeChain(stages, Server { _ in Response(.ok, body: feed.body) }).send(request.on(clock))
    }

    private static let all: [any Middleware] = [
        TimeoutMiddleware(.seconds(30)),
        AttemptTimeoutMiddleware(.seconds(10), covering: .response, read: .seconds(5)),
    ]

    private struct Case: Sendable {
        let scope: TimeoutScope
        let stages: [any Middleware]

        init(_ scope: TimeoutScope, _ stages: any Middleware...) {
            self.scope = scope
            self.stages = stages
        }
    }

    private static let cases = [
        Case(.call, TimeoutMiddleware(.seconds(5))),
        Case(.attempt, AttemptTimeoutMiddleware(.seconds(5), covering: .response)),
        Case(.read, AttemptTimeoutMiddleware(read: .seconds(5))),
        Case(.call, TimeoutMiddleware(.seconds(5)), AttemptTimeoutMiddleware(read: .seconds(50))),
        Case(.read, TimeoutMiddleware(.seconds(50)), AttemptTimeoutMiddleware(read: .seconds(5))),
        Case(.attempt, TimeoutMiddleware(.seconds(50)), AttemptTimeoutMiddleware(.seconds(5), covering: .response)),
    ]

    @Test(
        "The limits strike a read that waits, cancel the transfer, and strike every read after it",
        arguments: cases.indices
    )
    func strike(index: Int) async throws {
        let stages = Self.cases[index].stages
        let scope = Self.cases[index].scope
        let feed = ChunkFeed()
        feed.send("first")
        let response = try await response(stages, feed)
        let isFirst = Counter()
        async let error = timeout { () -> Data? in
            var reader = try await response.body.makeReader()
            #expect(try await reader.read() == Data("first".utf8))
            do {
                return try await reader.read()
            } catch {
                isFirst.add()
                #expect(feed.isCancelled)
                return try await reader.read()
            }
        }
        // The first read may have had a timer for a moment.
        try await feed.waitForDemand()
        try await clock.waitForDeadline()
        clock.advance(by: .seconds(5))
        let thrown = try await error
        #expect(isFirst.value == 1)
        #expect(thrown.scope == scope)
        #expect(thrown.limit == .seconds(5))
        #expect(thrown.elapsed == .seconds(5))
        #expect(thrown.progress == .readingBody(received: 5))
        #expect(thrown.exchange?.response?.status == .ok)
        #expect(thrown.reason.contains("5 bytes"))
        #expect(clock.pendingDeadlines.isEmpty)
    }

    @Test("The limits strike a read that begins when time is up, even if a chunk is at hand")
    func late() async throws {
        for stage in [
            TimeoutMiddleware(.seconds(5)) as any Middleware,
            AttemptTimeoutMiddleware(.seconds(5), covering: .response),
        ] {
            let feed = ChunkFeed()
            feed.send("first")
            let response = try await response([stage], feed)
            clock.advance(by: .seconds(5))
            let error = try await timeout { try await response.body.collect() }
            #expect(error.progress == .readingBody(received: 0))
            #expect(feed.isCancelled)
        }
    }

    @Test("The limits leave out the body, where the attempt's limit covers the head alone")
    func headAlone() async throws {
        let feed = ChunkFeed()
        let response = try await response([AttemptTimeoutMiddleware(.seconds(5))], feed)
        clock.advance(by: .seconds(100))
        feed.send("late")
        feed.finish()
        #expect(try await response.body.text() == "late")
    }

    @Test("The limits count the server's silence anew with each chunk, and not the reader's slowness")
    func slowReader() async throws {
        let feed = ChunkFeed()
        let response = try await response([AttemptTimeoutMiddleware(read: .seconds(5))], feed)
        var reader = try await response.body.makeReader()
        for number in 1...10 {
            clock.advance(by: .seconds(60))
            async let fed: Void = {
                try await clock.waitForDeadline()
                clock.advance(by: .seconds(4))
                feed.send("\(number)")
            }()
            #expect(try await reader.read() == Data("\(number)".utf8))
            try await fed
            #expect(clock.pendingDeadlines.isEmpty)
        }
        feed.finish()
        #expect(try await reader.read() == nil)
        #expect(try await reader.read() == nil)
    }

    @Test("The limits leave chunks, length, and one read at a time as they are")
    func unchanged() async throws {
        let chunks = ["a", "bc", "def"].map { Data($0.utf8) }
        let transport = InMemoryTransport()
        transport.enqueue(ScriptedReply(chunks: chunks))
        let response = try await makeChain(Self.all, transport).send(.get(url).on(clock))
        #expect(response.body.length == 6)
        #expect(!response.body.isReplayable)
        var read: [Data] = []
        for try await chunk in response.body { read.append(chunk) }
        #expect(read == chunks)
        await #expect(throws: BodyError(.alreadyRead)) { try await response.body.collect() }
        #expect(clock.pendingDeadlines.isEmpty)
    }

    @Test("The limits ask for no chunk before the reader does")
    func backpressure() async throws {
        let feed = ChunkFeed()
        for text in ["a", "b", "c"] { feed.send(text) }
        let response = try await response(Self.all, feed)
        #expect(feed.bytesRead == 0)
        var reader = try await response.body.makeReader()
        #expect(feed.bytesRead == 0)
        _ = try await reader.read()
        #expect(feed.bytesRead == 1)
        _ = try await reader.read()
        #expect(feed.bytesRead == 2)
    }

    @Test("The limits leave a body without a transfer behind it as it is")
    func stored() async throws {
        let scratch = try ScratchDirectory.created()
        let file = try scratch.file("file", Data("file".utf8))
        for (body, text) in [(HTTPBody("bytes"), "bytes"), (.file(file), "file"), (.empty, "")] {
            let chain = try makeChain(Self.all, Server { _ in Response(.ok, body: body) })
            let response = try await chain.send(.get(url).on(clock))
            clock.advance(by: .seconds(100))
            #expect(response.body.bytes == body.bytes)
            #expect(response.body.file?.url == body.file?.url)
            #expect(response.body.description == body.description)
            for _ in 1...2 { #expect(try await response.body.text() == text) }
        }
    }

    @Test("The limits leave nothing behind a body that is dropped unread, half read, or kept and not read")
    func dropped() async throws {
        for count in 0...1 {
            let feed = ChunkFeed()
            feed.send("first")
            do {
                let response = try await response(Self.all, feed)
                var reader = try await response.body.makeReader()
                for _ in 0..<count { _ = try await reader.read() }
                #expect(clock.pendingDeadlines.isEmpty)
                #expect(!feed.isCancelled)
            }
            #expect(feed.isCancelled)
            #expect(clock.pendingDeadlines.isEmpty)
        }
        let feed = ChunkFeed()
        _ = try await response(Self.all, feed)
        #expect(feed.isCancelled)
    }

    @Test("The limits give way to the cancellation of the reader", arguments: 0..<10)
    func cancelled(round: Int) async throws {
        let feed = ChunkFeed()
        let response = try await response(Self.all, feed)
        let task = Task { try await response.body.collect() }
        try await clock.waitForDeadline()
        task.cancel()
        if round.isMultiple(of: 2) { clock.advance(by: .seconds(30)) }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.pendingDeadlines.isEmpty)
    }

    @Test("Cancellation of the reader takes precedence even if time was already up")
    func cancelledLate() async throws {
        let response = try await response(Self.all, ChunkFeed())
        clock.advance(by: .seconds(30))
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await response.body.collect()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("The limits leave an error of the transfer as it is")
    func broken() async throws {
        let feed = ChunkFeed()
        feed.send("first")
        feed.fail(TransportError(.connectionLost, sent: .answered, stage: "feed"))
        let response = try await response(Self.all, feed)
        let error = await #expect(throws: TransportError.self) { try await response.body.collect() }
        #expect(error?.kind == .connectionLost)
    }

    @Test("The limits cover the opening of the body")
    func opening() async throws {
        let chain = try makeChain(
            [TimeoutMiddleware(.seconds(5))],
            Server { request in
                let time = request.environment.time
                return Response(
                    .ok,
                    body: .once {
                        try await time.sleep(for: .seconds(60))
                        throw CancellationError()
                    }
                )
            }
        )
        let response = try await chain.send(.get(url).on(clock))
        async let error = timeout { try await response.body.collect() }
        try await clock.waitForSleepers()
        try await clock.waitForDeadline()
        clock.advance(by: .seconds(5))
        #expect(try await error.progress == .readingBody(received: 0))
    }

    @Test("The limits cover what a stage inside makes of the body")
    func transformed() async throws {
        struct Double: Middleware {
            struct Reader: BodyReader {
                var inner: any BodyReader
                nonisolated(nonsending) mutating func read() async throws -> Data? {
                    try await inner.read().map { $0 + $0 }
                }
            }
            func intercept(_ request: consuming Request, next: Next) async throws -> Response {
                var response = try await next(request)
                response.body = response.body.transformed { Reader(inner: $0) }
                return response
            }
        }
        let feed = ChunkFeed()
        feed.send("ab")
        let stages = [Self.all[0], Double(), Self.all[1]]
        let response = try await response(
            stages,
            feed,
            .get(url).timeout(read: .off).timeout(attempt: nil).timeout(.seconds(3))
        )
        async let error = timeout { try await response.body.collect() }
        try await feed.waitForDemand()
        try await clock.waitForDeadline()
        clock.advance(by: .seconds(3))
        #expect(try await error.progress == .readingBody(received: 4))
        let other = ChunkFeed()
        other.send("ab")
        let second = try await self.response(stages, other, .get(url).timeout(.seconds(3)))
        async let another = timeout { try await second.body.collect() }
        try await other.waitForDemand()
        try await clock.waitForDeadline()
        clock.advance(by: .seconds(3))
        let thrown = try await another
        #expect(thrown.scope == .call)
        #expect(thrown.progress == .readingBody(received: 2))
    }
}
