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
