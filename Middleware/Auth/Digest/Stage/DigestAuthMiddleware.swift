public import HTTPChainAuth
public import HTTPChainCore

/// Authenticates with a proof of the user's password, RFC 7616.
///
/// ```swift
/// let chain = try Chain(transport: transport) {
///     DigestAuthMiddleware(user: "ada", password: "lovelace", for: "https://api.example.com")
/// }
/// let response = try await chain.send(.put("https://api.example.com/reports/7", body: .file(report)))
/// ```
///
/// The password is never sent. The server sends a challenge once (401). Later requests have a preemptive answer, each
/// with the next count of the server's nonce. An expired nonce is replaced without requesting credentials. After a
/// rejection, the provider is called once more; if that credential is rejected too, the 401 is returned. Concurrent
/// calls share one call of the provider. A `StoredCredentialProvider` is also called again after its store has changed
/// in this process. If another provider would now return a different credential, because the user has changed or signed
/// out, call ``forgetCredentials()``.
///
/// **Algorithms.** SHA-512-256, SHA-256 and MD5 and their `-sess` forms, of RFC 7616, 2617 and 2069; and full SHA-512,
/// which is in no RFC but is used by some servers. If there are several challenges, the strongest is answered
/// (``DigestAlgorithm``). Unknown algorithms are skipped.
///
/// **Protection.** The method and the target are protected. The content is protected too (`auth-int`) if the server
/// offers nothing else, or if the ``DigestAuthenticator`` prefers it. The body is then read once before it is sent, and
/// the server's proof of its own content is verified as the response body is read. A body that can be read only once
/// isn't covered; if the server requires that, the call fails.
///
/// **The server's proof** (`rspauth`) is verified if present; see ``ServerProofPolicy`` and
/// ``HTTPChainCore/Response/serverProof``. If the transport drops trailers, a proof in them is lost.
///
/// **Preemptive answers** are sent to the whole origin, or to the URLs in the challenge's `domain`. Other origins in
/// that list are used only if the provider is bound to them too.
///
/// **Non-ASCII names and passwords** are sent in UTF-8, in normalization form C if the server sends `charset=UTF-8`. In
/// that case the name is sent as `username*`, otherwise in quotes, as older servers expect. `userhash=true` hides the
/// name.
///
/// **Proxies.** With `proxy:`, the stage answers the challenges of 407 responses to `http` requests. The `uri` is then
/// the whole URL, as on the request line to a proxy (RFC 9112 §3.2.2). For servers, it is the request's path and query.
/// A transport that changes them invalidates the proof: URLSession resolves `.` and `..` in a path, which a URL builder
/// removes anyway.
///
/// **Limits.** 2 KiB each for realm, nonce and opaque; 64 URLs in a `domain`; 64 protection spaces with 64 nonces each.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/authenticate``: inside retries, so that each attempt has its own count, and
/// inside gzip, because the content is protected as sent.
///
/// **Options.** `authentication(false)` and an `Authorization` field set by hand
/// leave a request unchanged. ``/HTTPChainAuth/HTTPChainCore/Response/authenticationRefusal`` says why a 401 wasn't
/// answered.
///
/// **Errors.** ``/HTTPChainAuth/AuthenticationError``: the provider failed, the server's proof is wrong, or content
/// that can be read only once must be protected; rethrows errors from reading the body.
public struct DigestAuthMiddleware: AuthenticationStage {
    package let authentication: AuthenticationMiddleware
    private let authenticator: DigestAuthenticator

    /// Authenticates one user at the given origins.
    ///
    /// - Parameters:
    ///   - user: The user's name.
    ///   - password: The password.
    ///   - origins: The origins that may receive proofs of it: `"https://api.example.com"`.
    public init(user: String, password: Secret, for origins: some OriginSetConvertible) {
        self.init(.fixed(user: user, password: password, for: origins))
    }

    /// Authenticates users with credentials from a provider.
    ///
    /// ```swift
    /// let proxy = "http://proxy.example.com:3128"
    /// DigestAuthMiddleware(.fixed(user: "ada", password: "lovelace", for: proxy), proxy: proxy)
    /// ```
    ///
    /// - Parameters:
    ///   - provider: The source of credentials.
    ///   - proxy: The proxy's URL, to authenticate to a proxy (407, `Proxy-Authorization`). Defaults to none, for a
    ///     server.
    public init(_ provider: any CredentialProvider, proxy: String? = nil) {
        self.init(DigestAuthenticator(provider), proxy: proxy)
    }

    /// Authenticates with a custom authenticator.
    ///
    /// - Parameters:
    ///   - authenticator: The authenticator that creates the answers.
    ///   - proxy: The proxy's URL, to authenticate to a proxy. Defaults to none, for a server.
    public init(_ authenticator: DigestAuthenticator, proxy: String? = nil) {
        self.authenticator = authenticator
        authentication = AuthenticationMiddleware([authenticator], proxy: proxy, name: DigestAuthenticator.stageName)
    }

    /// Forgets all credentials, so that the next call asks the provider again, such as after a sign-out.
    ///
    /// Calls in flight may still use the credential that they have. It isn't stored again, and these calls aren't
    /// retried as another user.
    public func forgetCredentials() { authenticator.forgetCredentials() }
}
