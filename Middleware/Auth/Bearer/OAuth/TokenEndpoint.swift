public import HTTPChainCore

/// The endpoint at which an authorization server issues tokens, RFC 6749 §3.2.
///
/// ```swift
/// let endpoint = TokenEndpoint("https://auth.example.com/token", client: OAuthClient(id: "garden", secret: secret))
/// let auth = BearerAuthMiddleware(.clientCredentials(at: endpoint), for: "https://api.example.com")
/// ```
///
/// The providers `.clientCredentials` and `.refreshToken` use it. For other grants, such as the authorization code at the
/// end of a sign-in, call ``token(grantType:parameters:in:)``:
///
/// ```swift
/// let token = try await endpoint.token(
///     grantType: "authorization_code",
///     parameters: ["code": code, "redirect_uri": redirectURI, "code_verifier": verifier],
///     in: RefreshContext(over: transport)
/// )
/// ```
public struct TokenEndpoint: Sendable {
    private let endpoint: OAuthEndpoint
    private let parameters: [String: String]
    private var tokenTypes = ["Bearer"]

    /// The endpoint's URL.
    package var url: String { endpoint.url }
    /// The client that requests tokens.
    package var client: OAuthClient { endpoint.client }

    /// Describes an endpoint.
    ///
    /// - Parameters:
    ///   - url: The endpoint's URL; https, or a loopback address.
    ///   - client: The client that requests tokens.
    ///   - transport: The transport for requests. Defaults to the inner stages of the authentication stage.
    ///   - parameters: The additional parameters of every request, such as `audience` or `resource` (RFC 8707).
    ///     Defaults to none.
    ///   - replyLimit: The maximum size of a response. Defaults to 64 KiB.
    ///   - allowsPlaintext: Whether the endpoint may be reached without TLS, exposing secrets to eavesdroppers.
    ///     Defaults to `false`.
    public init(
        _ url: String,
        client: OAuthClient,
        over transport: (any Transport)? = nil,
        parameters: [String: String] = [:],
        replyLimit: ByteCount = .kibibytes(64),
        allowsPlaintext: Bool = false
    ) {
        self.parameters = parameters
        endpoint = OAuthEndpoint(
            url,
            client: client,
            over: transport,
            replyLimit: replyLimit,
            allowsPlaintext: allowsPlaintext
        )
    }

    /// Returns the endpoint with additional token types, for a server that has another name for Bearer tokens.
    ///
    /// ```swift
    /// let endpoint = TokenEndpoint("https://auth.example.com/token", client: OAuthClient(id: "garden"))
    ///     .accepting(tokenTypes: "BearerToken")
    /// ```
    ///
    /// By default, only `Bearer` or a response without `token_type` is accepted. Another type throws
    /// ``OAuthError/Problem/unsupportedTokenType(_:)``, because a client must not use a token of an unsupported type
    /// (RFC 6749 §7.1).
    ///
    /// - Parameter types: The values of `token_type`, ignoring letter case. Their tokens are sent by the Bearer scheme.
    public func accepting(tokenTypes types: String...) -> TokenEndpoint {
        var endpoint = self
        endpoint.tokenTypes += types
        return endpoint
    }

    /// Requests a token.
    ///
    /// Redirects aren't followed, regardless of the chain, because they would send the request's secrets elsewhere.
    ///
    /// The token's lifetime starts when it is requested. With an `expires_in` of 0 or less, the token has already
    /// expired (RFC 6749 §5.1: the lifetime in seconds). It is sent with the call that it was fetched for, and the next
    /// call fetches another, up to the stage's ``RefreshLimit``. For a server that uses 0 for "never", write an
    /// ``AccessTokenProvider`` that recreates the ``AccessToken`` without an expiration.
    ///
    /// - Parameters:
    ///   - grantType: The grant type, such as `client_credentials`.
    ///   - parameters: The grant's parameters, which take precedence over the endpoint's own.
    ///   - context: The clock and random numbers, and the transport if the endpoint has none.
    /// - Returns: The token. Its scope is the requested one unless the response has another. Its refresh token is the
    ///   one that was sent (`refresh_token`) unless the response has a new one.
    /// - Throws: ``OAuthError``; rethrows the transport's errors.
    public func token(
        grantType: String,
        parameters: [String: String] = [:],
        in context: RefreshContext
    ) async throws -> AccessToken {
        let parameters = self.parameters.merging(parameters) { _, ours in ours }
            .merging(["grant_type": grantType]) { _, ours in ours }
        let date = context.environment.time.date
        let reply = try await endpoint.post(parameters, in: context)
        return try reply.token(for: parameters, at: date, ofTypes: tokenTypes)
    }

    /// Requests a token with the old one's refresh token, which is kept unless the server sends another, RFC 6749 §6.
    ///
    /// - Throws: ``OAuthError`` (``OAuthError/Problem/noRefreshToken`` if there is none); the transport's errors.
    fileprivate func token(
        replacing old: AccessToken?,
        scope: [String],
        in context: RefreshContext
    ) async throws -> AccessToken {
        guard let old, let refreshToken = old.refreshToken else { throw OAuthError(.noRefreshToken) }
        var parameters = scope.asParameter
        parameters["refresh_token"] = refreshToken.revealed
        let token = try await self.token(grantType: "refresh_token", parameters: parameters, in: context)
        guard token.scope.isEmpty, !old.scope.isEmpty else { return token }
        return AccessToken(
            token.value,
            expiration: token.expiration,
            refreshToken: token.refreshToken,
            scope: old.scope
        )
    }
}

extension TokenEndpoint: RedactedDisplay, DescribedValue {
    /// The URL, with secrets redacted.
    package var words: String { Redaction.standard.url(url) }
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
        ClosureAccessTokenProvider(summary: "client credentials at \(endpoint)\(scope.shownAsScope)") { _, context in
            try await endpoint.token(grantType: "client_credentials", parameters: scope.asParameter, in: context)
        }
    }

    /// Tokens from the previous token's refresh token, RFC 6749 §6.
    ///
    /// The stage starts with the token of the sign-in, and each token has the refresh token for the next. A server may
    /// accept a refresh token only once. The stage therefore saves each new token (`saving`) before it is used, so that
    /// none is lost.
    ///
    /// - Parameters:
    ///   - endpoint: The token endpoint.
    ///   - scope: The requested scope. Defaults to the previous token's.
    public static func refreshToken(
        at endpoint: TokenEndpoint,
        scope: [String] = []
    ) -> ClosureAccessTokenProvider {
        ClosureAccessTokenProvider(summary: "refresh token at \(endpoint)\(scope.shownAsScope)") { old, context in
            try await endpoint.token(replacing: old, scope: scope, in: context)
        }
    }
}

extension [String] {
    fileprivate var asParameter: [String: String] { isEmpty ? [:] : ["scope": joined(separator: " ")] }
    fileprivate var shownAsScope: String { isEmpty ? "" : " for \(joined(separator: " "))" }
}
