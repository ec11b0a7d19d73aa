public import Foundation
public import HTTPChainCore
import HTTPTypes

/// A token that opens resources to whoever bears it, RFC 6750, with what belongs to it.
public struct AccessToken: Sendable, Hashable {
    /// The token's text, which does not show itself.
    public let value: Secret
    /// The date when it expires, by the wall clock; `nil` when it is not known.
    public let expiration: Date?
    /// The token that the next access token is asked for with, RFC 6749 §1.5; `nil` when there is none.
    public let refreshToken: Secret?
    /// The permissions that the token gives, RFC 6749 §3.3; empty when it is not known.
    public let scope: [String]
    let credentials: ReadyCredentials?

    /// Makes a token.
    ///
    /// A text that is no token (``isWellFormed``) is refused when it is to be sent.
    ///
    /// - Parameters:
    ///   - value: The token's text.
    ///   - expiration: When it ends to be accepted; `nil`, the default, when that is not known.
    ///   - refreshToken: What to ask for the next token with; none by default, and if it is empty.
    ///   - scope: What it may be used for; not known by default.
    public init(_ value: Secret, expiration: Date? = nil, refreshToken: Secret? = nil, scope: [String] = []) {
        self.value = value
        self.expiration = expiration
        // Servers and stores write an empty text for none.
        self.refreshToken = refreshToken?.revealed.isEmpty == false ? refreshToken : nil
        self.scope = scope
        credentials = ReadyCredentials(token: value)
    }

    /// Whether the text can be sent as a token: one or more visible characters of ASCII.
    ///
    /// RFC 6749 §A.12 allows them all, and servers issue tokens with `!`, `|` or `%` in them, which RFC 6750 §2.1 leaves
    /// out. Spaces, which RFC 6749 allows as well, would end the token, and a line break would begin another field.
    public var isWellFormed: Bool { credentials != nil }

    /// Whether the token has ended at a moment; never, when it is not known when it ends.
    public func hasExpired(at date: Date) -> Bool {
        expiration.map { $0 <= date } ?? false
    }
}

extension AccessToken: Codable {
    private enum CodingKeys: String, CodingKey {
        case value = "access_token"
        case expiration = "expires_at"
        case refreshToken = "refresh_token"
        case scope
    }

    /// Reads what ``encode(to:)`` wrote.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            Secret(try container.decode(String.self, forKey: .value)),
            expiration: try container.decodeIfPresent(Double.self, forKey: .expiration).map {
                Date(timeIntervalSince1970: $0)
            },
            refreshToken: try container.decodeIfPresent(String.self, forKey: .refreshToken).map { Secret($0) },
            scope: try container.decodeIfPresent(String.self, forKey: .scope)?.pieces(at: " ").map(String.init)
                ?? []
        )
    }

    /// Writes the token **with its secrets**, for a ``TokenStore``: what is encoded is as secret as the token.
    ///
    /// The names are those of a reply of a token endpoint (RFC 6749 §5.1), with `expires_at`, in seconds since 1970, in
    /// place of `expires_in`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(value.revealed, forKey: .value)
        try container.encodeIfPresent(expiration?.timeIntervalSince1970, forKey: .expiration)
        try container.encodeIfPresent(refreshToken?.revealed, forKey: .refreshToken)
        if !scope.isEmpty { try container.encode(scope.joined(separator: " "), forKey: .scope) }
    }
}

extension AccessToken: CustomStringConvertible, CustomDebugStringConvertible {
    /// The expiration of the token and what it is for; no secret.
    public var description: String {
        var text = "access token"
        if let expiration { text += ", expires \(HTTPDate(expiration))" }
        if !scope.isEmpty { text += ", scope \(scope.joined(separator: " "))" }
        if refreshToken != nil { text += ", with refresh token" }
        return text
    }

    /// The same as ``description``.
    public var debugDescription: String { description }
}

extension ReadyCredentials {
    /// The field that a token is sent in; `nil` for what is no token.
    ///
    /// A token of another type (DPoP, RFC 9449) would be turned into request fields here.
    convenience init?(token: Secret) {
        let text = token.revealed.utf8
        guard !text.isEmpty, text.allSatisfy(ASCII.isVisible) else { return nil }
        self.init(.authorization, "Bearer " + token.revealed)
    }
}
