import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPChainTimeout
import HTTPTypes
import TestSupport
import Testing

@Suite("The limit of a call", .timeLimit(.minutes(10)))
struct CallTimeoutTests {
    @Test("The limit ends a call that waits for the head, cancels what is inside, and says so")
    func head() async throws {
        let clock = VirtualClock()
        let wasCancelled = Counter()
        let server = Server { request in
            do {
                try await request.environment.time.sleep(for: .seconds(60))
            } catch {
                wasCancelled.add()
                throw error
            }
            return Response(.ok)
        }
        let chain = try makeChain([TimeoutMiddleware(.seconds(5))], server)
        async let error = timeout { try await chain.send(.get(url).on(clock)) }
        try await clock.waitForSleepers()
        try await clock.waitForDeadline()
        clock.advance(by: .seconds(5))
        let thrown = try await error
        #expect(thrown.scope == .call)
        #expect(thrown.limit == .seconds(5))
        #expect(thrown.elapsed == .seconds(5))
        #expect(thrown.progress == .waitingForHead)
        #expect(thrown.attempt == nil)
        #expect(thrown.stage == "TimeoutMiddleware")
        #expect(thrown.exchange?.method == .get)
        #expect(thrown.description.contains("5.0 seconds"))
        #expect(!thrown.description.contains("secret"))
        #expect(wasCancelled.value == 1)
        #expect(clock.pendingDeadlines.isEmpty)
    }

    @Test("The limit lets a call pass that ends in time, and leaves no timer")
    func inTime() async throws {
        let clock = VirtualClock()
        let chain = try makeChain([TimeoutMiddleware(.seconds(5))], Server(after: .seconds(4)))
        async let response = chain.send(.get(url).on(clock))
        try await clock.waitForSleepers()
        try await clock.waitForDeadline()
        clock.advance(by: .seconds(4))
        #expect(try await response.status == .ok)
        #expect(clock.pendingDeadlines.isEmpty)
    }

    @Test(
        "The limit is what the call says, where it says something",
        arguments: [
            (nil as Duration?, Request.get(url), nil as Duration?),
            (.seconds(5), .get(url), .seconds(5)),
            (.seconds(5), .get(url).timeout(.seconds(2)), .seconds(2)),
            (.seconds(5), .get(url).timeout(.seconds(9)), .seconds(9)),
            (.seconds(5), .get(url).timeout(nil), nil),
            (.seconds(5), .get(url).timeout(.none), nil),
            (nil, .get(url).timeout(.milliseconds(1)), .milliseconds(1)),
            (.seconds(Int64.max), .get(url), .seconds(1 << 40)),
            (.seconds(5), .get(url).timeout(.seconds(Int64.max)), .seconds(1 << 40)),
        ]
    )
    func rules(limit: Duration?, request: Request, deadline: Duration?) async throws {
        let clock = VirtualClock()
        let chain = try makeChain(
            [TimeoutMiddleware(limit)],
            Server { request in
                #expect(request.options.deadline == deadline)
                #expect(request.remainingTime == deadline)
                return Response(.ok)
            }
        )
        #expect(try await chain.send(request.on(clock)).status == .ok)
    }

    @Test(
        "A limit of nothing or less fails at once and sends nothing",
        arguments: [
            Duration.zero, .seconds(-1), .seconds(Int64.min),
        ]
    )
    func nothing(limit: Duration) async throws {
        let calls = Counter()
        let server = Server { _ in
            calls.add()
            return Response(.ok)
        }
        for (stage, request) in [
            (TimeoutMiddleware(limit), Request.get(url)), (TimeoutMiddleware(nil), .get(url).timeout(limit)),
        ] {
            let error = try await timeout { try await makeChain([stage], server).send(request.on(VirtualClock())) }
            #expect(error.progress == .notStarted)
            #expect(error.limit == limit)
            #expect(error.elapsed == .zero)
        }
        #expect(calls.value == 0)
    }

