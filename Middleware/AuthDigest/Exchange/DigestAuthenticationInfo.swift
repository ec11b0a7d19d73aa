import HTTPChainAuth

/// The answer of a server that has accepted a response: `Authentication-Info`, RFC 7616 §3.5 and RFC 7615.
public struct DigestAuthenticationInfo: Sendable, Hashable {
    /// The nonce that the server wants from now on.
    public let nextNonce: String?
    /// The server's proof that it knows the password.
    public let serverResponse: String?
    /// The protection that the server's proof gives; `nil` where it does not say, or says something that is not known.
    public let qop: QualityOfProtection?

    /// Reads the values of `Authentication-Info` or `Proxy-Authentication-Info` fields.
    ///
    /// What makes no sense is passed over: a parameter that is not known, that came before, that is longer than 2 KiB
    /// or has control characters.
    ///
    /// - Returns: `nil` when there is nothing in it.
    public init?(_ values: [String]) {
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
