import HTTPChainCore

/// Tokens for the client itself, with no user behind it, RFC 6749 §4.4.
public struct ClientCredentialsGrant: AccessTokenProvider {
    private let endpoint: TokenEndpoint
    private let scope: [String]

    /// Makes the provider.
    ///
    /// - Parameters:
    ///   - endpoint: Where tokens are handed out.
    ///   - scope: What the token is to be good for; what the server thinks fit by default.
    public init(at endpoint: TokenEndpoint, scope: [String] = []) {
        self.endpoint = endpoint
        self.scope = scope
    }

    /// The grant, the endpoint and the scope.
    public var summary: String { "client credentials at \(endpoint)" + scope.shownAsScope }

    /// A token; the old one does not matter.
    ///
    /// - Throws: ``OAuthError``; what sending throws.
    public func accessToken(replacing old: AccessToken?, in context: RefreshContext) async throws -> AccessToken {
        try await endpoint.token(grantType: "client_credentials", parameters: scope.asParameter, in: context)
    }
}

/// Tokens by the refresh token of the token before, RFC 6749 §6.
///
/// The stage is given the token of the sign-in; from there on each token brings the refresh token for the next. A server
/// may take a refresh token once only: what the stage is told to do with a new token (`saving`) is done before it is
/// used, so that none is lost.
public struct RefreshTokenGrant: AccessTokenProvider {
    private let endpoint: TokenEndpoint
    private let scope: [String]

    /// Makes the provider.
    ///
    /// - Parameters:
    ///   - endpoint: Where tokens are handed out.
    ///   - scope: What the token is to be good for; by default what the token before was good for.
    public init(at endpoint: TokenEndpoint, scope: [String] = []) {
        self.endpoint = endpoint
        self.scope = scope
    }

    /// The grant, the endpoint and the scope.
    public var summary: String { "refresh token at \(endpoint)" + scope.shownAsScope }

    /// A token by the refresh token of the old one, which it keeps unless the server gives another.
    ///
    /// - Throws: ``OAuthError``, which is ``OAuthError/Problem/noRefreshToken`` when there is none; what sending throws.
    public func accessToken(replacing old: AccessToken?, in context: RefreshContext) async throws -> AccessToken {
        guard let old, let refreshToken = old.refreshToken else { throw OAuthError(.noRefreshToken) }
        var parameters = scope.asParameter
        parameters["refresh_token"] = refreshToken.revealed
        let token = try await endpoint.token(grantType: "refresh_token", parameters: parameters, in: context)
        guard token.scope.isEmpty, !old.scope.isEmpty else { return token }
        return AccessToken(
            token.value,
            expiration: token.expiration,
            refreshToken: token.refreshToken,
            scope: old.scope
        )
    }
}

extension AccessTokenProvider where Self == ClientCredentialsGrant {
    /// Tokens for the client itself, RFC 6749 §4.4.
    public static func clientCredentials(at endpoint: TokenEndpoint, scope: [String] = []) -> ClientCredentialsGrant {
        ClientCredentialsGrant(at: endpoint, scope: scope)
    }
}

extension AccessTokenProvider where Self == RefreshTokenGrant {
    /// Tokens by the refresh token of the token before, RFC 6749 §6.
    public static func refreshToken(at endpoint: TokenEndpoint, scope: [String] = []) -> RefreshTokenGrant {
        RefreshTokenGrant(at: endpoint, scope: scope)
    }
}

extension [String] {
    fileprivate var asParameter: [String: String] { isEmpty ? [:] : ["scope": joined(separator: " ")] }
    fileprivate var shownAsScope: String { isEmpty ? "" : " for \(joined(separator: " "))" }
}
