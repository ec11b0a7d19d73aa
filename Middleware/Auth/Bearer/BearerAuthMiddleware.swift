public import HTTPChainCore
import HTTPTypes

/// Sends a Bearer token with each request to its origins, and refreshes it.
///
/// ```swift
/// let endpoint = TokenEndpoint("https://auth.example.com/token", client: OAuthClient(id: "garden", secret: secret))
/// let chain = try Chain(transport: transport) {
///     BearerAuthMiddleware(.clientCredentials(at: endpoint), for: "https://api.example.com")
/// }
/// let response = try await chain.send(.get("https://api.example.com/plants"))
/// ```
///
/// An existing token is sent with the first request (RFC 6750 §2.1). If there is none, shortly before it expires, and
/// when the server rejects it, the stage requests another one from its ``AccessTokenProvider``. Concurrent calls share
/// one request. If a call was rejected with a token that has been refreshed meanwhile, it is just retried.
///
/// **Users** sign in and out with ``replaceToken(with:)``. A refresh started for the old token doesn't affect the new
/// one. A call that begins while a user is signed in belongs to that user. If the token is replaced or removed, the
/// call's 401 is returned, and each further request of the call (a retry, a redirect hop, the rest of a download)
/// throws ``/HTTPChainCore/UserChangedError``. One user's request is therefore never sent as another user. A call that
/// begins while nobody is signed in is sent as the user who signs in first.
///
/// **Refreshes.** The token is refreshed after a 401, unless the server says that another token would not help
/// (`invalid_request`, `insufficient_scope`). Many servers send no Bearer challenge, or no challenge at all; that
/// counts as `invalid_token`, unless the token is younger than the limit's interval. If a path also rejects a new
/// token, its 401s cause no further refresh during such an interval, so that it doesn't use up the refreshes of other
/// paths. A call is retried at most twice: with a newer token that is already in use, and with one fetched for it. If
/// that is rejected too, or the body can be read only once, the 401 is returned, and the response's
/// `authenticationRefusal` says why.
///
/// **Origins.** The token is sent to the named origins only. It isn't sent across redirects (the field is declared in
/// `OriginBoundFieldsNote`), nor without TLS unless the origin is a loopback address or `allowsPlaintext` is set. It
/// never replaces credentials that the caller set.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/authenticate``: inside retry, so that each attempt has a valid token.
///
/// **With other schemes.** This is an ``AuthenticationMiddleware`` with one ``BearerAuthenticator``. With several
/// authenticators, that stage chooses the strongest that the server accepts.
///
/// **Options.** `authentication(false)` sends a request without a token. On the response:
/// ``HTTPChainCore/Response/bearerChallenge`` and ``HTTPChainCore/Response/authenticationRefusal``.
///
/// **Errors.** ``AuthenticationError``, with the provider's error as its cause; ``/HTTPChainCore/UserChangedError``.
public struct BearerAuthMiddleware: AuthenticationStage {
    package let authentication: AuthenticationMiddleware
    private let authenticator: BearerAuthenticator

    /// Makes a stage that refreshes its token.
    ///
    /// ```swift
    /// BearerAuthMiddleware(.refreshToken(at: endpoint), for: origins, token: try await store.token(), saving: store)
    /// ```
    ///
    /// - Parameters:
    ///   - provider: The source of tokens.
    ///   - origins: The origins that may receive tokens.
    ///   - token: The initial token, such as one that was saved in the store earlier. Defaults to none.
    ///   - leeway: The time before expiration at which a token is refreshed, at most half the lifetime of a token that
    ///     the stage fetched. Defaults to 60 seconds. If the refresh fails, the token is used until it expires.
    ///   - limit: The limit on refreshes. Defaults to five in 30 seconds.
    ///   - allowsPlaintext: Whether tokens may be sent without TLS, readable by eavesdroppers (RFC 6750 §5.3). Defaults
    ///     to `false`.
    ///   - store: The store that saves each new token. A token is saved before it is used, because the server may
    ///     accept the previous refresh token only once. If saving fails, the waiting calls fail, and the next call
    ///     tries to save the token again. Defaults to none. Use ``TokenStore/calling(_:)`` for a closure.
    public init(
        _ provider: any AccessTokenProvider,
        for origins: some OriginSetConvertible,
        token: AccessToken? = nil,
        leeway: Duration = .seconds(60),
        limit: RefreshLimit = .standard,
        allowsPlaintext: Bool = false,
        saving store: (any TokenStore)? = nil
    ) {
        self.init(
            BearerAuthenticator(
                provider,
                for: origins,
                token: token,
                leeway: leeway,
                limit: limit,
                allowsPlaintext: allowsPlaintext,
                saving: store
            )
        )
    }

    /// Makes a stage with a token that isn't refreshed, such as an API key.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - origins: The origins that may receive it.
    ///   - allowsPlaintext: Whether it may be sent without TLS, readable by eavesdroppers (RFC 6750 §5.3). Defaults to
    ///     `false`.
    public init(token: Secret, for origins: some OriginSetConvertible, allowsPlaintext: Bool = false) {
        self.init(BearerAuthenticator(token: token, for: origins, allowsPlaintext: allowsPlaintext))
    }

    private init(_ authenticator: BearerAuthenticator) {
        self.authenticator = authenticator
        authentication = AuthenticationMiddleware(
            [authenticator],
            name: "BearerAuthMiddleware",
            purpose: "sends a Bearer token"
        )
    }

    /// The token in use, or `nil` if there is none.
    public var token: AccessToken? { authenticator.token }

    /// The number of calls that wait for a new token.
    package var waiterCount: Int { authenticator.waiterCount }

    /// Replaces the token, for example after a sign-in, or removes it, for example after a sign-out.
    ///
    /// Calls of the previous user end; see **Users**. To refresh the token of the same user, use a provider instead.
    /// The result of a refresh in flight for the old token is discarded. The token isn't passed to the store
    /// (`saving`).
    ///
    /// - Parameter token: The new token, or `nil` for none.
    public func replaceToken(with token: AccessToken?) {
        authenticator.replaceToken(with: token)
    }

    /// Adds the token, passes the request on, and retries it with a newer token if the server rejects it.
    ///
    /// - Throws: ``AuthenticationError``; `UserChangedError`; rethrows errors of the inner stages.
    @inline(__always)  // Into the protocol's witness, which saves each call a frame.
    public nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        try await authentication.authenticate(request, next: next)
    }
}
