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
/// The code is exchanged for a token, with the request's proof key (S256 only) and redirect URI. A callback with
/// another `state`, from another issuer (RFC 9207), or with an error throws ``SignInError``. If the token endpoint
/// refuses, for example because the code has been used, `OAuthError` is thrown.
public struct AuthorizationCodeSignIn: Sendable {
    private let authorizationEndpoint: String
    private let endpoint: TokenEndpoint
    private let scope: [String]
    private let parameters: [String: String]
    private let issuer: String?
    private let namesIssuer: Bool

    /// Describes a sign-in with known endpoints.
    ///
    /// - Parameters:
    ///   - authorizationEndpoint: The URL that the browser opens; https, or a loopback address.
    ///   - endpoint: The token endpoint, whose client exchanges the code.
    ///   - scope: The requested scope. Defaults to the server's choice.
    ///   - parameters: The additional parameters of the authorization request, such as `prompt`. Defaults to none.
    ///   - issuer: The server's name, if known (RFC 9207).
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

    /// Describes a sign-in with a server's published endpoints.
    ///
    /// - Parameters:
    ///   - metadata: The server's metadata.
    ///   - client: The client that requests the token.
    ///   - scope: The requested scope. Defaults to the server's choice.
    ///   - parameters: The additional parameters of the authorization request, such as `prompt`. Defaults to none.
    /// - Throws: ``SignInError`` if the metadata lacks an endpoint, or lists methods without S256.
    public init(
        _ metadata: AuthorizationServerMetadata,
        client: OAuthClient,
        scope: [String] = [],
        parameters: [String: String] = [:]
    ) throws(SignInError) {
        authorizationEndpoint = try metadata.endpoint(\.authorizationEndpoint, "authorization_endpoint")
        endpoint = try metadata.tokenEndpoint(client: client)
        if let methods = metadata.codeChallengeMethods, !methods.contains("S256") {
            throw SignInError(.unusableMetadata("it does not support the code challenge method S256"))
        }
        self.scope = scope
        self.parameters = parameters
        issuer = metadata.issuer
        namesIssuer = metadata.namesIssuerInCallback
    }

    /// Makes a request, for an application that opens the browser itself.
    ///
    /// - Parameters:
    ///   - redirectURI: The URI of the browser's callback.
    ///   - random: The source of `state` and the proof key. Defaults to the system's generator.
    /// - Throws: ``SignInError``.
    public func request(
        redirectURI: String,
        random: any RandomSource = ChainEnvironment.live.random
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

    /// Returns the token for the browser's callback.
    ///
    /// - Parameters:
    ///   - callback: The complete URL of the callback.
    ///   - request: The request that the browser was opened with.
    ///   - context: The clock and random numbers, and the transport if the token endpoint has none.
    /// - Throws: ``SignInError``, `OAuthError`; rethrows the transport's errors.
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

    /// Signs the user in, and returns the token.
    ///
    /// - Parameters:
    ///   - agent: The agent that shows the page to the user.
    ///   - transport: The transport for the token endpoint, if it has none.
    ///   - environment: The clock and random numbers. Defaults to the system's.
    /// - Throws: ``SignInError``, `OAuthError`; rethrows errors of the agent and the transport; `CancellationError`.
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

extension AuthorizationCodeSignIn: RedactedDisplay, DescribedValue {
    /// The endpoints' URLs, with secrets redacted.
    package var words: String {
        "sign-in at \(Redaction.standard.url(authorizationEndpoint)), with tokens from \(endpoint)"
    }
}
