import HTTPChainCore

/// A point that one side reaches and another waits for, with which a script and a test can agree on an order without
/// sleeping.
package final class Rendezvous: Sendable {
    private struct State {
        var isReached = false
        var nextID = 0
        var waiting: [Int: CheckedContinuation<Void, any Error>] = [:]
    }
    private let state = Locked(State())

    /// Creates a point that hasn't been reached.
    package init() {}

    /// Resumes all current and future waiters.
    package func reach() {
        let waiting = state.withLock { state in
            state.isReached = true
            let waiting = Array(state.waiting.values)
            state.waiting = [:]
            return waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Whether the point has been reached.
    package var isReached: Bool { state.withLock { $0.isReached } }

    /// Returns once the point is reached.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    package func wait() async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                // Checks under the lock, so that neither a cancellation nor an arrival is missed.
                let outcome: Result<Void, any Error>? = state.withLock { state in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.isReached { return .success(()) }
                    state.waiting[id] = continuation
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(throwing: CancellationError())
        }
    }
}
