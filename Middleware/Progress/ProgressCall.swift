import HTTPChainCore

/// One call as its outermost progress stage sees it: what the stages further in have to know of it.
final class ProgressCall: Sendable {
    private struct State {
        var attempts = 0
        var isOver = false
        /// The attempts that are not over; with hedging there are several.
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

    /// Takes an attempt in, to end it before the call ends.
    ///
    /// - Returns: `false` when the call is over, and there is nobody to tell of it.
    func register(_ tracker: TransferTracker) -> Bool {
        state.withLock { state in
            guard !state.isOver else { return false }
            state.inner.removeAll { $0.isOver }
            state.inner.append(tracker)
            return true
        }
    }

    /// Ends the attempts that are not over, so that nothing comes after the last report of the call.
    func end(_ end: TransferProgress.State, error: (any Error)?) {
        let inner = state.withLock { state in
            state.isOver = true
            defer { state.inner = [] }
            return state.inner
        }
        for tracker in inner { tracker.end(end, error: error) }
    }
}

/// Carries the call to the progress stages further in.
enum ProgressCallOption: RequestOption {
    static var defaultValue: ProgressCall? { nil }
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
