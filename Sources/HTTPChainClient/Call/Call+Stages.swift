import HTTPChainCore
public import HTTPChainProgress
public import HTTPChainRetry
import HTTPChainTimeout
public import HTTPTypes

extension Call {
    /// The call with a retry policy of its own, for `RetryMiddleware`.
    public func retry(_ policy: RetryPolicy) -> Call {
        with { $0.retry(policy) }
    }

    /// The call with a limit of its own for all that it takes, for `TimeoutMiddleware`.
    ///
    /// - Parameter limit: How long the call may take; `nil` for as long as it takes.
    public func timeout(_ limit: Duration?) -> Call {
        with { $0.timeout(limit) }
    }

    /// The call with a closure that is told of its progress, by `ProgressMiddleware`.
    ///
    /// - Parameter action: What to do with a report; called at once and in order, it must be quick.
    public func onProgress(_ action: @escaping @Sendable (_ progress: TransferProgress) -> Void) -> Call {
        with { $0.onProgress(action) }
    }

    /// The call with a header field set.
    public func header(_ name: HTTPField.Name, _ value: String) -> Call {
        with { request in
            var request = request
            request.headers[name] = value
            return request
        }
    }
}
