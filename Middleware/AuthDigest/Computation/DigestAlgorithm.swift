/// A hash function of Digest authentication, and whether a session's key is made from it (RFC 7616 §3.3, §6.1).
///
/// Two are equal in strength, SHA-512-256 and SHA-256: of these the server's order decides, as RFC 7616 §3.7 wants it.
/// MD5 is broken as a hash function; it is answered because most servers offer nothing else.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum DigestAlgorithm: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// MD5, also what is meant where a challenge names no algorithm.
    case md5 = "MD5"
    /// MD5 with a key for each session.
    case md5Session = "MD5-sess"
    /// SHA-256.
    case sha256 = "SHA-256"
    /// SHA-256 with a key for each session.
    case sha256Session = "SHA-256-sess"
    /// SHA-512/256 of FIPS 180-4, which is not SHA-512 cut short.
    case sha512256 = "SHA-512-256"
    /// SHA-512/256 with a key for each session.
    case sha512256Session = "SHA-512-256-sess"
    /// SHA-512 in full length; no RFC has it, some servers do.
    case sha512 = "SHA-512"
    /// SHA-512 in full length with a key for each session; no RFC has it.
    case sha512Session = "SHA-512-sess"

    /// The algorithm that a challenge names, in whatever letter case; `nil` for one that is not known.
    public init?(token: some StringProtocol) {
        guard let algorithm = Self.allCases.first(where: { $0.rawValue.lowercased() == token.lowercased() }) else {
            return nil
        }
        self = algorithm
    }

    /// Whether a key is made for each session, from the first nonces of server and client (RFC 7616 §3.4.2).
    public var isSession: Bool {
        switch self {
        case .md5Session, .sha256Session, .sha512256Session, .sha512Session: true
        case .md5, .sha256, .sha512256, .sha512: false
        }
    }

    /// Whether its hash function is MD5, which is broken.
    var isMD5: Bool { self == .md5 || self == .md5Session }

    /// The rank of the algorithm: those of RFC 7616 before the one that is in no RFC, and MD5 last.
    var strength: Int {
        switch self {
        case .sha512256, .sha512256Session, .sha256, .sha256Session: 2
        case .sha512, .sha512Session: 1
        case .md5, .md5Session: 0
        }
    }

    /// The registered name.
    public var description: String { rawValue }
}

/// The protection that an answer gives besides the user's identity (RFC 7616 §3.3, "qop").
public enum QualityOfProtection: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// The method and the target.
    case auth
    /// The method, the target and the content.
    case authInt = "auth-int"

    /// The name in header fields.
    public var description: String { rawValue }
}
