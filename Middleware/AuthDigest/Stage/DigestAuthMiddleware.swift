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
/// The password is never sent. The server asks once (401); later requests carry a preemptive answer, each with the next
/// count of the server's nonce. A nonce that has expired is replaced without asking anybody for credentials. A
/// credential that is refused is asked for once more; then the 401 is the response. Calls at the same time ask the
/// provider once.
///
/// **Algorithms.** SHA-512-256, SHA-256 and MD5, and their `-sess` forms, of RFC 7616, 2617 and 2069; SHA-512 in
/// full, which is in no RFC but spoken by some servers. Of several challenges the strongest is answered
/// (``DigestAlgorithm``), unknown ones are passed over.
///
/// **What is protected.** The method and the target. The content is protected too (`auth-int`) if the server offers
/// nothing else, or if the ``DigestAuthenticator`` prefers it: the body is then read once more before it is sent, and the
/// server's proof of its own content is verified as that is read. A body that can be read only once is not covered; if
/// the server demands it, that is an error.
///
/// **The server's proof** (`rspauth`) is verified where there is one; see ``ServerProofPolicy`` and
/// ``HTTPChainCore/Response/serverProof``. A transport that hands on no trailers hands on no proof in them either.
///
/// **Where answers are sent preemptively.** To all of the origin that asked, or to what the challenge's `domain` lists. Other
/// origins in that list count only where the provider is bound to them as well.
///
/// **Names and passwords beyond ASCII** are sent in UTF-8, in normalization form C where the server says `charset=UTF-8`.
/// With it such a name goes as `username*`; without it in quotes, as older servers want it. `userhash=true` hides
/// the name.
///
/// **Proxies.** With `proxy:` it answers 407, for `http` requests. The `uri` is then the whole URL, as on the request
/// line to a proxy (RFC 9112 §3.2.2); to servers it is path and query as the request has them. A transport that changes
/// those breaks the proof: URLSession resolves `.` and `..` in a path, which a URL builder leaves none of.
///
/// **Limits.** Realm, nonce and opaque of 2 KiB each, 64 URLs in a `domain`, 64 protection spaces with 64 nonces each.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/authenticate``: inside retries, so that each attempt has a count of its own,
/// and inside gzip, because the content is protected as it is sent.
///
/// **Options.** ``/HTTPChainAuth/HTTPChainCore/Request/unauthenticated()`` leaves a request alone; so does an `Authorization` field
/// that was set by hand. ``/HTTPChainAuth/HTTPChainCore/Response/authenticationRefusal`` says why a 401 was left as the
/// response.
///
/// **Errors.** ``/HTTPChainAuth/AuthenticationError``: the provider failed, the server's proof is wrong, or content
/// that can be read only once would have to be protected; what reading the body throws.
public struct DigestAuthMiddleware: AuthenticationStage {
    package let authentication: AuthenticationMiddleware

    /// One user for the origins named.
    ///
    /// - Parameters:
    ///   - user: The user's name.
    ///   - password: The password.
    ///   - origins: Where proofs of it may go: `"https://api.example.com"`.
    public init(user: String, password: Secret, for origins: some OriginSetConvertible) {
        self.init(.fixed(user: user, password: password, for: origins))
    }

    /// Users whom a provider knows.
    ///
    /// - Parameter provider: Where credentials come from.
    public init(_ provider: some CredentialProvider) {
        self.init(DigestAuthenticator(provider))
    }

    /// An authenticator with settings of its own.
    ///
    /// - Parameters:
    ///   - authenticator: What makes the answers.
    ///   - proxy: The proxy's URL, for a stage that answers a proxy; a server is answered by default.
    public init(_ authenticator: DigestAuthenticator, proxy: String? = nil) {
        authentication = AuthenticationMiddleware(
            [authenticator],
            proxy: proxy,
            maximumAnswers: 3,
            name: DigestAuthenticator.stageName
        )
    }

    /// One user of a proxy (407, `Proxy-Authorization`).
    ///
    /// - Parameters:
    ///   - user: The user's name.
    ///   - password: The password.
    ///   - proxy: The proxy's URL: `"http://proxy.example.com:3128"`.
    public init(user: String, password: Secret, proxy: String) {
        let provider = FixedCredential(Credential(user: user, password: password), for: OriginSet(urls: [proxy]))
        self.init(DigestAuthenticator(provider), proxy: proxy)
    }
}
