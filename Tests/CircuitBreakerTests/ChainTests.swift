import HTTPChainCache
import HTTPChainCircuitBreaker
import HTTPChainCore
import HTTPChainRetry
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@Suite("A circuit breaker among other stages", .timeLimit(.minutes(10)))
struct ChainTests {
    @Test("Retry ends at an open circuit")
    func retry() async throws {
        let server = Server { _ in Response(.badGateway) }
        let chain = try Chain(transport: server) {
            RetryMiddleware(RetryPolicy(maximumAttempts: 10))
            CircuitBreakerMiddleware(.consecutive(failures: 3))
        }
        let clock = VirtualClock.automatic()
        let error = await #expect(throws: CircuitOpenError.self) { try await chain.send(.get(url).on(clock)) }
        #expect(server.count == 3)
        #expect(error?.retries?.attempts.count == 4)
        #expect(error?.retries?.stop == .notRetryable)
    }

    @Test("A cache answers with what is stale while the circuit is open")
    func staleIfError() async throws {
        let clock = VirtualClock()
        let server = Server { _ in
            Response(.ok, headers: [.cacheControl: "max-age=10, stale-if-error=600"], body: "stored")
        }
        let breaker = CircuitBreaker(plainPolicy())
        let chain = try Chain(transport: server) {
            CacheMiddleware(store: .memory(limit: .megabytes(1)))
            CircuitBreakerMiddleware(breaker)
        }
        #expect(try await chain.send(.get(url).on(clock)).body.text() == "stored")
        breaker.isolate(key)
        clock.advance(by: .seconds(60))
        #expect(try await chain.send(.get(url).on(clock)).body.text() == "stored")
        #expect(server.count == 1)
    }

    @Test("A breaker outside retry, or inside a rate limit, is the wrong order")
    func order() {
        #expect(throws: ChainOrderError.self) {
            try Chain(transport: Server()) {
                CircuitBreakerMiddleware()
                RetryMiddleware()
            }
        }
    }

    @Test("10,000 calls at once, a third of them cancelled: every probe's place comes back")
    func cancellation() async throws {
        let clock = VirtualClock()
        let breaker = CircuitBreaker(plainPolicy { $0.probes = 50 })
        let server = Server { request in
            try await request.environment.time.sleep(for: .seconds(1))
            return Response(.ok)
        }
        let chain = try Chain([CircuitBreakerMiddleware(breaker)], transport: server)
        let refused = Locked(0)
        breaker.open(key, for: .seconds(1), in: .virtual(clock))
        clock.advance(by: .seconds(1))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<Drill.calls {
                group.addTask {
                    let call = Task { try await chain.send(.get(url).on(clock)) }
                    if index % 3 == 0 { call.cancel() }
                    do {
                        _ = try await withTaskCancellationHandler {
                            try await call.value
                        } onCancel: {
                            call.cancel()
                        }
                    } catch is CircuitOpenError {
                        refused.withLock { $0 += 1 }
                    } catch is CancellationError {}
                }
            }
            try await eventually {
                clock.pendingDeadlines.count == 50 && refused.withLock { $0 } > Drill.calls * 3 / 5 - 50
            }
            #expect(breaker.state(of: key, in: .virtual(clock)) == .halfOpen)
            group.cancelAll()
            try await group.waitForAll()
        }
        // Nobody succeeded: all places are free again, and as many probes as before find one.
        #expect(breaker.state(of: key, in: .virtual(clock)) == .halfOpen)
        server.answer { _ in Response(.ok) }
        for _ in 0..<50 { #expect(try await chain.send(.get(url).on(clock)).status == .ok) }
        #expect(breaker.state(of: key, in: .virtual(clock)) == .closed)
    }
}
