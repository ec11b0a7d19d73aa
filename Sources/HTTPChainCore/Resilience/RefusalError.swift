/// An error of a stage that refused an attempt on the client, so that nothing was sent.
///
/// Thrown by an open circuit breaker, a rate limit and a full queue. These errors say nothing about the server, so
/// stages that judge the server by its responses ignore them.
public protocol RefusalError: HTTPChainError {
    /// The time until an attempt may be allowed, or `nil` if unknown.
    var retryAfter: Duration? { get }
}

/// A stage that refuses attempts because of the server's state, so that the same attempt would be refused again.
package protocol RefusingMiddleware: Middleware {
    /// Returns an example of the error that it throws.
    ///
    /// - Parameter exchange: The refused request.
    func refusal(of exchange: ExchangeSnapshot) -> any RefusalError
}
