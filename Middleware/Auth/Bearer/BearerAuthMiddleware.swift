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
/// ``HTTPChainCore/OriginBoundFields``), not without TLS unless the origin is a loopback address or `allowsPlaintext`
/// is set, and not in place of credentials that the caller set by hand.
///
/// **Place.** Phase ``HTTPChainCore/Phase/authenticate``: inside retry, so that each attempt has a valid token.
///
/// **Options.** `unauthenticated()` sends a request without a token. On the response, ``BearerChallengeOption``
/// (in short ``HTTPChainCore/Response/bearerChallenge``) and ``AuthenticationRefusalOption``.
///
/// **Errors.** ``BearerAuthError``, with the provider's error as its cause.
public struct BearerAuthMiddleware: ChainAwareMiddleware, DeadlineKeepingMiddleware {
    static let name = "BearerAuthMiddleware"

    let origins: OriginBindings
    let leeway: Duration
    let refresher: Refresher<BearerToken>
    let provider: (any AccessTokenProvider)?
    /// Asked for each call, for which a look at the provider would copy it.
    private let isRefreshed: Bool
    let save: (@Sendable (AccessToken) async throws -> Void)?
    let redaction: Redaction

    /// Makes a stage that refreshes its token.
    ///
    /// - Parameters:
    ///   - provider: Where tokens come from.
    ///   - origins: Where they may go.
    ///   - token: The token to begin with, such as one kept since the last start; none by default.
    ///   - leeway: How long before its end a token is refreshed, 60 seconds by default; of a token that lives shorter
    ///     than twice that, half its life. A token that could not be refreshed is used to its end.
    ///   - limit: How often tokens are refreshed; five times in 30 seconds by default.
    ///   - allowsPlaintext: Whether tokens may be sent without TLS, to be read by whoever listens (RFC 6750 §5.3);
    ///     `false` by default.
    ///   - redaction: What counts as a secret in errors.
    ///   - save: Keeps each new token before it is used; when it throws, the calls that wait fail, and the next one tries
    ///     to save the token again. `nil` by default.
    public init(
        _ provider: some AccessTokenProvider,
        for origins: some OriginSetConvertible,
        token: AccessToken? = nil,
        leeway: Duration = .seconds(60),
        limit: RefreshLimit = .standard,
        allowsPlaintext: Bool = false,
        redaction: Redaction = .standard,
        saving save: (@Sendable (AccessToken) async throws -> Void)? = nil
    ) {
        self.init(provider, origins.originSet, token, leeway, limit, allowsPlaintext, redaction, save)
    }

    /// Makes a stage that refreshes its token, and keeps each new one in a store.
    ///
    /// ```swift
    /// BearerAuthMiddleware(.refreshToken(at: endpoint), for: origins, token: try await store.token(), saving: store)
    /// ```
    ///
    /// A token is kept before it is used, because the server may take the refresh token before it only once. When it
    /// cannot be kept, the calls that wait fail, and the next one tries to keep it again.
    ///
    /// - Parameters:
    ///   - provider: Where tokens come from.
    ///   - origins: Where they may go.
    ///   - token: The token to begin with, which the store has kept since the last start; none by default.
    ///   - leeway: How long before its end a token is refreshed; 60 seconds by default.
    ///   - limit: How often tokens are refreshed; five times in 30 seconds by default.
    ///   - allowsPlaintext: Whether tokens may be sent without TLS; `false` by default.
    ///   - redaction: What counts as a secret in errors.
    ///   - store: Keeps each new token.
    public init(
        _ provider: some AccessTokenProvider,
        for origins: some OriginSetConvertible,
        token: AccessToken? = nil,
        leeway: Duration = .seconds(60),
        limit: RefreshLimit = .standard,
        allowsPlaintext: Bool = false,
        redaction: Redaction = .standard,
        saving store: any TokenStore
    ) {
        self.init(
            provider,
            origins.originSet,
            token,
            leeway,
            limit,
            allowsPlaintext,
            redaction,
            { try await store.save($0) }
        )
    }

    /// Makes a stage with a token that is not refreshed, such as an API key.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - origins: Where it may go.
    ///   - allowsPlaintext: Whether it may be sent without TLS, to be read by whoever listens (RFC 6750 §5.3); `false`
    ///     by default.
    ///   - redaction: What counts as a secret in errors.
    public init(
        token: Secret,
        for origins: some OriginSetConvertible,
        allowsPlaintext: Bool = false,
        redaction: Redaction = .standard
    ) {
        self.init(nil, origins.originSet, AccessToken(token), .zero, .none, allowsPlaintext, redaction, nil)
    }

