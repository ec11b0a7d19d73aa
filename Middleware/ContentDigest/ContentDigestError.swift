public import HTTPChainCore

/// An error thrown if content doesn't match its digest, or a digest can't be computed or verified.
public struct ContentDigestError: ExplainedError, Hashable {
    /// The problem.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// The received content doesn't match the field; the digests are in base64.
        case mismatch(field: DigestField, expected: String, actual: String)
        /// The request's body can be read only once, so computing its digest would consume it.
        case bodyReadableOnce
        /// A digest is required, but the response has none.
        case noDigest
        /// A digest is required, but the response's digest can't be verified.
        case notVerifiable(DigestVerification.Reason)
    }

    /// The problem.
    public let problem: Problem
    package let failedExchange: ExchangeSnapshot?

    package var failedStage: String { "ContentDigestMiddleware" }

    package var explanation: Explanation {
        switch problem {
        case .mismatch(let field, let expected, let actual):
            Explanation(
                "the content does not match \(field) (declared \(expected), received \(actual)), because "
                    + "it was damaged or changed in transit",
                "discard what was read, and send the request again"
            )
        case .bodyReadableOnce:
            Explanation(
                "the body can be read only once, so its digest cannot be sent before it",
                "send a body that can be read "
                    + "again, set oneShotBodies to .buffered(upTo:) or .skipped, or send the request with digests()"
            )
        case .noDigest:
            Explanation(
                "a digest is required, but the response has none",
                "ask the server for one (wanting:), or verify only what has a digest (.whenPresent)"
            )
        case .notVerifiable(let reason):
            Explanation("a digest is required, but the response's digest cannot be verified: \(reason)")
        }
    }
}
