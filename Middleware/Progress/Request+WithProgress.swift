public import HTTPChainCore

extension Request {
    /// Performs an operation with this request while a closure on any actor receives its progress.
    ///
    /// ```swift
    /// try await Request.get("https://example.com/map.zip").withProgress { @MainActor progress in
    ///     bar.value = progress.fraction ?? 0
    /// } perform: { request in
    ///     try await chain.send(request).body.save(to: file)
    /// }
    /// ```
    ///
    /// The closure runs in a separate task, which ends before this method returns. A slow closure misses intermediate
    /// reports, but doesn't slow the transfer down. In a chain with a ``ProgressMiddleware``, it always receives the
    /// first and last report.
    ///
    /// - Parameters:
    ///   - isolation: The isolation of `operation`; the caller's actor.
    ///   - action: Receives a report, on the actor of the closure.
    ///   - operation: Sends the request and reads the response's body. Reading after it has returned isn't reported.
    /// - Returns: The result of `operation`.
    /// - Throws: Errors from `operation`.
    @discardableResult
    public consuming func withProgress<Result: Sendable>(
        isolation: isolated (any Actor)? = #isolation,
        _ action: @escaping @Sendable (_ progress: TransferProgress) async -> Void,
        perform operation: (_ request: Request) async throws -> Result
    ) async throws -> Result {
        let updates = ProgressUpdates()
        let request = updates.observing(self)
        return try await updates.deliver(to: action) { try await operation(request) }
    }
}

extension ProgressUpdates {
    /// Calls a closure with the reports until an operation has ended and the last report has been delivered.
    ///
    /// - Parameters:
    ///   - isolation: The isolation of `operation`; the caller's actor.
    ///   - action: Receives a report, on the actor of the closure.
    ///   - operation: Performs the call.
    package func deliver<Result: Sendable>(
        isolation: isolated (any Actor)? = #isolation,
        to action: @escaping @Sendable (_ progress: TransferProgress) async -> Void,
        while operation: () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                // Even if the task is cancelled, the waiting reports are delivered, including the last one.
                while let progress = await observer.nextUninterrupted() { await action(progress) }
            }
            defer { observer.close() }
            return try await operation()
        }
    }
}