    private init(
        _ provider: (any AccessTokenProvider)?,
        _ origins: OriginSet,
        _ token: AccessToken?,
        _ leeway: Duration,
        _ limit: RefreshLimit,
        _ allowsPlaintext: Bool,
        _ redaction: Redaction,
        _ save: (@Sendable (AccessToken) async throws -> Void)?
    ) {
        self.origins = OriginBindings(origins, allowsPlaintext: allowsPlaintext, fields: [.authorization])
        self.provider = provider
        isRefreshed = provider != nil
        self.leeway = leeway
        self.save = save
        self.redaction = redaction
        refresher = Refresher(token.map { BearerToken($0, leeway: leeway) }, limit: limit)
    }

    /// The token in use; `nil` when there is none yet, or no longer.
    public var token: AccessToken? { refresher.current?.token }

    /// How many calls wait for a new token.
    package var waiterCount: Int { refresher.waiterCount }

    /// Takes another token into use, as after a sign-in, or ends the use of the one there is, as after a sign-out.
    ///
    /// A refresh that runs meanwhile was begun for the old token: what it brings is thrown away. The token is not handed
    /// to `saving`.
    ///
    /// - Parameter token: The token; `nil` for none.
    public func replaceToken(with token: AccessToken?) {
        refresher.replace(with: token.map { BearerToken($0, leeway: leeway) })
    }

    /// Inside retry, so that each attempt has a valid token.
    public var phase: Phase { .authenticate }

    /// Where tokens come from and go to; no secret.
    public var summary: StageSummary {
        var summary = StageSummary(Self.name, purpose: "sends a Bearer token", settings: ["for": "\(origins.set)"])
        guard let provider else {
            summary.settings.append(.init(name: "token", value: "fixed"))
            return summary
        }
        summary.settings += [
            .init(name: "refreshed by", value: provider.summary),
            .init(name: "leeway", value: "\(leeway)"),
            .init(name: "at most", value: "\(refresher.limit)"),
        ]
        return summary
    }

    /// Origins that are none or not reached over TLS, a transport that follows redirects itself, and a token that is
    /// malformed.
    public func problems(at place: ChainPlace) -> [ChainProblem] {
        var problems = origins.problems(
            of: Self.name,
            kind: ObjectIdentifier(Self.self),
            sending: "the token",
            at: place
        )
        if let token, !token.isWellFormed {
            problems.append(
                ChainProblem(
                    stage: Self.name,
                    problem: "the token of \(Self.name) holds characters that no token may have, or is empty",
                    fix: "look where it comes from (a line break at the end?)"
                )
            )
        }
        return problems
    }

    /// Adds the token, passes the request on, and sends it again with a newer token when the server rejects it.
    ///
    /// - Throws: ``BearerAuthError``; what the stages inside throw.
    @inline(__always)  // Into the protocol's witness, which saves each call a frame.
    public func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        guard let binding = origins.binding(for: request.head), request.acceptsCredentials(for: .origin),
            !RefreshScope.isInside(refresher)
        else { return try await next(request) }
        let (current, version) = refresher.look()
        let token: Versioned
        if let current,
            !isRefreshed || !current.value.expires || !current.value.isDue(at: request.environment.time.date)
        {
            token = current
        } else if let provider {
            token = try await firstToken(current, version, from: provider, for: request, next: next)
        } else {
            return try await next(request)
        }
        try add(token.value, to: &request, binding)
        let again = isRefreshed && request.body.isReplayable ? request : nil
        let response = try await next(request)
        switch response.status.code {
        case 400, 401, 403: return try await rejected(response, token, again, binding, next: next)
        default: return response
        }
    }

    func add(_ token: BearerToken, to request: inout Request, _ binding: OriginBinding) throws {
        guard let credentials = token.token.credentials else {
            throw BearerAuthError(.malformedToken, exchange: ExchangeSnapshot(request.head, redaction: redaction))
        }
        credentials.add(to: &request, boundBy: binding)
    }
}

extension BearerAuthMiddleware: BoundStage {
    var boundOrigins: OriginSet { origins.set }
}