    @Test("The limit is seen by the stages inside, who need not begin what cannot end in time")
    func remaining() async throws {
        let clock = VirtualClock()
        let seen = Locked<[Duration?]>([])
        let server = Server { request in
            seen.withLock { $0.append(request.remainingTime) }
            try await request.environment.time.sleep(for: .seconds(2))
            seen.withLock { $0.append(request.remainingTime) }
            return Response(.ok)
        }
        let chain = try makeChain([TimeoutMiddleware(.seconds(5))], server)
        async let response = chain.send(.get(url).on(clock))
        try await clock.waitForSleepers()
        try await clock.waitForDeadline()
        clock.advance(by: .seconds(2))
        _ = try await response
        #expect(seen.withLock { $0 } == [.seconds(5), .seconds(3)])
    }

    @Test("The limit is the nearer one of two, and is kept once")
    func nested() async throws {
        for (outer, inner, expected) in [(5, 9, 5), (9, 5, 5), (5, 5, 5)] {
            let clock = VirtualClock()
            let stages = [TimeoutMiddleware(.seconds(outer)), TimeoutMiddleware(.seconds(inner))]
            let chain = try makeChain(stages, Server.silent)
            async let error = timeout { try await chain.send(.get(url).on(clock)) }
            let deadline = Duration.seconds(expected)
            try await until { clock.pendingDeadlines.contains(deadline) && clock.pendingDeadlines.count >= 2 }
            clock.advance(by: deadline)
            #expect(try await error.limit == deadline)
            #expect(clock.pendingDeadlines.isEmpty)
        }
    }

    @Test("The limit gives way to a sooner deadline that the caller has set")
    func givenDeadline() async throws {
        let clock = VirtualClock()
        clock.advance(by: .seconds(100))
        for (stage, limit) in [
            (TimeoutMiddleware(.seconds(60)), 3), (TimeoutMiddleware(nil), 3), (TimeoutMiddleware(.seconds(2)), 2),
        ] {
            var request = Request.get(url).on(clock)
            request.options[DeadlineNote.self] = DeadlineNote.Mark(clock.elapsed + .seconds(3))
            let chain = try makeChain([stage], Server.silent)
            async let error = timeout { [request] in try await chain.send(request) }
            try await clock.waitForSleepers()
            try await clock.waitForDeadline()
            clock.advance(by: .seconds(limit))
            #expect(try await error.limit == .seconds(limit))
        }
        var late = Request.get(url).on(clock)
        late.options[DeadlineNote.self] = DeadlineNote.Mark(.seconds(1))
        let error = try await timeout { [late] in
            try await makeChain([TimeoutMiddleware(nil)], Server.silent).send(late)
        }
        #expect(error.progress == .notStarted)
    }

    @Test("The limit covers retries and the waits between them")
    func retries() async throws {
        let clock = VirtualClock()
        let stages: [any Middleware] = [
            TimeoutMiddleware(.seconds(25)), Again(pause: .seconds(2), limit: 100),
            AttemptTimeoutMiddleware(.seconds(10)),
        ]
        let attempts = Locked<[Int]>([])
        let server = Server { request in
            attempts.withLock { $0.append(request.attempt) }
            try await request.environment.time.sleep(for: .seconds(60))
            return Response(.ok)
        }
        let chain = try makeChain(stages, server)
        async let error = timeout { try await chain.send(.get(url).on(clock)) }
        for (pending, next) in [([10, 25, 60], 10), ([12, 25], 12), ([22, 25, 72], 22), ([24, 25], 24)] {
            let expected = pending.map { Duration.seconds($0) }
            try await until { clock.pendingDeadlines == expected }
            #expect(clock.pendingDeadlines == expected)
            clock.advance(to: .seconds(next))
        }
        try await until { clock.pendingDeadlines == [.seconds(25), .seconds(25), .seconds(84)] }
        clock.advance(to: .seconds(25))
        #expect(try await error.scope == .call)
        #expect(attempts.withLock { $0 } == [1, 2, 3])
        #expect(clock.pendingDeadlines.isEmpty)
    }

