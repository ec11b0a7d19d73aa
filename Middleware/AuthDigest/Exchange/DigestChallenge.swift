public import HTTPChainAuth

/// A Digest challenge, RFC 7616 §3.3; those of RFC 2617 and RFC 2069 as well.
///
/// ```swift
/// for challenge in response.challenges(.origin) {
///     if let digest = DigestChallenge(challenge) { print(digest.realm, digest.algorithm) }
/// }
/// ```
public struct DigestChallenge: Sendable, Hashable {
    /// The protection space's name, without quotes and backslashes.
    public let realm: String
    /// The server's nonce.
    public let nonce: String
    /// The text that has to be sent back unchanged.
    public let opaque: String?
    /// The algorithm; ``DigestAlgorithm/md5`` where none is named.
    public let algorithm: DigestAlgorithm
    /// The algorithm as the server spells it, which is how it gets it back; `nil` where it names none.
    public let algorithmToken: String?
    /// The protections that the server offers, in its order; empty for a server of RFC 2069, which knows no such
    /// choice.
    public let qop: [QualityOfProtection]
    /// Whether only the nonce was refused, not the user and the password.
    public let isStale: Bool
    /// Whether a hash stands in the place of the user's name, RFC 7616 §3.4.4.
    public let hashesUsername: Bool
    /// Whether the server says that it reads names and passwords as UTF-8, RFC 7616 §4.
    public let isUTF8: Bool
    /// The places where the same credentials are good, as the server writes it: absolute URLs and paths; empty for all
    /// of its origin.
    public let domain: [String]

    /// The most that is taken from a challenge.
    enum Limits {
        /// Bytes of realm, nonce and opaque, each.
        static let text = 2048
        /// URLs in a domain.
        static let domain = 64
    }

    /// Reads a challenge.
    ///
    /// - Returns: `nil` for one that cannot be answered: of another scheme, without realm or nonce, with two of them,
    ///   with an algorithm or nothing but qualities of protection that are not known, or with a realm, nonce or opaque
    ///   of more than 2 KiB or with control characters.
    public init?(_ challenge: Challenge) {
        guard challenge.is("Digest"),
            let realm = Self.text("realm", of: challenge), let realm,
            let nonce = Self.text("nonce", of: challenge), let nonce,
            let opaque = Self.text("opaque", of: challenge),
            challenge.values(of: "algorithm").count <= 1
        else { return nil }
        let token = challenge["algorithm"].flatMap { $0.isEmpty ? nil : $0 }
        guard let algorithm = token.map({ DigestAlgorithm(token: $0) }) ?? .md5 else { return nil }
        let names = (challenge["qop"] ?? "").unicodeScalars.split { ", \t".unicodeScalars.contains($0) }
        qop = names.compactMap { QualityOfProtection(rawValue: String($0).lowercased()) }
        guard names.isEmpty || !qop.isEmpty else { return nil }
        self.realm = realm
        self.nonce = nonce
        self.opaque = opaque
        self.algorithm = algorithm
        algorithmToken = token
        isStale = Self.isTrue(challenge["stale"])
        hashesUsername = Self.isTrue(challenge["userhash"])
        isUTF8 = challenge["charset"]?.lowercased() == "utf-8"
        let domain = (challenge["domain"] ?? "").unicodeScalars.split(whereSeparator: \.properties.isWhitespace)
        self.domain = domain.prefix(Limits.domain).map { String($0) }
    }

    /// The text of a parameter, or `nil` inside when there is none; `nil` for one that no answer may hold.
    private static func text(_ name: String, of challenge: Challenge) -> String?? {
        let values = challenge.values(of: name)
        guard let value = values.first else { return .some(nil) }
        guard values.allSatisfy({ $0 == value }), value.utf8.count <= Limits.text,
            value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 })
        else { return nil }
        return value
    }

    private static func isTrue(_ text: String?) -> Bool { text?.lowercased() == "true" }
}

extension DigestChallenge {
    /// The protection to give: the first of the wanted ones that the server offers, and that the body allows.
    ///
    /// - Parameters:
    ///   - wanted: What to give, the preferred first.
    ///   - canReadBody: Whether the body can be read before it is sent.
    /// - Returns: `nil` inside for a server that knows no choice; `nil` when nothing fits.
    func protection(_ wanted: [QualityOfProtection], canReadBody: Bool) -> QualityOfProtection?? {
        if qop.isEmpty { return .some(nil) }
        let possible = qop.filter { canReadBody || $0 == .auth }
        guard let choice = wanted.first(where: possible.contains) ?? possible.first else { return nil }
        return .some(choice)
    }
}
