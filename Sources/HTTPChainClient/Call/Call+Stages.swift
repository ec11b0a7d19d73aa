import HTTPChainCore
public import HTTPChainProgress
public import HTTPChainRetry
import HTTPChainTimeout
public import HTTPTypes

extension Call {
    /// Returns the call with a retry policy, for `RetryMiddleware`.
    public func retry(_ policy: RetryPolicy) -> Call {
        with { $0.retry(policy) }
    }

    /// Returns the call with a time limit, for `TimeoutMiddleware` or a mock.
    ///
    /// - Parameter limit: The limit for the whole call; `nil` for none.
    public func timeout(_ limit: Duration?) -> Call {
        with { $0.timeout(limit) }
    }

    /// Returns the call with a closure that `ProgressMiddleware` calls with its progress.
    ///
    /// - Parameter action: A closure that receives each report, synchronously and in order. It must be quick.
    public func progress(_ action: @escaping @Sendable (_ progress: TransferProgress) -> Void) -> Call {
        with { $0.progress(action) }
    }

    /// Sends the request while a closure on any actor receives its progress, in order.
    ///
    /// ```swift
    /// let user = try await client.makeCall(GetUser(id: 42)).withProgress { @MainActor progress in
    ///     bar.value = progress.fraction ?? 0
    /// }
    /// ```
    ///
    /// The closure runs in a separate task, which ends before this method returns. If the closure is slow, it misses
    /// some reports but doesn't slow the transfer down. In a chain with `ProgressMiddleware`, it always receives the
    /// first and the last report. A mock reports nothing. If the output is a stream, use
    /// ``withProgress(isolation:_:perform:)``.
    ///
    /// - Parameters:
    ///   - isolation: The caller's actor.
    ///   - action: A closure that receives a report, on its own actor.
    /// - Returns: The output.
    /// - Throws: The errors of ``value``.
    @discardableResult
    public func withProgress(
        isolation: isolated (any Actor)? = #isolation,
        _ action: @escaping @Sendable (_ progress: TransferProgress) async -> Void
    ) async throws -> Kind.Output {
        try await withProgress(action) { try await $0.value }
    }

    /// Performs an operation with this call while a closure on any actor receives its progress, in order.
    ///
    /// ```swift
    /// try await client.makeCall(GetUser(id: 42)).withProgress { @MainActor progress in
    ///     bar.value = progress.fraction ?? 0
    /// } perform: { call in
    ///     try await call.response
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - isolation: The isolation of `operation`; the caller's actor.
    ///   - action: A closure that receives a report, on its own actor; see ``withProgress(isolation:_:)``.
    ///   - operation: A closure that sends the call once. If the output is a stream, the closure must also read it,
    ///     because progress is only reported until the closure returns.
    /// - Returns: The result of `operation`.
    /// - Throws: Errors from `operation`.
    @discardableResult
    public func withProgress<Result: Sendable>(
        isolation: isolated (any Actor)? = #isolation,
        _ action: @escaping @Sendable (_ progress: TransferProgress) async -> Void,
        perform operation: (_ call: Call) async throws -> Result
    ) async throws -> Result {
        let updates = ProgressUpdates()
        let call = with { updates.observing($0) }
        return try await updates.deliver(to: action) { try await operation(call) }
    }

    /// Returns the call with a header field set.
    public func header(_ name: HTTPField.Name, _ value: String) -> Call {
        with { request in
            var request = request
            request.headers[name] = value
            return request
        }
    }
}
