/// An error of this package.
///
/// It implements these package requirements, and the public ones of ``HTTPChainError`` are derived from them.
package protocol ExplainedError: HTTPChainError {
    /// The failure and the advice.
    var explanation: Explanation { get }
    /// The stage or transport that failed.
    var failedStage: String { get }
    /// The request and the response so far; `nil` by default.
    var failedExchange: ExchangeSnapshot? { get }
    /// The error that caused this one; `nil` by default.
    var cause: (any Error)? { get }
}

extension ExplainedError {
    package var failedExchange: ExchangeSnapshot? { nil }
    package var cause: (any Error)? { nil }

    /// The stage or transport that failed, as ``Chain/explain()`` names it.
    public var stage: String { failedStage }
    /// The failure in one sentence, without secrets.
    public var reason: String { explanation.reason }
    /// Advice on how to fix it, or `nil` if there is none.
    public var recoverySuggestion: String? { explanation.advice }
    /// The request and the response so far, redacted; `nil` if there was no exchange yet.
    public var exchange: ExchangeSnapshot? { failedExchange }
    /// The error that caused this one.
    public var underlyingError: (any Error)? { cause }
}
