package import HTTPChainAuth
import HTTPChainSupport

/// A Digest challenge of RFC 7616 §3.3, RFC 2617 or RFC 2069.
package struct DigestChallenge: Sendable, Hashable {
    /// The protection space's name, without quotes and backslashes.
    package let realm: String
    /// The server's nonce.
    package let nonce: String
    /// A text that must be returned to the server unchanged.
    package let opaque: String?
    /// The algorithm; ``DigestAlgorithm/md5`` if none is named.
    package let algorithm: DigestAlgorithm
    /// The algorithm as spelled by the server, for use in the answer, or `nil` if none is named.
    package let algorithmToken: String?
    /// The protections that the server offers, in its order; empty for servers of RFC 2069, which have none.
    package let qop: [QualityOfProtection]
    /// Whether only the nonce was rejected, not the user and password.
    package let isStale: Bool
    /// Whether the user's name is replaced by a hash, RFC 7616 §3.4.4.
    package let hashesUsername: Bool
    /// Whether the server reads names and passwords as UTF-8, RFC 7616 §4.
    package let isUTF8: Bool
    /// The absolute URLs and paths for which the same credentials are valid, as sent; empty for the whole origin.
    package let domain: [String]
    /// Whether the server wrote the challenge in ISO 8859-1.
    ///
    /// Its realm and opaque are then hashed and sent back in that encoding.
    let isLatin1: Bool

    /// The limits on parsing a challenge.
    enum Limits {
        /// The bytes of realm, nonce and opaque, each.
        static let text = 2048
        /// The number of URLs in a domain.
        static let domain = 64
    }

    /// Parses a challenge.
    ///
    /// - Returns: `nil` if the challenge can't be answered: its scheme isn't Digest, realm or nonce are missing, values
    ///   of realm, nonce or opaque conflict, the algorithm is unknown or repeated, all qualities of protection are
    ///   unknown, or a realm, nonce or opaque has more than 2 KiB or control characters other than tab.
    package init?(_ challenge: Challenge) {
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
        isLatin1 = challenge.isLatin1
        for parameter in challenge.parameters { Steps.take(parameter.value.utf8.count) }
        let domain = (challenge["domain"] ?? "").unicodeScalars.split(whereSeparator: \.properties.isWhitespace)
        self.domain = domain.prefix(Limits.domain).map { String($0) }
    }

    /// Returns a parameter's text, an inner `nil` if it is missing, or `nil` if it is invalid.
    private static func text(_ name: String, of challenge: Challenge) -> String?? {
        let values = challenge.values(of: name)
        for value in values { Steps.take(value.utf8.count) }
        guard let value = values.first else { return .some(nil) }
        guard values.allSatisfy({ $0.hasSameBytes(as: value) }), value.utf8.count <= Limits.text,
            value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 })
        else { return nil }
        return value
    }

    /// Returns the bytes of a text from the challenge, in the server's encoding.
    func bytes(_ text: String) -> [UInt8] {
        isLatin1 ? text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } : Array(text.utf8)
    }

    private static func isTrue(_ text: String?) -> Bool { text?.lowercased() == "true" }
}

extension DigestChallenge {
    /// Returns the most preferred protection that the server offers and the body allows, otherwise the first that is
    /// offered.
    ///
    /// - Parameters:
    ///   - wanted: The protections in order of preference.
    ///   - canReadBody: Whether the body can be read before it is sent.
    /// - Returns: An inner `nil` if the server offers no choice, or `nil` if the body allows none.
    func protection(_ wanted: [QualityOfProtection], canReadBody: Bool) -> QualityOfProtection?? {
        if qop.isEmpty { return .some(nil) }
        let possible = qop.filter { canReadBody || $0 == .auth }
        guard let choice = wanted.first(where: possible.contains) ?? possible.first else { return nil }
        return .some(choice)
    }
}
