import HTTPChainCore
public import HTTPChainProgress
public import HTTPChainRetry
import HTTPChainTimeout
public import HTTPTypes

extension Call {
    /// Returns the call with its own retry policy, for `RetryMiddleware`.
    public func retry(_ policy: RetryPolicy) -> Call {
        with { $0.retry(policy) }
    }

    /// Returns the call with its own time limit, for `TimeoutMiddleware`.
    ///
    /// - Parameter limit: The limit for the whole call; `nil` for none.
    public func timeout(_ limit: Duration?) -> Call {
        with { $0.timeout(limit) }
    }

    /// Returns the call with a closure that `ProgressMiddleware` calls with its progress.
    ///
    /// - Parameter action: Receives each report, synchronously and in order; it must be quick.
    public func onProgress(_ action: @escaping @Sendable (_ progress: TransferProgress) -> Void) -> Call {
        with { $0.onProgress(action) }
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
