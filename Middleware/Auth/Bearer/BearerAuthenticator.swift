public import HTTPChainCore
import HTTPTypes

/// The Bearer scheme, RFC 6750, for an ``AuthenticationMiddleware`` with several schemes.
///
/// If it is the only scheme, use ``BearerAuthMiddleware``, which also describes when a token is refreshed.
///
/// ```swift
/// let tokens = BearerAuthenticator(.refreshToken(at: endpoint), for: "https://api.example.com", token: kept)
/// let chain = try Chain(transport: transport) {
///     AuthenticationMiddleware([tokens, BasicAuthenticator(people)])
/// }
/// ```
///
/// Tokens are sent preemptively. A rejected token is refreshed even if the server offers only other schemes. A weaker
/// scheme is used only if a new token is rejected too, such as on a path that doesn't support tokens.
public final class BearerAuthenticator: Authenticator, BuiltInAuthenticator {
    typealias Versioned = RefreshState<BearerToken>.Versioned
    typealias Version = RefreshState<BearerToken>.Version

    /// The origins that the token is for; empty if it is bound to `.any`, which a chain refuses.
    package let boundOrigins: OriginSet
    /// Whether the token may be sent without TLS to a host other than this machine.
    package let isPlaintextAllowed: Bool
    private let named: OriginSet
    private let leeway: Duration
    private let refresher: Refresher<BearerToken>
    private let provider: (any AccessTokenProvider)?
    private let store: (any TokenStore)?

    /// Makes an authenticator that refreshes its token.
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
        named = origins.originSet
        boundOrigins = named.isAny ? OriginSet([]) : named
        isPlaintextAllowed = allowsPlaintext
        self.leeway = leeway
        self.provider = provider
        self.store = store
        let token = token.map { BearerToken($0, leeway: leeway) }
        refresher = Refresher(token, "token", of: "BearerAuthMiddleware", limit: limit)
    }

    /// Makes an authenticator with a token that isn't refreshed, such as an API key.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - origins: The origins that may receive it.
    ///   - allowsPlaintext: Whether it may be sent without TLS, readable by eavesdroppers (RFC 6750 §5.3). Defaults to
    ///     `false`.
    public init(token: Secret, for origins: some OriginSetConvertible, allowsPlaintext: Bool = false) {
        named = origins.originSet
        boundOrigins = named.isAny ? OriginSet([]) : named
        isPlaintextAllowed = allowsPlaintext
        leeway = .zero
        provider = nil
        store = nil
        let token = BearerToken(AccessToken(token), leeway: .zero)
        refresher = Refresher(token, "token", of: "BearerAuthMiddleware", limit: .none)
    }

    /// The token in use, or `nil` if there is none.
    public var token: AccessToken? { refresher.current?.token }

    /// The number of calls that wait for a new token.
    package var waiterCount: Int { refresher.waiterCount }

    /// Replaces the token, for example after a sign-in, or removes it, for example after a sign-out.
    ///
    /// Calls of the previous user end, as ``BearerAuthMiddleware`` describes. To refresh the token of the same user,
    /// use a provider instead. The result of a refresh in flight for the old token is discarded. The token isn't passed
    /// to the store (`saving`).
    ///
    /// - Parameter token: The new token, or `nil` for none.
    public func replaceToken(with token: AccessToken?) {
        refresher.replace(with: token.map { BearerToken($0, leeway: leeway) })
    }

    package var schemeName: String { "Bearer" }

    /// The highest, because a token expires and can be revoked.
    package var protection: AuthenticationStrength { .token }

    /// Always `true`, from the first request on (RFC 6750 §2.1).
    package var isPreemptive: Bool { true }

    /// Always `false`: a response contains nothing to check.
    package var checksResponses: Bool { false }

    /// Always `true`: many servers send no Bearer challenge with a 401, or no challenge at all.
    package var takesEveryRejection: Bool { true }

    /// Always `true`: waiting for a refresh ends at the call's deadline.
    package var keepsDeadlines: Bool { true }

    /// Records the user whose token is in use when a call begins.
    package func noteIdentity(in identity: CallIdentity) { refresher.noteUser(in: identity) }

    /// The settings: the source of tokens and their origins, without secrets.
    package var settings: [StageSummary.Setting] {
        let bound = StageSummary.Setting(name: "for", value: "\(named)")
        guard let provider else { return [bound, .init(name: "token", value: "fixed")] }
        return [
            bound, .init(name: "refreshed by", value: provider.summary), .init(name: "leeway", value: "\(leeway)"),
            .init(name: "at most", value: refresher.limit.description),
        ]
    }

    /// Returns a problem for each origin that is invalid or not reached over TLS, and for a malformed token.
    package func problems(of stage: String) -> [ChainProblem] {
        var problems = named.problems(of: stage, sending: "the token", allowsPlaintext: isPlaintextAllowed)
        if let token, !token.isWellFormed {
            problems.append(
                ChainProblem(
                    stage: stage,
                    problem: "the token of \(stage) is empty or has invalid characters",
                    fix: "check where it comes from (a line break at the end?)"
                )
            )
        }
        return problems
    }

    /// Returns the first Bearer challenge that has an error, or the first one if none does.
    package func challenge(among challenges: [Challenge]) -> Challenge? {
        let own = challenges.filter { $0.is(scheme) }
        return own.first { $0["error"] != nil } ?? own.first
    }
}

