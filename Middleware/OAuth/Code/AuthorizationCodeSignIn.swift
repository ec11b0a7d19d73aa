public import HTTPChainAuth
public import HTTPChainCore

/// Signs a user in with a browser: the authorization code grant with PKCE, RFC 6749 §4.1, RFC 7636 and RFC 8252.
///
/// ```swift
/// let metadata = try await AuthorizationServerMetadata.discover("https://auth.example.com", over: transport)
/// let signIn = try AuthorizationCodeSignIn(metadata, client: OAuthClient(id: "garden"), scope: ["plants"])
/// let token = try await signIn.token(by: LoopbackAgent { url in print("Open \(url)") }, over: transport)
/// try await store.save(token)
/// ```
///
/// The code is exchanged with the proof key (S256 alone) and the redirect URI of the request that it was asked with. What
/// comes back with another `state`, of another issuer (RFC 9207), or with an error, is a ``SignInError``; what the token
/// endpoint refuses, such as a code that was used before, an `OAuthError`.
public struct AuthorizationCodeSignIn: Sendable {
    private let authorizationEndpoint: String
    private let endpoint: TokenEndpoint
    private let scope: [String]
    private let parameters: [String: String]
    private let issuer: String?
    private let namesIssuer: Bool

    /// Describes a sign-in at a server whose endpoints are known.
    ///
    /// - Parameters:
    ///   - authorizationEndpoint: What the browser opens; https, or a loopback address.
    ///   - endpoint: Where the code is exchanged; its client is who asks.
    ///   - scope: What the token is to be good for; what the server thinks fit by default.
    ///   - parameters: What else the authorization request says, such as `prompt`; nothing by default.
    ///   - issuer: The server's name, if it is known (RFC 9207).
    public init(
        authorizingAt authorizationEndpoint: String,
        tokensAt endpoint: TokenEndpoint,
        scope: [String] = [],
        parameters: [String: String] = [:],
        issuer: String? = nil
    ) {
        self.authorizationEndpoint = authorizationEndpoint
        self.endpoint = endpoint
        self.scope = scope
        self.parameters = parameters
        self.issuer = issuer
        namesIssuer = false
    }

    /// Describes a sign-in at a server that says where its endpoints are.
    ///
    /// - Parameters:
    ///   - metadata: What the server says.
    ///   - client: Who asks.
    ///   - scope: What the token is to be good for; what the server thinks fit by default.
    ///   - parameters: What else the authorization request says, such as `prompt`; nothing by default.
    /// - Throws: ``SignInError`` when the server names no such endpoint, or says that it does not know S256.
    public init(
        _ metadata: AuthorizationServerMetadata,
        client: OAuthClient,
        scope: [String] = [],
        parameters: [String: String] = [:]
    ) throws(SignInError) {
        authorizationEndpoint = try metadata.endpoint(\.authorizationEndpoint, "authorization_endpoint")
        endpoint = try metadata.tokenEndpoint(client: client)
        if let methods = metadata.codeChallengeMethods, !methods.contains("S256") {
            throw SignInError(.unusableMetadata("it does not know the code challenge method S256"))
        }
        self.scope = scope
        self.parameters = parameters
        issuer = metadata.issuer
        namesIssuer = metadata.namesIssuerInCallback
    }

    /// One request, for an application that opens the browser itself.
    ///
    /// - Parameters:
    ///   - redirectURI: Where the browser comes back to.
    ///   - random: Where `state` and proof key come from; the system's generator by default.
    /// - Throws: ``SignInError``.
    public func request(
        redirectURI: String,
        random: any RandomSource = SystemRandom()
    ) throws(SignInError) -> AuthorizationRequest {
        try AuthorizationRequest(
            to: authorizationEndpoint,
            clientID: endpoint.client.id,
            redirectURI: redirectURI,
            scope: scope,
            parameters: parameters,
            issuer: issuer,
            namesIssuer: namesIssuer,
            random: random
        )
    }

    /// The token for what the browser came back with.
    ///
    /// - Parameters:
    ///   - callback: The URL that the browser came back with, whole.
    ///   - request: The request that it was opened with.
    ///   - context: Time and chance, and the transport where the token endpoint has none of its own.
    /// - Throws: ``SignInError``, `OAuthError`; what sending throws.
    public func token(
        for callback: String,
        of request: AuthorizationRequest,
        in context: RefreshContext
    ) async throws -> AccessToken {
        try await endpoint.token(
            grantType: "authorization_code",
            parameters: [
                "code": try request.code(in: callback).revealed,
                "redirect_uri": request.redirectURI,
                "code_verifier": request.proofKey.verifier.revealed,
            ],
            in: context
        )
    }

    /// Has the user sign in, and returns the token.
    ///
    /// - Parameters:
    ///   - agent: What shows the page to the user.
    ///   - transport: What carries the request to the token endpoint, where it has no transport of its own.
    ///   - environment: Time and chance; the system's by default.
    /// - Throws: ``SignInError``, `OAuthError`; what the agent and sending throw; `CancellationError`.
    public func token(
        by agent: some AuthorizationAgent,
        over transport: any Transport,
        environment: ChainEnvironment = .live
    ) async throws -> AccessToken {
        let (request, callback) = try await agent.authorize { redirectURI in
            try self.request(redirectURI: redirectURI, random: environment.random)
        }
        return try await token(
            for: callback,
            of: request,
            in: RefreshContext(over: transport, environment: environment)
        )
    }
}
