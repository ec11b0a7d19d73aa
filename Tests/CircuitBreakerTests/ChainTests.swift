#if AllTests
import HTTPChainCache
import HTTPChainCircuitBreaker
import HTTPChainCore
import HTTPChainErrorHandler
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

    @Test("A policy that retries what the circuit refuses does not build", arguments: [true, false])
    func repeatedRefusal(isNested: Bool) throws {
        func build(_ verdict: @escaping @Sendable (CompletedAttempt) -> RetryVerdict) throws -> Chain {
            let retry = RetryMiddleware(RetryPolicy(verdict: verdict))
            let breaker = CircuitBreakerMiddleware()
            guard isNested else { return try Chain([retry, breaker], transport: Server()) }
            return try Chain([retry], transport: Chain([breaker], transport: Server()))
        }
        let error = #expect(throws: ChainOrderError.self) {
            try build { candidate in
                if case .failure(let error) = candidate.result, error is CircuitOpenError { .retry } else { .standard }
            }
        }
        #expect(error?.problems.map(\.stage) == ["RetryMiddleware"])
        #expect(error?.problems.first?.fix.contains("RefusalError") == true)
        _ = try build { candidate in
            if case .failure(is any RefusalError) = candidate.result { .standard } else { .retry }
        }
    }

    @Test("An error handler sees why the circuit refuses")
    func errorHandler() async throws {
        let seen = Locked<[Duration?]>([])
        let breaker = CircuitBreaker(plainPolicy())
        let clock = VirtualClock()
        let chain = try Chain(transport: Server()) {
            ErrorHandlerMiddleware(
                ErrorHandler("see") { failure throws(CancellationError) in
                    if let error = failure.error as? CircuitOpenError { seen.withLock { $0.append(error.retryAfter) } }
                    return .pass
                }
            )
            CircuitBreakerMiddleware(breaker)
        }
        breaker.open(key, for: .seconds(7), in: .virtual(clock))
        await #expect(throws: CircuitOpenError.self) { try await chain.send(.get(url).on(clock)) }
        #expect(seen.withLock { $0 } == [.seconds(7)])
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
#endif