extension BearerAuthenticator {
    /// Adds the token if it isn't about to expire.
    ///
    /// - Throws: ``AuthenticationError`` for a token that is malformed; `UserChangedError`.
    package func prepareAtOnce(_ request: inout Request, in context: inout AuthenticationContext) throws -> Bool? {
        guard context.maySendPreemptively, !refresher.isInside else { return false }
        let (current, version) = refresher.look()
        try refresher.check(version, for: request, after: context.rejection)
        guard let current else { return provider == nil ? false : nil }
        guard provider == nil || !current.value.expires || !current.value.isDue(at: request.environment.time.date)
        else { return nil }
        try set(current, in: &request, &context)
        return true
    }

    /// Adds a token, fetching a new one if there is none or it is about to expire.
    ///
    /// - Throws: ``AuthenticationError``; `UserChangedError`; `TimeoutError` if the call's deadline has passed.
    package func addCredentials(
        to request: inout Request,
        in context: inout AuthenticationContext
    ) async throws -> Bool {
        guard let provider, let stages = context.stagesInside(for: request) else { return false }
        try send(try await validToken(from: provider, for: request, over: stages), in: &request, &context)
        return true
    }

    /// Adds a newer token than the rejected one, fetching it if necessary.
    ///
    /// - Throws: ``AuthenticationError``; `UserChangedError`; `TimeoutError` if the call's deadline has passed.
    package func respond(
        to challenge: Challenge,
        for request: inout Request,
        in context: inout AuthenticationContext
    ) async throws -> AuthenticationAnswer {
        if let refusal = refusal(of: challenge, in: context) { return .declined(refusal) }
        let rejected = AuthenticationRefusal.rejected(context.space(scheme, realm: challenge.realm))
        guard let provider, let stages = context.stagesInside(for: request) else { return .declined(rejected) }
        guard let sent = SentToken(context.note) else {
            // No token was sent preemptively.
            return try await prepare(&request, in: &context) ? .answered : .declined(rejected)
        }
        let (path, time) = (request.head.path, request.environment.time)
        guard !sent.isLast else {
            if sent.isFresh { refresher.noteRejection(on: path, time: time) }
            return .declined(rejected)
        }
        // If the token were invalid, the server would have said so (RFC 6750 §3.1). The path may be forbidden to
        // everyone.
        let isUnlikelyCause =
            BearerChallenge([challenge])?.error != "invalid_token"
            && sent.token.value.isYoung(at: time.elapsed, under: refresher.limit)
        let newer: Versioned
        var isFresh = false
        switch refresher.advice(for: sent.token.version, rejectedOn: path, time: time) {
        case .use(let token): newer = token
        case .refresh where !isUnlikelyCause:
            await context.discardRejection()
            do {
                newer = try await refreshed(after: sent.token.version, from: provider, for: request, over: stages)
            } catch {
                throw try failure(error, request, context)
            }
            isFresh = newer.value.isFetched
        case .fail(let error): throw try failure(error, request, context)
        case .refresh, .refuse: return .declined(rejected)
        case .giveUp: return .declined(.tooManyRefreshes(refresher.limit))
        case .changedUser: return .declined(.changedUser)
        }
        try send(newer, in: &request, &context)
        context.note = SentToken(token: newer, count: sent.count + 1, isFresh: isFresh)
        return .answered
    }

    /// Marks the token as rejected, so that the next call fetches a new one.
    package func leave(
        _ challenge: Challenge,
        to request: Request,
        in context: AuthenticationContext
    ) -> AuthenticationRefusal {
        if let refusal = refusal(of: challenge, in: context) { return refusal }
        guard provider != nil else { return .rejected(context.space(scheme, realm: challenge.realm)) }
        if let sent = SentToken(context.note) { refresher.reject(sent.token.version) }
        return .bodyReadableOnce
    }

    /// Returns the reason not to send another token, or `nil` if one may be sent.
    private func refusal(of challenge: Challenge, in context: AuthenticationContext) -> AuthenticationRefusal? {
        if refresher.isInside { return .noCredential(context.space(scheme, realm: challenge.realm)) }
        return BearerChallenge([challenge])?.objection.map { .unsupportedChallenge(scheme: scheme, why: $0) }
    }
}

extension BearerAuthenticator {
    private func send(
        _ token: Versioned,
        in request: inout Request,
        _ context: inout AuthenticationContext
    ) throws {
        try refresher.check(token.version, for: request, after: context.rejection)
        try set(token, in: &request, &context)
    }

    private func set(
        _ token: Versioned,
        in request: inout Request,
        _ context: inout AuthenticationContext
    ) throws(AuthenticationError) {
        guard let credentials = token.value.token.credentials else {
            let exchange = ExchangeSnapshot(request.head, redaction: request.redaction)
            throw AuthenticationError(.malformedToken, stage: "BearerAuthMiddleware", exchange: exchange)
        }
        request.setCredentials(credentials, in: context)
        context.note = token
    }

