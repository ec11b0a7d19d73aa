import HTTPChainCore

/// A point that one side reaches and another waits for.
///
/// With it, a script and a test can agree on an order without sleeping.
package final class Rendezvous: Sendable {
    private let state = Watched(false)

    /// Creates a point that hasn't been reached.
    package init() {}

    /// Resumes all current and future waiters.
    package func reach() {
        state.update { $0 = true }
    }

    /// Whether the point has been reached.
    package var isReached: Bool { state.value }

    /// Returns once the point is reached.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    package func wait() async throws {
        try await state.wait { $0 ? () : nil }
    }
}
