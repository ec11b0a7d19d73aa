#if Valkey
import HTTPChainCore

/// Pauses requests to a failing server.
///
/// After several failures in a row, no requests are sent for a while. Then a single request determines whether the
/// pause ends.
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

    /// Whether a request may be sent now; if so, the caller must report its result.
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

    /// Records that a request ended without a result, so that another one may be sent instead.
    func withdraw() {
        state.withLock { $0.isProbing = false }
    }
}
#endif
