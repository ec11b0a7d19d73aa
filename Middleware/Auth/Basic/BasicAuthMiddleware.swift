public import HTTPChainCore

/// Authenticates with a user's name and password, RFC 7617.
///
/// ```swift
/// let chain = try Chain(transport: transport) {
///     BasicAuthMiddleware(user: "ada", password: "lovelace", for: "https://api.example.com")
/// }
/// ```
///
/// The password is sent as good as in clear, so only over TLS, unless the origin is a loopback address or
/// `allowsPlaintext` is set. It goes to the origins named and to no other. It is sent when the server asks (401), and
/// from then on preemptively, with all paths that are in the same directory or deeper;
/// with `sending: .preemptively`, from the first request on. A ``CredentialProvider`` gives other credentials to other realms
/// and asks people; calls at the same time ask it once, and a credential that is rejected is asked for again, at most
/// ``AuthenticationMiddleware``'s number of times in one call.
///
/// ```swift
/// let provider = ClosureCredentialProvider(for: "https://api.example.com") { space, rejected in
///     await ask("Password for \(space.realm ?? "the server")", again: rejected != nil)
/// }
/// let stage = BasicAuthMiddleware(provider)
/// ```
///
/// Characters beyond ASCII are sent in UTF-8 in normalization form C, also where the challenge has no
/// `charset="UTF-8"`, unless `charset` says otherwise (RFC 7617 §2.1 leaves it to the client).
///
/// **Other schemes.** The stage answers Basic alone. With a stage of a stronger scheme in the same chain, such as
/// digest, the stronger one is used where the server offers it; best put both in one ``AuthenticationMiddleware``.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/authenticate``: inside retries.
///
/// **Options.** ``HTTPChainCore/Request/unauthenticated()`` leaves a request alone; so does an `Authorization` field
/// that was set by hand. ``HTTPChainCore/Response/authenticationRefusal`` says why a 401 was left as the response.
///
/// **Errors.** ``AuthenticationError``: the provider failed, or the name holds a colon or a control character.
public struct BasicAuthMiddleware: AuthenticationStage {
    package let authentication: AuthenticationMiddleware

    /// One user for the origins named.
    ///
    /// - Parameters:
    ///   - user: The user's name, without a colon.
    ///   - password: The password.
    ///   - origins: Where they may go: `"https://api.example.com"`, a `URL`, or several.
    ///   - sending: When they are sent; when the server has asked by default.
    ///   - charset: How characters beyond ASCII are sent to a server that does not say; UTF-8 by default.
    ///   - allowsPlaintext: Whether the password may be sent without TLS, to be read by whoever listens (RFC 7617 §4);
    ///     `false` by default.
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

    /// Users whom a provider knows.
    ///
    /// - Parameters:
    ///   - provider: Where credentials come from.
    ///   - sending: When they are sent; when the server has asked by default.
    ///   - charset: How characters beyond ASCII are sent to a server that does not say; UTF-8 by default.
    ///   - allowsPlaintext: Whether passwords may be sent without TLS, to be read by whoever listens (RFC 7617 §4);
    ///     `false` by default.
    public init(
        _ provider: some CredentialProvider,
        sending: BasicSending = .whenChallenged,
        charset: BasicCharset = .utf8,
        allowsPlaintext: Bool = false
    ) {
        let authenticator = BasicAuthenticator(
            provider,
            sending: sending,
            charset: charset,
            allowsPlaintext: allowsPlaintext
        )
        self.init(authenticator, proxy: nil)
    }

    /// One user of a proxy (407, `Proxy-Authorization`); for `http` requests, which a proxy reads.
    ///
    /// Only for a chain whose requests do go through that proxy: whatever answers 407 gets the password.
    ///
    /// - Parameters:
    ///   - user: The user's name, without a colon.
    ///   - password: The password.
    ///   - proxy: The proxy's URL: `"http://proxy.example.com:3128"`.
    ///   - sending: When they are sent; when the proxy has asked by default.
    ///   - allowsPlaintext: Whether the password may be sent to a proxy that is not reached over TLS, to be read by
    ///     whoever listens on the way to it; `false` by default.
    public init(
        user: String,
        password: Secret,
        proxy: String,
        sending: BasicSending = .whenChallenged,
        allowsPlaintext: Bool = false
    ) {
        let provider = FixedCredential(Credential(user: user, password: password), for: OriginSet(urls: [proxy]))
        self.init(
            BasicAuthenticator(provider, sending: sending, allowsPlaintext: allowsPlaintext),
            proxy: proxy
        )
    }

    private init(_ authenticator: BasicAuthenticator, proxy: String?) {
        authentication = AuthenticationMiddleware(
            [authenticator],
            proxy: proxy,
            maximumAnswers: 3,
            name: "BasicAuthMiddleware"
        )
    }

    /// Adds credentials, passes the request on, and answers challenges.
    ///
    /// - Throws: ``AuthenticationError``; what the stages inside throw.
    @inline(__always)  // Into the protocol's witness, which saves each call a frame.
    public func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        try await authentication.authenticate(request, next: next)
    }
}