    /// Returns the token in use, or a new one if it is about to expire.
    private func validToken(
        from provider: any AccessTokenProvider,
        for request: Request,
        over stages: RefreshContext
    ) async throws -> Versioned {
        let (current, version) = refresher.look()
        let date = stages.environment.time.date
        if let current, !current.value.isDue(at: date) { return current }
        do {
            return try await refreshed(after: version, from: provider, for: request, over: stages)
        } catch {
            let failure = try failure(error, request, nil)
            guard let problem = (failure as? AuthenticationError)?.problem, problem != .signedOut else { throw failure }
            // The refresh was earlier than necessary, so the old token is still valid.
            let usable = if case .tooManyRefreshes = problem { refresher.look().current } else { current }
            guard let usable, !usable.value.token.hasExpired(at: date) else { throw failure }
            return usable
        }
    }

    /// Returns a newer token than the given version; ``failure(_:_:_:)`` converts the errors.
    private func refreshed(
        after version: Version,
        from provider: any AccessTokenProvider,
        for request: Request,
        over stages: RefreshContext
    ) async throws -> Versioned {
        let work = self.work(of: provider, over: stages)
        request.noteEvent("httpchain.auth.refresh")
        return try await request.withinDeadline {
            try await self.refresher.refreshed(after: version, time: stages.environment.time, work)
        }
    }

    private func work(
        of provider: any AccessTokenProvider,
        over stages: RefreshContext
    ) -> Refresher<BearerToken>.Work {
        let (leeway, store) = (leeway, store)
        var saveToken: (@Sendable (BearerToken?) async throws -> Void)?
        if let store {
            saveToken = { value in
                guard let value else { return try await store.removeToken() }
                if !value.isSaved { try await store.save(value.token) }
            }
        }
        return Refresher<BearerToken>.Work(
            refresh: { old in
                let fetched = Locked<AccessToken?>(nil)
                let fetch: @Sendable (AccessToken?) async throws -> AccessToken = { old in
                    let token = try await provider.accessToken(replacing: old, in: stages)
                    guard token.isWellFormed else { throw RefreshError.malformed }
                    fetched.withLock { $0 = token }
                    return token
                }
                let new =
                    if let store {
                        try await store.refresh(replacing: old?.token, in: stages.environment, by: fetch)
                    } else {
                        RefreshedToken(try await fetch(old?.token), isSaved: false)
                    }
                let own = fetched.withLock { $0 }
                guard let new else {
                    // Runs in a separate task, because a sign-out usually cancels calls.
                    if let own { await Task { try? await provider.discard(own, in: stages) }.value }
                    throw RefreshError.ended
                }
                guard new.token.isWellFormed else { throw RefreshError.malformed }
                let time = stages.environment.time
                return BearerToken(
                    new.token,
                    leeway: leeway,
                    now: time.date,
                    fetched: own == new.token ? time.elapsed : nil,
                    isSaved: new.isSaved
                )
            },
            save: saveToken,
            discard: { value in
                // Discards the token only if the store doesn't have it, because other machines may use a stored one.
                if !value.isSaved { try? await provider.discard(value.token, in: stages) }
            },
            keepsOldValue: true
        )
    }

    /// Converts the error of a refresh to the error of a call.
    /// - Throws: `CancellationError` if the refresh failed with it.
    private func failure(
        _ error: any Error,
        _ request: Request,
        _ context: AuthenticationContext?
    ) throws(CancellationError) -> any HTTPChainError {
        // The provider's own calls have deadlines, too. Only a timeout of this call is thrown unchanged.
        let isLate = request.remainingTime == .zero
        if isLate, let timeout = error as? TimeoutError, timeout.scope == .call { return timeout }
        if Task.isCancelled || error is CancellationError { throw CancellationError() }
        let exchange = ExchangeSnapshot(
            request.head,
            response: context?.rejection?.head,
            redaction: request.redaction
        )
        if case RefreshError.changedUser = error { return refresher.changedUser(exchange) }
        return AuthenticationError(ofToken: error, exchange: exchange)
    }
}

/// The token that a call sent last, stored in ``AuthenticationContext/note``.
private struct SentToken: Sendable {
    /// The number of retries: one with a newer token that already exists, and one with a token fetched for the call.
    private static let repeats = 2

    let token: BearerAuthenticator.Versioned
    /// The number of tokens sent after the first.
    let count: Int
    /// Whether the token was fetched for this call, so that another one would be rejected as well.
    let isFresh: Bool

    var isLast: Bool { isFresh || count >= Self.repeats }
}

extension SentToken {
    /// Reads a note.
    ///
    /// The first token is stored without a count. It then fits into the context without an allocation.
    init?(_ note: (any Sendable)?) {
        switch note {
        case let sent as SentToken: self = sent
        case let token as BearerAuthenticator.Versioned: self.init(token: token, count: 0, isFresh: false)
        default: return nil
        }
    }
}
