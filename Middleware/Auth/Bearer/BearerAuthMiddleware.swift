public import HTTPChainCore
import HTTPTypes

/// Sends a Bearer token with each request to the origins that it is for, and refreshes it.
///
/// ```swift
/// let endpoint = TokenEndpoint("https://auth.example.com/token", client: OAuthClient(id: "garden", secret: secret))
/// let chain = try Chain(transport: transport) {
///     BearerAuthMiddleware(.clientCredentials(at: endpoint), for: "https://api.example.com")
/// }
/// let response = try await chain.send(.get("https://api.example.com/plants"))
/// ```
///
/// A token that is there is sent with the first request (RFC 6750 §2.1). Without one, shortly before it expires, and
/// when the server rejects it, the stage asks its ``AccessTokenProvider`` for another: once, however many calls need
/// one at the same time. A call that was rejected with an older token than the one in use is only sent again.
///
/// A user signs in and out with ``replaceToken(with:)``. A refresh that was begun for the old token does not touch
/// the new one.
///
/// **What is refreshed.** A 401 is, unless the server says that another token would not help (`invalid_request`,
/// `insufficient_scope`). Many servers send no Bearer challenge, or none at all; that counts as `invalid_token`, but not
/// for a token that is younger than the interval of the limit. A path that rejects a new token, too, causes no other
/// refresh for that long, so that it does not use up those of other paths. A call is sent again once with the newest
/// token. When that is rejected too, or the body can be read only once, the
/// caller gets the 401, and `authenticationRefusal` of the response says why.
///
/// **Where it goes.** To the origins named and nowhere else: not by a redirect (the field is declared in
/// ``/HTTPChainCore/OriginBoundFields``), not without TLS unless the origin is a loopback address or `allowsPlaintext`
/// is set, and not in place of credentials that the caller set by hand.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/authenticate``: inside retry, so that each attempt has a valid token.
///
/// **With other schemes.** This is an ``AuthenticationMiddleware`` with one ``BearerAuthenticator``; with several it
/// chooses the strongest that the server takes.
///
/// **Options.** `unauthenticated()` sends a request without a token. On the response,
/// ``HTTPChainCore/Response/bearerChallenge`` and ``AuthenticationRefusalOption``.
///
/// **Errors.** ``BearerAuthError``, with the provider's error as its cause.
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
    ///   - provider: Where tokens come from.
    ///   - origins: Where they may go.
    ///   - token: The token to begin with, such as one that the store has kept since the last start; none by default.
    ///   - leeway: How long before its end a token is refreshed, 60 seconds by default; of a token that lives shorter
    ///     than twice that, half its life. A token that could not be refreshed is used to its end.
    ///   - limit: How often tokens are refreshed; five times in 30 seconds by default.
    ///   - allowsPlaintext: Whether tokens may be sent without TLS, to be read by whoever listens (RFC 6750 §5.3);
    ///     `false` by default.
    ///   - store: Keeps each new token before it is used, because the server may take the refresh token before it only
    ///     once; when it throws, the calls that wait fail, and the next one tries to save the token again. None by
    ///     default. ``TokenStore/calling(_:)`` makes one of a closure.
    public init(
        _ provider: some AccessTokenProvider,
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

    /// Makes a stage with a token that is not refreshed, such as an API key.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - origins: Where it may go.
    ///   - allowsPlaintext: Whether it may be sent without TLS, to be read by whoever listens (RFC 6750 §5.3); `false`
    ///     by default.
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

    /// The token in use; `nil` when there is none yet, or no longer.
    public var token: AccessToken? { authenticator.token }

    /// The number of calls that wait for a new token.
    package var waiterCount: Int { authenticator.waiterCount }

    /// Takes another token into use, as after a sign-in, or ends the use of the one there is, as after a sign-out.
    ///
    /// A refresh that runs meanwhile was begun for the old token: what it brings is thrown away. The token is not handed
    /// to `saving`.
    ///
    /// - Parameter token: The token; `nil` for none.
    public func replaceToken(with token: AccessToken?) {
        authenticator.replaceToken(with: token)
    }

    /// Adds the token, passes the request on, and sends it again with a newer token when the server rejects it.
    ///
    /// - Throws: ``BearerAuthError``; what the stages inside throw.
    @inline(__always)  // Into the protocol's witness, which saves each call a frame.
    public func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        try await authentication.authenticate(request, next: next)
    }
}
