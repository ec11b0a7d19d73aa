public import HTTPChainCore

extension Request {
    /// Does something with this request while a closure on an actor of your choice is told of its progress.
    ///
    /// ```swift
    /// try await Request.get("https://example.com/map.zip").withProgress { @MainActor progress in
    ///     bar.value = progress.fraction ?? 0
    /// } perform: { request in
    ///     try await chain.send(request).body.save(to: file)
    /// }
    /// ```
    ///
    /// The closure runs in a task beside the transfer, which ends before this method returns: a slow one misses
    /// reports in between and does not slow the transfer down. The first and the last report always come, in a chain
    /// that has a ``ProgressMiddleware``.
    ///
    /// - Parameters:
    ///   - isolation: Where `operation` runs; on the caller's actor.
    ///   - action: What to do with a report, on the actor that the closure says.
    ///   - operation: Sends the request, and reads the body of the response too: what is read later is not told of.
    /// - Returns: What `operation` returns.
    /// - Throws: What `operation` throws.
    @discardableResult
    public consuming func withProgress<Result: Sendable>(
        isolation: isolated (any Actor)? = #isolation,
        _ action: @escaping @Sendable (_ progress: TransferProgress) async -> Void,
        perform operation: (_ request: Request) async throws -> Result
    ) async throws -> Result {
        let (request, updates) = observingProgress()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                // A cancelled task still delivers what is there: the last report above all.
                while let progress = await updates.observer.nextUninterrupted() { await action(progress) }
            }
            defer { updates.observer.close() }
            return try await operation(request)
        }
    }
}
