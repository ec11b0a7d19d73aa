public import HTTPChainCore

/// Authenticates with a user's name and password, RFC 7617.
///
/// ```swift
/// let chain = try Chain(transport: transport) {
///     BasicAuthMiddleware(user: "ada", password: "lovelace", for: "https://api.example.com")
/// }
/// ```
///
/// The password is practically sent in clear text. It is therefore sent only over TLS, unless the origin is a loopback
/// address or `allowsPlaintext` is set, and only to the named origins. It is sent after the server responds with 401,
/// and from then on preemptively for all paths in the same directory or deeper. With `sending: .preemptively`, it is
/// sent with the first request. A ``CredentialProvider`` can supply different credentials for different realms and
/// prompt the user.
///
/// **Calls of the provider.** It is called once for all concurrent calls. Its credential is then kept and sent until
/// the server rejects it. After a rejection, the provider is called again, up to ``AuthenticationMiddleware``'s limit
/// per call. A ``StoredCredentialProvider`` is also called again after its store has changed in this process. If
/// another provider would now return a different credential, because the user has changed or signed out, call
/// ``forgetCredentials()``.
///
/// ```swift
/// let provider = ClosureCredentialProvider(for: "https://api.example.com") { space, rejected in
///     await ask("Password for \(space.realm ?? "the server")", again: rejected != nil)
/// }
/// let stage = BasicAuthMiddleware(provider)
/// ```
///
/// Non-ASCII characters are sent in UTF-8, in normalization form C, even if the challenge has no `charset="UTF-8"`. RFC
/// 7617 §2.1 leaves this choice to the client; `charset` changes it.
///
/// **Other schemes.** The stage answers only Basic challenges. If another stage has a stronger scheme, such as Digest,
/// that one is used if the server offers it. Preferably, put both in one ``AuthenticationMiddleware``.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/authenticate``: inside retries.
///
/// **Options.** `authentication(false)` and an `Authorization` field set by hand leave a request
/// unchanged. ``HTTPChainCore/Response/authenticationRefusal`` says why a 401 wasn't answered.
///
/// **Errors.** ``AuthenticationError``: the provider failed, or the credential can't be encoded.
public struct BasicAuthMiddleware: AuthenticationStage {
    package let authentication: AuthenticationMiddleware
    private let authenticator: BasicAuthenticator

    /// Authenticates one user at the given origins.
    ///
    /// - Parameters:
    ///   - user: The user's name, without a colon.
    ///   - password: The password.
    ///   - origins: The origins that may receive them: `"https://api.example.com"`, a `URL`, or several.
    ///   - sending: The rule for when credentials are sent. Defaults to after a challenge by the server.
    ///   - charset: The charset for non-ASCII characters if the server doesn't name one. Defaults to UTF-8.
    ///   - allowsPlaintext: Whether the password may be sent without TLS, readable by eavesdroppers (RFC 7617 §4).
    ///     Defaults to `false`.
    public init(
        user: String,
        password: Secret,
        for origins: some OriginSetConvertible,
        sending: BasicSending = .whenChallenged,
        charset: BasicCharset = .utf8,
        allowsPlaintext: Bool = false
    ) {
        self.init(
            .fixed(user: user, password: password, for: origins),
            sending: sending,
            charset: charset,
            allowsPlaintext: allowsPlaintext
        )
    }

    /// Authenticates users with credentials from a provider.
    ///
    /// - Parameters:
    ///   - provider: The source of credentials.
    ///   - sending: The rule for when credentials are sent. Defaults to after a challenge by the server.
    ///   - charset: The charset for non-ASCII characters if the server doesn't name one. Defaults to UTF-8.
    ///   - allowsPlaintext: Whether passwords may be sent without TLS, readable by eavesdroppers (RFC 7617 §4).
    ///     Defaults to `false`.
    ///   - proxy: The proxy's URL, to authenticate to a proxy (407). Defaults to none, for a server.
    public init(
        _ provider: any CredentialProvider,
        sending: BasicSending = .whenChallenged,
        charset: BasicCharset = .utf8,
        allowsPlaintext: Bool = false,
        proxy: String? = nil
    ) {
        authenticator = BasicAuthenticator(
            provider,
            sending: sending,
            charset: charset,
            allowsPlaintext: allowsPlaintext
        )
        authentication = AuthenticationMiddleware([authenticator], proxy: proxy, name: "BasicAuthMiddleware")
    }

    /// Authenticates one user to a proxy (407, `Proxy-Authorization`), for `http` requests, which the proxy can read.
    ///
    /// Use it only in a chain whose requests go through that proxy: any server that responds with 407 gets the
    /// password.
    ///
    /// - Parameters:
    ///   - user: The user's name, without a colon.
    ///   - password: The password.
    ///   - proxy: The proxy's URL: `"http://proxy.example.com:3128"`.
    ///   - sending: The rule for when credentials are sent. Defaults to after a challenge by the proxy.
    ///   - allowsPlaintext: Whether the password may be sent to a proxy without TLS, readable by eavesdroppers.
    ///     Defaults to `false`.
    public init(
        user: String,
        password: Secret,
        proxy: String,
        sending: BasicSending = .whenChallenged,
        allowsPlaintext: Bool = false
    ) {
        self.init(
            .fixed(user: user, password: password, for: proxy),
            sending: sending,
            allowsPlaintext: allowsPlaintext,
            proxy: proxy
        )
    }

    /// Whether a credential was sent to a server or a proxy, and hasn't been rejected since.
    ///
    /// Such a credential is sent preemptively with the next requests to the same paths. Basic has no session that a
    /// server could end.
    public var isSessionOpen: Bool { authenticator.isSessionOpen }

    /// Forgets all credentials, so that the next call asks the provider again, such as after a sign-out.
    ///
    /// Calls in flight may still use the credential that they have. It isn't stored again, and these calls aren't
    /// retried as another user.
    public func forgetCredentials() { authenticator.forgetCredentials() }

    /// Adds credentials, passes the request on, and answers challenges.
    ///
    /// - Throws: ``AuthenticationError``; rethrows errors of the inner stages.
    @inline(__always)  // Into the protocol's witness, which saves each call a frame.
    public nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        try await authentication.authenticate(request, next: next)
    }
}
