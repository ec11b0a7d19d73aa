public import HTTPChainCore

/// The result of verifying a response's content with ``ContentDigestMiddleware``.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum DigestVerification: Sendable, Hashable {
    /// The content isn't verified, because there is no such stage, or verification is off.
    case notChecked
    /// The response has no digest.
    case noDigest
    /// The content is verified against these digests as it is read.
    ///
    /// A mismatch throws at the end of the body.
    case verifiedWhileRead([DigestField])
    /// The response has a digest that can't be verified for the content as received.
    case notVerifiable(Reason)

    /// The reason why a digest can't be verified.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Reason: Sendable, Hashable, CustomStringConvertible, DescribedValue {
        /// The transport has decoded the content, but the digest covers the encoded content.
        case contentDecoded
        /// The digest covers the whole representation, but the response has only a part.
        case partialContent
        /// The response has no content, and the digest is that of the content of a GET response.
        case noContent
        /// All algorithms are unknown or insecure.
        case unknownAlgorithm
        /// The field is malformed, and is ignored (RFC 9651 §4.2).
        case malformedField

        /// A short description of the reason.
        package var words: String {
            switch self {
            case .contentDecoded:
                "the transport has decoded the content, and the digest is of the encoded content; "
                    + "use a transport that does not, or ask for content that is not encoded"
            case .partialContent: "the digest is of the whole representation, and this is a part of it"
            case .noContent: "the response has no content"
            case .unknownAlgorithm: "its algorithm is neither sha-256 nor sha-512"
            case .malformedField: "the field is malformed"
            }
        }
    }
}

/// The result for a response; see ``HTTPChainCore/Response/digestVerification``.
package enum DigestVerificationFact: ResponseOption {
    package static var defaultValue: DigestVerification { .notChecked }
}

extension Response {
    /// The result of verifying the response's content.
    public var digestVerification: DigestVerification { options[DigestVerificationFact.self] }
}

/// A policy that determines which responses must match their digests.
public enum DigestPolicy: Sendable, Hashable {
    /// Ignores digests.
    case off
    /// Verifies responses that have a verifiable digest.
    case whenPresent
    /// Requires a verifiable digest in all successful (2xx) responses with content.
    ///
    /// Verifies other responses if they have one.
    case required
}

extension DigestPolicy: CustomStringConvertible, DescribedValue {
    /// A short name of the policy.
    package var words: String {
        switch self {
        case .off: "not verified"
        case .whenPresent: "verified when present"
        case .required: "required"
        }
    }
}