    @Test(
        "The limit ends in cancellation when the caller's task is cancelled, and in that alone when time is up too",
        arguments: 0..<30
    )
    func cancelled(round: Int) async throws {
        let clock = VirtualClock()
        let chain = try makeChain(
            [TimeoutMiddleware(.seconds(5)), AttemptTimeoutMiddleware(.seconds(round % 3 == 0 ? 5 : 9))],
            Server.silent
        )
        let task = Task { try await chain.send(.get(url).on(clock)) }
        try await clock.waitForSleepers()
        try await clock.waitForDeadline()
        if round.isMultiple(of: 2) {
            clock.advance(by: .seconds(round % 4 == 0 ? 0 : 5))
            task.cancel()
            // Time was up first when the call had ended by then.
            do {
                _ = try await task.value
                Issue.record("the call succeeded")
            } catch {
                #expect(error is CancellationError || (round % 4 != 0 && error is TimeoutError))
            }
        } else {
            task.cancel()
            clock.advance(by: .seconds(5))
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        #expect(clock.pendingDeadlines.isEmpty)
    }

    @Test("The limit ends in cancellation when the task was cancelled before, or time was up before")
    func cancelledBefore() async throws {
        for limit in [Duration.zero, .seconds(5)] {
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await makeChain([TimeoutMiddleware(limit)], Server.silent).send(.get(url).on(VirtualClock()))
            }
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test("A stage that ignores cancellation is awaited, and its late response is dropped")
    func deaf() async throws {
        let clock = VirtualClock()
        let isCancelled = Watched(false)
        let feed = ChunkFeed()
        let server = Server { _ in
            await withTaskCancellationHandler {
                await isCancelled.waitUninterrupted { $0 ? () : nil }
            } onCancel: {
                isCancelled.update { $0 = true }
            }
            return Response(.ok, body: feed.body)
        }
        let chain = try makeChain([TimeoutMiddleware(.seconds(5))], server)
        async let error = timeout { try await chain.send(.get(url).on(clock)) }
        try await clock.waitForDeadline(.seconds(5))
        clock.advance(by: .seconds(8))
        #expect(try await error.elapsed == .seconds(8))
        #expect(feed.isCancelled)
    }

    @Test("The limit leaves the errors of the inside as they are")
    func errors() async throws {
        let chain = try makeChain(
            [TimeoutMiddleware(.seconds(5)), AttemptTimeoutMiddleware(.seconds(2), response: .seconds(1))],
            Server { _ in throw TransportError(.timedOut, sent: .maybe, stage: "server") }
        )
        let error = await #expect(throws: TransportError.self) { try await chain.send(.get(url).on(VirtualClock())) }
        #expect(error?.kind == .timedOut)
    }

    @Test("The limit works on the system's clock")
    func systemClock() async throws {
        let stages = [TimeoutMiddleware(.milliseconds(20)), TimeoutMiddleware(.seconds(600))]
        let chain = try makeChain([stages[0], AttemptTimeoutMiddleware(response: .seconds(600))], Server.silent)
        let error = try await timeout { try await chain.send(.get(url)) }
        #expect(error.elapsed >= .milliseconds(20))
        #expect(try await makeChain([stages[1]], Server { _ in Response(.ok) }).send(.get(url)).status == .ok)
    }

    @Test("The limit is shown with the chain")
    func summary() throws {
        let chain = try makeChain(
            [
                TimeoutMiddleware(.seconds(30)),
                AttemptTimeoutMiddleware(.seconds(10), covering: .response, read: .seconds(5)),
            ],
            Server.silent
        )
        #expect(chain.explain().contains("30.0 seconds"))
        #expect(chain.explain().contains("10.0 seconds until the body is read"))
        #expect(throws: ChainOrderError.self) {
            try makeChain([AttemptTimeoutMiddleware(.seconds(1)), TimeoutMiddleware(.seconds(2))], Server.silent)
        }
    }
}
