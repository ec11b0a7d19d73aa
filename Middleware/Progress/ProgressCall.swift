import HTTPChainCore

/// The state of a call, which its outermost progress stage shares with the inner ones.
final class ProgressCall: Sendable {
    private struct State {
        var attempts = 0
        var isOver = false
        /// The active attempts.
        ///
        /// With hedging, there can be several.
        var inner: [TransferTracker] = []
    }

    let number: UInt64
    private let state = Locked(State())

    init(number: UInt64) {
        self.number = number
    }

    /// The number of the next attempt.
    func nextAttempt() -> Int {
        state.withLock { state in
            state.attempts += 1
            return state.attempts
        }
    }

    /// Registers an attempt, so that it is ended when the call is.
    ///
    /// - Returns: `false` if the call is already over.
    func register(_ tracker: TransferTracker) -> Bool {
        state.withLock { state in
            guard !state.isOver else { return false }
            state.inner.removeAll { $0.isOver }
            state.inner.append(tracker)
            return true
        }
    }

    /// Ends the active attempts, so that the call's last report is final.
    func end(_ end: TransferProgress.State, error: (any Error)?) {
        let inner = state.withLock { state in
            state.isOver = true
            defer { state.inner = [] }
            return state.inner
        }
        for tracker in inner { tracker.end(end, error: error) }
    }
}

/// Passes the call to inner progress stages.
enum ProgressCallNote: RequestNote {
    static var defaultValue: ProgressCall? { nil }
    static var affectsResponse: Bool { false }
}

/// Numbers the calls of the process.
enum CallNumber {
    private static let last = Locked<UInt64>(0)

    static func next() -> UInt64 {
        last.withLock { last in
            last += 1
            return last
        }
    }
}
