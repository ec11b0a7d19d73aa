public import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// A hash algorithm of RFC 9530 §5 that is suitable for verifying content.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum ContentDigestAlgorithm: String, Sendable, Hashable, CaseIterable {
    /// SHA-256.
    case sha256 = "sha-256"
    /// SHA-512.
    case sha512 = "sha-512"
}

/// A header field with a digest of the content, and its algorithm.
public enum DigestField: Sendable, Hashable {
    /// `Content-Digest` (RFC 9530 §2): a digest of this message's content.
    case contentDigest(ContentDigestAlgorithm)
    /// `Repr-Digest` (RFC 9530 §3): a digest of the whole representation, of which a message may contain a part.
    case reprDigest(ContentDigestAlgorithm)
    /// `Content-MD5` (RFC 1864), for old servers.
    ///
    /// It detects accidental damage, but doesn't protect against attacks: MD5 is broken.
    case contentMD5

    var name: HTTPField.Name {
        switch self {
        case .contentDigest: .contentDigest
        case .reprDigest: .reprDigest
        case .contentMD5: .contentMD5
        }
    }

    var hash: HashKind {
        switch self {
        case .contentDigest(let algorithm), .reprDigest(let algorithm): algorithm.hash
        case .contentMD5: .md5
        }
    }
}

extension HTTPField.Name {
    static let reprDigest = Self(constant: "Repr-Digest")
    static let wantContentDigest = Self(constant: "Want-Content-Digest")
    static let wantReprDigest = Self(constant: "Want-Repr-Digest")
}

extension ContentDigestAlgorithm: CustomStringConvertible, DescribedValue {}

extension DigestField: CustomStringConvertible, DescribedValue {
    /// The field's name, and its algorithm if there is a choice.
    package var words: String {
        switch self {
        case .contentDigest(let algorithm): "Content-Digest \(algorithm)"
        case .reprDigest(let algorithm): "Repr-Digest \(algorithm)"
        case .contentMD5: "Content-MD5"
        }
    }
}
