import HTTPChainCore

/// Provides tokens for the client itself, without a user, RFC 6749 §4.4.
package struct ClientCredentialsGrant: AccessTokenProvider {
    private let endpoint: TokenEndpoint
    private let scope: [String]

    package init(at endpoint: TokenEndpoint, scope: [String] = []) {
        self.endpoint = endpoint
        self.scope = scope
    }

    /// The grant, the endpoint and the scope.
    package var summary: String { "client credentials at \(endpoint.description)" + scope.shownAsScope }

    /// Fetches a token, regardless of the old one.
    ///
    /// - Throws: ``OAuthError``; rethrows the transport's errors.
    package func accessToken(replacing old: AccessToken?, in context: RefreshContext) async throws -> AccessToken {
        try await endpoint.token(grantType: "client_credentials", parameters: scope.asParameter, in: context)
    }
}

/// Provides tokens using the previous token's refresh token, RFC 6749 §6.
package struct RefreshTokenGrant: AccessTokenProvider {
    private let endpoint: TokenEndpoint
    private let scope: [String]

    package init(at endpoint: TokenEndpoint, scope: [String] = []) {
        self.endpoint = endpoint
        self.scope = scope
    }

    /// The grant, the endpoint and the scope.
    package var summary: String { "refresh token at \(endpoint.description)" + scope.shownAsScope }

    /// Fetches a token with the old one's refresh token, which is kept unless the server sends another.
    ///
    /// - Throws: ``OAuthError`` (``OAuthError/Problem/noRefreshToken`` if there is none); the transport's errors.
    package func accessToken(replacing old: AccessToken?, in context: RefreshContext) async throws -> AccessToken {
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

extension AccessTokenProvider where Self == ClosureAccessTokenProvider {
    /// Tokens for the client itself, without a user, RFC 6749 §4.4.
    ///
    /// - Parameters:
    ///   - endpoint: The token endpoint.
    ///   - scope: The requested scope. Defaults to the server's choice.
    public static func clientCredentials(
        at endpoint: TokenEndpoint,
        scope: [String] = []
    ) -> ClosureAccessTokenProvider {
        ClosureAccessTokenProvider(grant: ClientCredentialsGrant(at: endpoint, scope: scope))
    }

    /// Tokens from the previous token's refresh token, RFC 6749 §6.
    ///
    /// The stage starts with the token of the sign-in, and each token has the refresh token for the next. A server may
    /// accept a refresh token only once, so the stage saves a new token (`saving`) before it is used, so that none is
    /// lost.
    ///
    /// - Parameters:
    ///   - endpoint: The token endpoint.
    ///   - scope: The requested scope. Defaults to the previous token's.
    public static func refreshToken(
        at endpoint: TokenEndpoint,
        scope: [String] = []
    ) -> ClosureAccessTokenProvider {
        ClosureAccessTokenProvider(grant: RefreshTokenGrant(at: endpoint, scope: scope))
    }
}

extension [String] {
    fileprivate var asParameter: [String: String] { isEmpty ? [:] : ["scope": joined(separator: " ")] }
    fileprivate var shownAsScope: String { isEmpty ? "" : " for \(joined(separator: " "))" }
}

extension ClientCredentialsGrant: RedactedDisplay {
    /// The same as ``summary``.
    package var description: String { summary }
}

extension RefreshTokenGrant: RedactedDisplay {
    /// The same as ``summary``.
    package var description: String { summary }
}
