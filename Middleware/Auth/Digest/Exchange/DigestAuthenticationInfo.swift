import HTTPChainAuth

/// The `Authentication-Info` of a server that has accepted an answer, RFC 7616 §3.5 and RFC 7615.
package struct DigestAuthenticationInfo: Sendable, Hashable {
    /// The nonce for the next request.
    package let nextNonce: String?
    /// The server's proof that it has the password.
    package let serverResponse: String?
    /// The protection of the server's proof, or `nil` if it is missing or unknown.
    package let qop: QualityOfProtection?

    /// Parses the values of `Authentication-Info` or `Proxy-Authentication-Info` fields.
    ///
    /// Skips invalid parameters, which are unknown, repeated, longer than 2 KiB, or have control characters.
    ///
    /// - Returns: `nil` if no valid parameters are left.
    package init?(_ values: [String]) {
        guard !values.isEmpty,
            // The grammar is that of a challenge without its scheme.
            let parameters = Challenge.parse(["Digest " + values.joined(separator: ", ")]).first
        else { return nil }
        nextNonce = Self.text(parameters["nextnonce"])
        serverResponse = Self.text(parameters["rspauth"])
        qop = parameters["qop"].flatMap { QualityOfProtection(rawValue: $0.lowercased()) }
        if nextNonce == nil, serverResponse == nil, qop == nil { return nil }
    }

    private static func text(_ value: String?) -> String? {
        guard let value, !value.isEmpty, value.utf8.count <= DigestChallenge.Limits.text,
            value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { return nil }
        return value
    }
}
