public import HTTPChainCore

/// The result of verifying the content of a response with ``ContentDigestMiddleware``.
public enum DigestVerification: ResponseOption {
    /// Whether the content is verified.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Status: Sendable, Hashable {
        /// Not checked: there is no such stage, or it was told not to.
        case notChecked
        /// The response has no digest.
        case noDigest
        /// The content is verified against these as it is read; a mismatch is an error at the end of the body.
        case verifiedWhileRead([DigestField])
        /// The response has a digest that says nothing about the content as it arrives here.
        case notVerifiable(Reason)
    }

    /// Why a digest cannot be verified.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Reason: Sendable, Hashable, CustomStringConvertible {
        /// The transport has decoded the content, and the digest is of the encoded content.
        case contentDecoded
        /// The digest is of the whole representation, and the response carries a part of it.
        case partialContent
        /// The response has no content: the digest is of what GET would bring.
        case noContent
        /// There are only algorithms that are not known, or not safe.
        case unknownAlgorithm
        /// The field is malformed, and is ignored for that (RFC 9651 §4.2).
        case malformedField

        /// The reason, in a few words.
        public var description: String {
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

    /// Not checked.
    public static var defaultValue: Status { .notChecked }
}

/// A policy that says which responses must be what their digests say.
public enum DigestPolicy: Sendable, Hashable, CustomStringConvertible {
    /// None: digests are not looked at.
    case off
    /// Those that have a digest that can be verified.
    case whenPresent
    /// All of success (2xx) that have content: one without a digest that can be verified is an error. Others are verified
    /// when they have one.
    case required

    /// The policy, in a word or two.
    public var description: String {
        switch self {
        case .off: "not verified"
        case .whenPresent: "verified when present"
        case .required: "required"
        }
    }
}
