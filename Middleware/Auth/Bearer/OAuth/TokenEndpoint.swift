public import Foundation
public import HTTPChainCore

/// The endpoint at which an authorization server issues tokens, RFC 6749 §3.2.
///
/// ```swift
/// let endpoint = TokenEndpoint("https://auth.example.com/token", client: OAuthClient(id: "garden", secret: secret))
/// let auth = BearerAuthMiddleware(ClientCredentialsGrant(at: endpoint), for: "https://api.example.com")
/// ```
///
/// ``ClientCredentialsGrant`` and ``RefreshTokenGrant`` ask it; a grant of another kind does so with
/// ``token(grantType:parameters:in:)``, such as that of an authorization code at the end of a sign-in:
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
    public var url: String { endpoint.url }
    /// The client that asks.
    public var client: OAuthClient { endpoint.client }

    /// Describes an endpoint.
    ///
    /// - Parameters:
    ///   - url: The endpoint's URL; https, or a loopback address.
    ///   - client: Who asks.
    ///   - transport: What carries the requests; by default the stages inside the authentication stage.
    ///   - parameters: What else every request says, such as `audience` or `resource` (RFC 8707); nothing by default.
    ///   - replyLimit: How much of a reply is read; 64 KiB by default.
    ///   - allowsPlaintext: Whether the endpoint may be reached without TLS, where secrets are read by whoever listens;
    ///     `false` by default.
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

    /// Describes an endpoint by a URL of Foundation's; see ``init(_:client:over:parameters:replyLimit:allowsPlaintext:)``.
    public init(
        _ url: URL,
        client: OAuthClient,
        over transport: (any Transport)? = nil,
        parameters: [String: String] = [:],
        replyLimit: ByteCount = .kibibytes(64),
        allowsPlaintext: Bool = false
    ) {
        self.init(
            url.absoluteString,
            client: client,
            over: transport,
            parameters: parameters,
            replyLimit: replyLimit,
            allowsPlaintext: allowsPlaintext
        )
    }

    /// Returns the endpoint with further token types accepted, for a server that gives Bearer tokens another name.
    ///
    /// ```swift
    /// let endpoint = TokenEndpoint("https://auth.example.com/token", client: OAuthClient(id: "garden"))
    ///     .accepting(tokenTypes: "BearerToken")
    /// ```
    ///
    /// By default `Bearer` alone is accepted, and a reply without `token_type`; another type is
    /// ``OAuthError/Problem/unsupportedTokenType(_:)``, because a client must not use a token whose type it does not
    /// understand (RFC 6749 §7.1).
    ///
    /// - Parameter types: The values of `token_type`, in any letter case; their tokens are sent by the scheme Bearer.
    public func accepting(tokenTypes types: String...) -> TokenEndpoint {
        var endpoint = self
        endpoint.tokenTypes += types
        return endpoint
    }

    /// Asks for a token.
    ///
    /// A redirect is not followed, over whatever chain the request goes: it would take the secrets in it to another
    /// place.
    ///
    /// The token's life is counted from when it was asked for. A reply with `expires_in` 0, or less, is taken literally
    /// (RFC 6749 §5.1: the lifetime in seconds): the token has expired, is sent with the call that it was fetched for,
    /// and the next call fetches another, up to the stage's ``RefreshLimit``. For a server that means "never" by it,
    /// write an ``AccessTokenProvider`` that makes the ``AccessToken`` again without an expiration.
    ///
    /// - Parameters:
    ///   - grantType: On what ground, such as `client_credentials`.
    ///   - parameters: What belongs to the grant; it goes before the endpoint's own parameters.
    ///   - context: Time and random numbers, and the transport where the endpoint has none of its own.
    /// - Returns: The token; its scope is the one asked for unless the reply names another, its refresh token the one
    ///   given in `refresh_token` unless there is a new one.
    /// - Throws: ``OAuthError``; what sending throws.
    public func token(
        grantType: String,
        parameters: [String: String] = [:],
        in context: RefreshContext
    ) async throws -> AccessToken {
        let parameters = self.parameters.merging(parameters) { _, ours in ours }
            .merging(["grant_type": grantType]) { _, ours in ours }
        let question = TokenReply.Question(
            date: context.environment.time.date,
            scope: parameters["scope"]?.pieces(at: " ").map(String.init) ?? [],
            refreshToken: parameters["refresh_token"].map { Secret($0) },
            tokenTypes: tokenTypes,
            secrets: endpoint.secrets(in: parameters)
        )
        let reply = try await endpoint.post(parameters, in: context)
        switch TokenReply.token(status: reply.status, content: reply.content, to: question) {
        case .success(let token): return token
        case .failure(let failure): throw OAuthError(failure.problem, exchange: reply.exchange)
        }
    }
}

extension TokenEndpoint: CustomStringConvertible {
    /// The URL, secrets redacted.
    public var description: String { Redaction.standard.url(url) }
}
