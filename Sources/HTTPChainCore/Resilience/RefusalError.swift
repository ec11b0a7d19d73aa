/// An error of a stage that refused an attempt on the client: nothing was sent.
///
/// An open circuit breaker, a rate limit and a full queue throw such errors. They say nothing about the server, so that
/// stages which judge the server by its answers leave them out of account.
public protocol RefusalError: HTTPChainError {
    /// The time until an attempt may be let through; `nil` when that is not known.
    var retryAfter: Duration? { get }
}

/// A stage that refuses attempts for what it knows of the server, so that the same attempt again is refused as well.
package protocol RefusingMiddleware: Middleware {
    /// An example of the error that it throws then.
    ///
    /// - Parameter exchange: The request that is refused.
    func refusal(of exchange: ExchangeSnapshot) -> any RefusalError
}
