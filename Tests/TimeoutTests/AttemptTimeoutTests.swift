import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPChainTimeout
import HTTPTypes
import Testing

@Suite("The limits of an attempt", .timeLimit(.minutes(1)))
struct AttemptTimeoutTests {
    @Test("End the attempt, which may be made again")
    func again() async throws {
        let clock = VirtualClock()
        let server = Server { request in
            if request.attempt < 3 { try await request.environment.time.sleep(for: .seconds(60)) }
            return Response(.ok)
        }
        let stages: [any Middleware] = [Again(pause: .zero, limit: 3), AttemptTimeoutMiddleware(.seconds(10))]
        let chain = try makeChain(stages, server)
        async let response = chain.send(.get(url).on(clock))
        for start in [0, 10] {
            await settle { clock.pendingDeadlines == [.seconds(start + 10), .seconds(start + 60)] }
            clock.advance(by: .seconds(10))
        }
        #expect(try await response.status == .ok)
        #expect(clock.pendingDeadlines.isEmpty)
    }

    @Test(
        "Are told apart in the error",
        arguments: [
            (Duration.seconds(5) as Duration?, Duration.seconds(9) as Duration?, TimeoutScope.attempt, 5),
            (.seconds(9), .seconds(5), .idle, 5),
            (nil, .seconds(5), .idle, 5),
            (.seconds(5), nil, .attempt, 5),
            (.seconds(5), .seconds(5), .attempt, 5),
        ]
    )
    func scopes(limit: Duration?, idle: Duration?, scope: TimeoutScope, seconds: Int) async throws {
        let clock = VirtualClock()
        let chain = try makeChain([AttemptTimeoutMiddleware(limit, idle: idle)], Server.silent)
        var request = Request.get(url).on(clock)
        request.attempt = 3
        async let error = timeout { [request] in try await chain.send(request) }
        try await clock.waitForSleepers(count: 2)
        // Far beyond both limits: the one that came first is named.
        clock.advance(by: .seconds(100))
        let thrown = try await error
        #expect(thrown.scope == scope)
        #expect(thrown.limit == .seconds(seconds))
        #expect(thrown.elapsed == .seconds(100))
        #expect(thrown.progress == .waitingForHead)
        #expect(thrown.attempt == 3)
        #expect(thrown.stage == "AttemptTimeoutMiddleware")
        #expect(thrown.reason.contains("attempt 3"))
        #expect((thrown as any TimeoutFailure).scope == scope)
    }

    @Test("Are what the call says, where it says something")
    func rules() async throws {
        for (request, expected) in [
            (Request.get(url), [10, 20] as [Int]), (.get(url).attemptTimeout(nil), [20]),
            (.get(url).idleTimeout(nil), [10]), (.get(url).attemptTimeout(.seconds(3)), [3]),
            (.get(url).idleTimeout(.seconds(4)), [4]), (.get(url).attemptTimeout(nil).idleTimeout(nil), []),
        ] {
            let clock = VirtualClock()
            let chain = try makeChain([AttemptTimeoutMiddleware(.seconds(10), idle: .seconds(20))], Server.silent)
            let task = Task { try await chain.send(request.on(clock)) }
            try await clock.waitForSleepers(count: expected.isEmpty ? 1 : 2)
            #expect(clock.pendingDeadlines.first == expected.first.map { .seconds($0) } ?? .seconds(1 << 30))
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(clock.pendingDeadlines.isEmpty)
        }
    }

    @Test("Of nothing or less fail at once and send nothing")
    func nothing() async throws {
        for request in [Request.get(url).attemptTimeout(.zero), .get(url).idleTimeout(.seconds(-1))] {
            let chain = try makeChain(
                [AttemptTimeoutMiddleware(.seconds(5))],
                Server { _ in
                    Issue.record("it was sent")
                    return Response(.ok)
                }
            )
            let error = try await timeout { try await chain.send(request.on(VirtualClock())) }
            #expect(error.progress == .notStarted)
            #expect(error.scope != .call)
        }
    }

    @Test("Take what the network accepts of an upload for a sign of life, up to the attempt's own limit")
    func upload() async throws {
        let clock = VirtualClock()
        let sent = Counter()
        let heard = Locked<[Int64]>([])
        let server = Server { request in
            let report = try #require(request.options[UploadProgress.self])
            for count in 1...3 {
                try await request.environment.time.sleep(for: .seconds(4))
                report(Int64(count), 3)
                sent.add()
            }
            try await request.environment.time.sleep(for: .seconds(60))
            return Response(.ok)
        }
        for (limit, scope, end) in [(nil as Duration?, TimeoutScope.idle, 17), (.seconds(15), .attempt, 15)] {
            let chain = try makeChain([AttemptTimeoutMiddleware(limit, idle: .seconds(5))], server)
            var request = Request.post(url, body: "abc").on(clock)
            request.options[UploadProgress.self] = { count, _ in heard.withLock { $0.append(count) } }
            let start = clock.elapsed
            let before = sent.value
            async let error = timeout { [request] in try await chain.send(request) }
            for part in 1...3 {
                try await clock.waitForSleepers(count: 2)
                clock.advance(to: start + .seconds(4 * part))
                await settle { sent.value == before + part }
            }
            await settle { clock.pendingDeadlines.count == 2 && clock.pendingDeadlines.last == start + .seconds(72) }
            #expect(clock.pendingDeadlines.count == 2)
            clock.advance(to: start + .seconds(end))
            let thrown = try await error
            #expect(thrown.scope == scope)
            #expect(thrown.elapsed == (scope == .idle ? .seconds(5) : .seconds(15)))
        }
        #expect(heard.withLock { $0 } == [1, 2, 3, 1, 2, 3])
    }

    @Test("Leave a request without a body alone")
    func noUpload() async throws {
        let chain = try makeChain(
            [AttemptTimeoutMiddleware(idle: .seconds(5))],
            Server { request in
                #expect(request.options[UploadProgress.self] == nil)
                return Response(.ok)
            }
        )
        _ = try await chain.send(.get(url).on(VirtualClock()))
    }

    @Test("Share one timer with the limit of the call")
    func oneTimer() async throws {
        let clock = VirtualClock()
        let stages: [any Middleware] = [
            TimeoutMiddleware(.seconds(30)), AttemptTimeoutMiddleware(.seconds(10), idle: .seconds(20)),
        ]
        let chain = try makeChain(stages, Server.silent)
        async let error = timeout { try await chain.send(.get(url).on(clock)) }
        await settle { clock.pendingDeadlines == [.seconds(10), .seconds(1 << 30)] }
        #expect(clock.pendingDeadlines == [.seconds(10), .seconds(1 << 30)])
        clock.advance(by: .seconds(10))
        #expect(try await error.scope == .attempt)
        #expect(clock.pendingDeadlines.isEmpty)
    }
}
