#if AllTests
import Foundation
import HTTPChainConcurrencyLimit
import HTTPChainCore
import HTTPChainTesting
import HTTPChainTimeout
import HTTPTypes
import TestSupport
import Testing

private let url = "https://api.example.com/plants"
private let key = "https://api.example.com"

/// A rule that remembers what it was told.
private struct Listening: ConcurrencyRule {
    let limit = 10
    let heard: Events<ConcurrencySample>
    mutating func learn(_ sample: ConcurrencySample) { heard.add(sample) }
}

@Suite("The concurrency limit stage", .timeLimit(.minutes(10)))
struct StageTests {
    @Test("The stage lets as many calls through as the limit says; the rest wait, the more important first")
    func priorities() async throws {
        let clock = VirtualClock()
        let limiter = ConcurrencyLimiter(.fixed(2), queue: ConcurrencyQueue(length: 20, longestWait: .seconds(60)))
        let sent = Events<String>()
        let chain = try Chain(
            [ConcurrencyLimitMiddleware(limiter)],
            transport: ClosureTransport { request in
                sent.add(request.head.path ?? "")
                try await request.environment.time.sleep(for: .seconds(1))
                return Response(.ok)
            }
        )
        let calls: [(String, CallPriority)] = [
            ("/a", .normal), ("/b", .normal), ("/background", .background), ("/low", .low), ("/c", .normal),
            ("/critical", .critical), ("/d", .normal),
        ]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, (path, priority)) in calls.enumerated() {
                group.addTask { _ = try await chain.send(Request.get(key + path).on(clock).priority(priority)) }
                try await until { limiter.inFlight(in: key) + limiter.waiting(in: key) == index + 1 }
            }
            try await sent.wait(until: 2)
            for count in [4, 6, 7] {
                let flying = limiter.inFlight(in: key)
                let now = clock.elapsed
                // Both that are in flight have come to their wait.
                try await until { clock.pendingDeadlines.count { $0 == now + .seconds(1) } == flying }
                clock.advance(by: .seconds(1))
                try await sent.wait(until: count)
            }
            try await until { clock.pendingDeadlines.count == 1 }
            clock.advance(by: .seconds(1))
            try await group.waitForAll()
        }
        #expect(Set(sent.all[0..<2]) == ["/a", "/b"])
        #expect(Set(sent.all[2..<4]) == ["/critical", "/c"])
        #expect(Set(sent.all[4..<6]) == ["/d", "/low"])
        #expect(sent.all[6] == "/background")
        #expect(limiter.inFlight(in: key) == 0)
    }

    @Test("A call waits as long as it may, and no longer than its deadline", arguments: [nil, 3])
    func waitedTooLong(deadline: Int?) async throws {
        let clock = VirtualClock()
        let limiter = ConcurrencyLimiter(.fixed(1), queue: ConcurrencyQueue(length: 5, longestWait: .seconds(10)))
        let chain = try Chain(
            [ConcurrencyLimitMiddleware(limiter)],
            transport: ClosureTransport { _ in Response(.ok, body: .chunks(["held"])) }
        )
        let held = try await chain.send(.get(url).on(clock))
        var request = Request.get(url).on(clock)
        if let deadline { request.options[DeadlineNote.self] = DeadlineNote.Mark(.seconds(deadline)) }
        let refused = Task { [request] in try await chain.send(request) }
        try await clock.waitForSleepers()
        #expect(clock.pendingDeadlines == [.seconds(deadline ?? 10)])
        clock.advance(by: .seconds(10))
        let error = await #expect(throws: ConcurrencyLimitError.self) { try await refused.value }
        #expect(error?.cause == .waitedTooLong)
        #expect(error?.limit == 1)
        #expect(limiter.waiting(in: key) == 0)
        #expect(limiter.inFlight(in: key) == 1)
        _ = try await held.body.collect()
        #expect(limiter.inFlight(in: key) == 0)
    }

    @Test("A full queue refuses, and the more important take the place of the less important")
    func full() async throws {
        let clock = VirtualClock()
        let limiter = ConcurrencyLimiter(.fixed(1), queue: ConcurrencyQueue(length: 4, longestWait: .seconds(10)))
        let chain = try Chain(
            [ConcurrencyLimitMiddleware(limiter)],
            transport: ClosureTransport { _ in Response(.ok, body: .chunks(["held"])) }
        )
        var held: Response? = try await chain.send(.get(url).on(clock))
        try await withThrowingTaskGroup(of: ConcurrencyLimitError.Cause?.self) { group in
            func send(_ priority: CallPriority) {
                group.addTask {
                    do {
                        _ = try await chain.send(Request.get(url).on(clock).priority(priority))
                        return nil
                    } catch let error as ConcurrencyLimitError {
                        return error.cause
                    }
                }
            }
            send(.background)
            try await until { limiter.waiting(in: key) == 1 }
            send(.background)
            #expect(try await group.next() == .queueFull)
            for count in 2...4 {
                send(.normal)
                try await until { limiter.waiting(in: key) == count }
            }
            send(.normal)
            #expect(try await group.next() == .replaced)
            send(.normal)
            #expect(try await group.next() == .queueFull)
            send(.critical)
            #expect(try await group.next() == .replaced)
            #expect(limiter.waiting(in: key) == 4)
            held = nil
            for try await cause in group { #expect(cause == nil) }
        }
        #expect(held == nil)
        #expect(limiter.inFlight(in: key) == 0)
    }

    @Test("A place is held until the body was read, broke, or was dropped")
    func bodies() async throws {
        let limiter = ConcurrencyLimiter(.fixed(10))
        let stage = ConcurrencyLimitMiddleware(limiter)
        let lost = TransportError(.truncatedBody, sent: .answered, stage: "test")
        let bodies: [HTTPBody] = [.chunks(["a", "b"]), .chunks(["a"], failing: lost), .chunks(["a", "b"])]
        var responses: [Response] = []
        for body in bodies {
            responses.append(try await StageHarness(stage).send(.get(url), answering: .ok(body)).response())
        }
        #expect(limiter.inFlight(in: key) == 3)
        _ = try await responses[0].body.collect()
        #expect(limiter.inFlight(in: key) == 2)
        _ = await responses[1].body.readChunks()
        #expect(limiter.inFlight(in: key) == 1)
        responses = []
        #expect(limiter.inFlight(in: key) == 0)
        _ = try await StageHarness(stage).send(.get(url), answering: .ok("in memory")).response()
        #expect(limiter.inFlight(in: key) == 0)
    }

    static let outcomes: [(StageHarness.Answer, ConcurrencySample.Outcome?)] = [
        (.ok, .success), (.status(.notFound), .success), (.status(.internalServerError), .success),
        (.status(.tooManyRequests), .dropped), (.status(.serviceUnavailable), .dropped),
        (.status(.gatewayTimeout), .dropped),
        (.failure(TransportError(.timedOut, sent: .maybe, stage: "test")), .dropped),
        (.failure(TransportError(.connectionLost, sent: .maybe, stage: "test")), .dropped),
        (.failure(TransportError(.hostNotFound, sent: .nothing, stage: "test")), nil),
        (.failure(CancellationError()), nil),
    ]

    @Test("Each result of a call says whether the server is overloaded, or nothing", arguments: 0..<outcomes.count)
    func learns(index: Int) async {
        let (answer, outcome) = Self.outcomes[index]
        let heard = Events<ConcurrencySample>()
        let stage = ConcurrencyLimitMiddleware(.custom("listening") { Listening(heard: heard) })
        _ = await StageHarness(stage).send(.get(url), answering: answer)
        #expect(heard.all.map(\.outcome) == [outcome].compactMap(\.self))
    }

    @Test("A call whose deadline ends it is a drop; one that somebody cancels is not")
    func deadlines() async throws {
        let clock = VirtualClock()
        let heard = Events<ConcurrencySample>()
        let chain = try Chain(
            [
                TimeoutMiddleware(.seconds(5)),
                ConcurrencyLimitMiddleware(.custom("listening") { Listening(heard: heard) }),
            ],
            transport: ClosureTransport.delayed(by: .seconds(3600))
        )
        let first = Task { try await chain.send(.get(url).on(clock)) }
        try await clock.waitForSleepers()
        try await clock.waitForDeadline()
        clock.advance(by: .seconds(5))
        await #expect(throws: TimeoutError.self) { try await first.value }
        #expect(heard.all.map(\.outcome) == [.dropped])
        #expect(heard.all.map(\.latency) == [.seconds(5)])
        let second = Task { try await chain.send(.get(url).on(clock)) }
        try await clock.waitForSleepers()
        try await clock.waitForDeadline()
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(heard.all.count == 1)
    }

    @Test("10,000 calls at once, a part of them cancelled in every state: all places come back", .heavy)
    func cancellation() async throws {
        let clock = VirtualClock()
        let limiter = ConcurrencyLimiter(
            .fixed(100),
            queue: ConcurrencyQueue(length: 20_000, longestWait: .seconds(3600))
        )
        let most = Locked((now: 0, most: 0))
        let chain = try Chain(
            [ConcurrencyLimitMiddleware(limiter)],
            transport: ClosureTransport { request in
                most.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                defer { most.withLock { $0.now -= 1 } }
                try await request.environment.time.sleep(for: .milliseconds(10))
                return Response(.ok, body: .chunks(["a"]))
            }
        )
        let ended = Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<Drill.calls {
                group.addTask {
                    let call = Task {
                        let response = try await chain.send(.get(url).on(clock))
                        if index % 2 == 0 { _ = try await response.body.collect() }
                    }
                    if index % 3 == 0 {
                        for _ in 0..<(index % 100) { await Task.yield() }
                        call.cancel()
                    }
                    _ = await call.result
                    ended.add()
                }
            }
            while ended.value < Drill.calls {
                if let next = clock.pendingDeadlines.first, next < .seconds(3000) { clock.advance(to: next) }
                await Task.yield()
            }
            try await group.waitForAll()
        }
        try await until("all places to come back") { limiter.inFlight(in: key) == 0 }
        #expect(limiter.waiting(in: key) == 0)
        #expect(most.withLock { $0.most } <= 100)
        #expect(clock.pendingDeadlines.isEmpty)
    }

    @Test("The stage keeps the rules of every stage", arguments: StageConformance.Check.allCases)
    func conforms(check: StageConformance.Check) async throws {
        try await StageConformance { ConcurrencyLimitMiddleware(.adaptive(initial: 100)) }.verify(check)
    }
}
#endif
