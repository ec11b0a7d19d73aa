#if Valkey
import HTTPChainCore

/// Leaves a server alone that fails: after some failures in a row nothing is asked for a while, then one question decides.
final class ServerCircuit: Sendable {
    private struct State {
        var failures = 0
        var pauses = 0
        var pausedUntil: Duration?
        var isProbing = false
    }
    private let threshold: Int
    private let pause: Backoff
    private let time: any TimeSource
    private let state = Locked(State())

    init(threshold: Int, pause: ClosedRange<Duration>, time: any TimeSource) {
        self.threshold = max(1, threshold)
        self.pause = Backoff(base: pause.lowerBound, cap: pause.upperBound, jitter: .none)
        self.time = time
    }

    /// Whether the server may be asked now; who was allowed to says how it went.
    func admits() -> Bool {
        let now = time.elapsed
        return state.withLock { state in
            guard let until = state.pausedUntil else { return true }
            guard now >= until, !state.isProbing else { return false }
            state.isProbing = true
            return true
        }
    }

    func succeed() {
        state.withLock { $0 = State() }
    }

    func fail() {
        let now = time.elapsed
        state.withLock { state in
            state.failures += 1
            guard state.isProbing || state.pausedUntil == nil && state.failures >= threshold else { return }
            state.isProbing = false
            state.pauses += 1
            state.pausedUntil = now + pause.longestWait(beforeRetry: state.pauses)
        }
    }

    /// Nobody heard how it went.
    func withdraw() {
        state.withLock { $0.isProbing = false }
    }
}
#endif
