import HTTPChainCore

/// Owns what a cache does beside its calls: validations of stale responses that were handed out already
/// (`stale-while-revalidate`, RFC 5861 §3).
///
/// There is one at a time for a key, and a bounded number in all; what exceeds it is left to a later call. Shutting the
/// owner down cancels the validations in flight and waits for them; without that, they end by themselves:
///
/// ```swift
/// let revalidator = CacheRevalidator()
/// let cache = CacheMiddleware(store: .memory(limit: .megabytes(50)), revalidator: revalidator)
/// …
/// await revalidator.shutdown()   // before the transport is shut down
/// ```
public final class CacheRevalidator: Sendable {
    private struct State: Sendable {
        var tasks: [CacheKey: Task<Void, Never>] = [:]
        var isShutDown = false
    }

    private let state = Watched(State())
    private let limit: Int

    /// Makes an owner.
    ///
    /// - Parameter limit: How many validations are in flight at a time, at most; 16 by default.
    public init(limit: Int = 16) {
        self.limit = limit
    }

    deinit {
        for task in state.value.tasks.values { task.cancel() }
    }

    /// The number of validations that are in flight.
    public var count: Int { state.value.tasks.count }

    /// Starts a validation.
    ///
    /// - Returns: Whether it was started; `false` when there is one for the key, or too many in all.
    @discardableResult
    func start(_ key: CacheKey, _ work: @escaping @Sendable () async -> Void) -> Bool {
        state.update { [state, limit] current in
            guard !current.isShutDown, current.tasks.count < limit, current.tasks[key] == nil else { return false }
            current.tasks[key] = Task {
                await work()
                state.update { _ = $0.tasks.removeValue(forKey: key) }
            }
            return true
        }
    }

    /// Waits until nothing is in flight.
    ///
    /// - Throws: `CancellationError` when the task is cancelled; what is in flight goes on.
    public func waitUntilIdle() async throws {
        try await state.wait { $0.tasks.isEmpty ? () : nil }
    }

    /// Cancels what is in flight, waits until it has ended, and starts nothing more.
    public func shutdown() async {
        let tasks = state.update { state in
            state.isShutDown = true
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }
}
