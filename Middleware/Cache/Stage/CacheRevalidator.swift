import HTTPChainCore

/// Owns a cache's background work: validations of stale responses that were already returned (`stale-while-revalidate`,
/// RFC 5861 §3).
///
/// There is at most one validation per key, and a limited number in total; others are left to a later call. Shutdown
/// cancels the validations in flight and waits for them to end. Without a shutdown, they end by themselves:
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

    /// Creates a revalidator.
    ///
    /// - Parameter limit: The maximum number of validations in flight; 16 by default.
    public init(limit: Int = 16) {
        self.limit = limit
    }

    deinit {
        for task in state.value.tasks.values { task.cancel() }
    }

    /// The number of validations in flight.
    package var count: Int { state.value.tasks.count }

    /// Starts a validation.
    ///
    /// - Returns: Whether it was started; `false` if the key already has one, or there are too many.
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

    /// Waits until no validations are in flight.
    ///
    /// - Throws: `CancellationError` if the task is cancelled; validations in flight continue.
    package func waitUntilIdle() async throws {
        try await state.wait { $0.tasks.isEmpty ? () : nil }
    }

    /// Cancels the validations in flight, waits for them to end, and prevents new ones.
    public func shutdown() async {
        let tasks = state.update { state in
            state.isShutDown = true
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }
}
