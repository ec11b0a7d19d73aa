/// An error of this package that states what happened, and what to do about it, in one place.
package protocol ExplainedError: HTTPChainError {
    /// The failure, and the advice.
    var explanation: Explanation { get }
}

extension ExplainedError {
    /// The failure in one sentence, without secrets.
    public var reason: String { explanation.reason }
    /// Advice on how to fix it, or `nil` if there is none.
    public var recoverySuggestion: String? { explanation.advice }
}

/// An error of this package that states its stage, exchange and cause in package requirements; outside, it has only the
/// members of ``HTTPChainError``.
package protocol StagedError: ExplainedError {
    /// The stage that failed.
    var failedStage: String { get }
    /// The request and the response so far, redacted; `nil` by default.
    var snapshot: ExchangeSnapshot? { get }
    /// The error that caused this one; `nil` by default.
    var cause: (any Error)? { get }
}

extension StagedError {
    package var snapshot: ExchangeSnapshot? { nil }
    package var cause: (any Error)? { nil }

    /// The stage that failed.
    public var stage: String { failedStage }
    /// The request and the response so far, redacted; `nil` if there was no exchange yet.
    public var exchange: ExchangeSnapshot? { snapshot }
    /// The error that caused this one.
    public var underlyingError: (any Error)? { cause }
}
