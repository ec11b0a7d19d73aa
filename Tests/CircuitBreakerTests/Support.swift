#if AllTests
import Foundation
import HTTPChainCircuitBreaker
import HTTPChainCore
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

let url = "https://api.example.com/plants"
let key = "https://api.example.com"

/// A policy whose times a test can foretell: open for 5 s, 10 s, 20 s, up to a minute.
func plainPolicy(_ change: (inout CircuitBreakerPolicy) -> Void = { _ in }) -> CircuitBreakerPolicy {
    var policy = CircuitBreakerPolicy()
    policy.openTimes.jitter = 0
    change(&policy)
    return policy
}

/// A server whose answers a test sets.
final class Server: Transport {
    typealias Answer = @Sendable (Request) async throws -> Response
    let capabilities: TransportCapabilities = [.streamsUploads]
    private let state: Locked<(answer: Answer, count: Int)>

    init(_ answer: @escaping Answer = { _ in Response(.ok) }) {
        state = Locked((answer, 0))
    }

    var count: Int { state.withLock { $0.count } }

    func answer(_ answer: @escaping Answer) { state.withLock { $0.answer = answer } }

    func send(_ request: consuming Request) async throws -> Response {
        let answer = state.withLock { state in
            state.count += 1
            return state.answer
        }
        return try await answer(request)
    }
}

/// Waits until something is so, and lets other tasks run meanwhile.
func eventually(_ isSo: () -> Bool) async throws {
    try await until("the circuit breakers and their callers to come so far") { isSo() }
}
#endif
