/// An error of a stage that refused an attempt; nothing was sent.
///
/// An open circuit breaker, a rate limit or a full queue throws it. Such an error says nothing about the server, so
/// stages that judge the server by its responses ignore it.
public protocol RefusalError: HTTPChainError {
    /// The time until an attempt may be allowed, or `nil` if unknown.
    ///
    /// Defaults to `nil`.
    var retryAfter: Duration? { get }
}

extension RefusalError {
    /// The default value, `nil`.
    public var retryAfter: Duration? { nil }
}

/// A stage that refuses attempts because of the server's state, and would refuse a repeated attempt as well.
package protocol RefusingMiddleware: Middleware {
    /// Returns an example of the error that it throws.
    ///
    /// - Parameter exchange: The refused request.
    func refusal(of exchange: ExchangeSnapshot) -> any RefusalError
}
