public import HTTPChainCore

/// A Digest hash function, and whether it is used with session keys (RFC 7616 §3.3, §6.1).
///
/// SHA-512-256 and SHA-256 are equally strong, so the server's order determines which one is used, as in RFC 7616 §3.7.
/// MD5 is broken as a hash function, but it is supported because most servers offer nothing else.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum DigestAlgorithm: String, Sendable, Hashable, CaseIterable {
    /// MD5, which is also the default if a challenge names no algorithm.
    case md5 = "MD5"
    /// MD5 with a session key.
    case md5Session = "MD5-sess"
    /// SHA-256.
    case sha256 = "SHA-256"
    /// SHA-256 with a session key.
    case sha256Session = "SHA-256-sess"
    /// SHA-512/256 of FIPS 180-4, which isn't SHA-512 truncated to 256 bits: its initial value differs.
    case sha512256 = "SHA-512-256"
    /// SHA-512/256 with a session key.
    case sha512256Session = "SHA-512-256-sess"
    /// Full-length SHA-512, which is in no RFC but is used by some servers.
    case sha512 = "SHA-512"
    /// Full-length SHA-512 with a session key, which is in no RFC.
    case sha512Session = "SHA-512-sess"

    /// Makes the algorithm of a challenge, ignoring letter case, or returns `nil` if it is unknown.
    package init?(token: some StringProtocol) {
        guard let algorithm = Self.allCases.first(where: { $0.rawValue.lowercased() == token.lowercased() }) else {
            return nil
        }
        self = algorithm
    }

    /// Whether a session key is derived from the first nonces of server and client (RFC 7616 §3.4.2).
    package var isSession: Bool { rawValue.ends(with: "-sess") }

    /// Whether its hash function is MD5, which is broken.
    var isMD5: Bool { self == .md5 || self == .md5Session }

    /// The rank of the algorithm: those of RFC 7616, then the one in no RFC, and MD5 last.
    var strength: Int {
        switch self {
        case .sha512256, .sha512256Session, .sha256, .sha256Session: 2
        case .sha512, .sha512Session: 1
        case .md5, .md5Session: 0
        }
    }
}

/// The part of the request that an answer protects (RFC 7616 §3.3, "qop").
public enum QualityOfProtection: String, Sendable, Hashable, CaseIterable {
    /// The method and the target.
    case auth
    /// The method, the target and the content.
    case authInt = "auth-int"
}

extension DigestAlgorithm: CustomStringConvertible, DescribedValue {}

extension QualityOfProtection: CustomStringConvertible, DescribedValue {}
