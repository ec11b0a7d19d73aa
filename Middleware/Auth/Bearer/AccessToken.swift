public import Foundation
public import HTTPChainCore
import HTTPTypes

/// A bearer token, RFC 6750, with its expiration, refresh token and scope.
public struct AccessToken: Sendable, Hashable {
    /// The token's text, redacted when printed.
    public let value: Secret
    /// The wall-clock date of expiration, or `nil` if it isn't known.
    public let expiration: Date?
    /// The token used to get the next access token, RFC 6749 §1.5, or `nil` if there is none.
    public let refreshToken: Secret?
    /// The permissions of the token, RFC 6749 §3.3; empty if they aren't known.
    public let scope: [String]
    let credentials: ReadyCredentials?

    /// Makes a token.
    ///
    /// A malformed token is refused when it is about to be sent. A token is malformed if it is empty or contains
    /// anything other than visible ASCII characters.
    ///
    /// - Parameters:
    ///   - value: The token's text.
    ///   - expiration: The date of expiration. Defaults to `nil`, which means unknown.
    ///   - refreshToken: The token used to get the next one. Defaults to none; an empty text counts as none.
    ///   - scope: The permissions of the token. Defaults to unknown.
    public init(_ value: Secret, expiration: Date? = nil, refreshToken: Secret? = nil, scope: [String] = []) {
        self.value = value
        self.expiration = expiration
        // Servers and stores may use an empty text for a missing token.
        self.refreshToken = refreshToken?.revealed.isEmpty == false ? refreshToken : nil
        self.scope = scope
        credentials = ReadyCredentials(token: value)
    }

    /// Makes a token from text.
    ///
    /// ```swift
    /// let token = AccessToken("sesame", expiresAt: Date() + 3600, refreshToken: "open-again")
    /// ```
    ///
    /// The same as ``init(_:expiration:refreshToken:scope:)``, but converts both texts to a `Secret`.
    ///
    /// - Parameters:
    ///   - text: The token's text.
    ///   - expiration: The date of expiration. Defaults to `nil`, which means unknown.
    ///   - refreshToken: The token used to get the next one. Defaults to none; an empty text counts as none.
    ///   - scope: The permissions of the token. Defaults to unknown.
    public init(_ text: String, expiresAt expiration: Date? = nil, refreshToken: String? = nil, scope: [String] = []) {
        self.init(
            Secret(text),
            expiration: expiration,
            refreshToken: refreshToken.map { Secret($0) },
            scope: scope
        )
    }

    /// Whether the text can be sent as a token: one or more visible characters of ASCII.
    ///
    /// RFC 6749 §A.12 allows all visible characters, and servers issue tokens with `!`, `|` or `%`, which RFC 6750 §2.1
    /// excludes. RFC 6749 also allows spaces, but a space would end the token in the field. A line break would begin
    /// another field.
    package var isWellFormed: Bool { credentials != nil }

    /// Whether the token has expired at the given date; always `false` if the expiration isn't known.
    package func hasExpired(at date: Date) -> Bool {
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

    /// Decodes a token encoded by ``encode(to:)``.
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

    /// Encodes the token **with its secrets**, for a ``TokenStore``: the result is as secret as the token.
    ///
    /// The names are those of a token endpoint's response (RFC 6749 §5.1), with `expires_at`, in seconds since 1970,
    /// instead of `expires_in`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(value.revealed, forKey: .value)
        try container.encodeIfPresent(expiration?.timeIntervalSince1970, forKey: .expiration)
        try container.encodeIfPresent(refreshToken?.revealed, forKey: .refreshToken)
        if !scope.isEmpty { try container.encode(scope.joined(separator: " "), forKey: .scope) }
    }
}

extension AccessToken: CustomStringConvertible, DescribedValue {
    /// The token's expiration and scope, without secrets.
    package var words: String {
        var text = "access token"
        if let expiration { text += ", expires \(HTTPDate(expiration))" }
        if !scope.isEmpty { text += ", scope \(scope.joined(separator: " "))" }
        if refreshToken != nil { text += ", with refresh token" }
        return text
    }
}

extension ReadyCredentials {
    /// Makes the field that carries a token, or returns `nil` if the token is malformed.
    ///
    /// Support for other token types (DPoP, RFC 9449) belongs here.
    convenience init?(token: Secret) {
        let text = token.revealed.utf8
        guard !text.isEmpty, text.allSatisfy(ASCII.isVisible) else { return nil }
        self.init(.authorization, "Bearer " + token.revealed)
    }
}
