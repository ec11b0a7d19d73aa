public import HTTPChainCore
import HTTPTypes

/// Sends requests in a session that a ``SessionAuthenticator`` opens, and opens another one when the session has ended.
///
/// ```swift
/// let chain = try Chain(transport: transport) {
///     SessionAuthMiddleware(GardenLogin(user: "ada", password: password, login: login), for: "https://garden.example")
/// }
/// let plants = try await chain.send(.get("https://garden.example/plants"))
/// ```
///
/// Before a request is sent, the authenticator decorates it for the open session. If there is no session, one is
/// opened, once for all waiting calls. The application can also open one earlier, and end it (``openSession(in:)``,
/// ``endSession(in:)``). With ``SessionlessRequests``, calls don't open sessions. A cancelled call stops waiting. If no
/// calls are left, the authentication is cancelled.
///
/// After each response, the authenticator says whether the session is still open. If it isn't, another one is opened
/// and the request is retried in it, once. If that doesn't help, or the body can be read only once, the response is
/// returned, and `authenticationRefusal` says why. If a call was rejected in a session that has been replaced
/// meanwhile, it is just retried.
///
/// **Users.** A call that begins in a session belongs to its user. If the application replaces or ends the session, the
/// call's rejection is returned, and each further request of the call (a retry, a redirect hop, the rest of a download)
/// throws ``/HTTPChainCore/UserChangedError``. One user's request is therefore never sent as another user.
///
/// **Origins.** The session is used for the named origins only. It isn't used across redirects (the fields set by
/// `decorate` are declared in `OriginBoundFieldsNote`), nor without TLS unless the origin is a loopback address or
/// `allowsPlaintext` is set. A request with an `Authorization` field is passed on unchanged.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/authenticate``: inside retry, so that each attempt is made in an open
/// session.
///
/// **Options.** `authentication(false)` sends a request outside the session. On the response:
/// ``HTTPChainCore/Response/authenticationRefusal``.
///
/// **Errors.** ``AuthenticationError``, with the authenticator's error as its cause;
/// ``/HTTPChainCore/UserChangedError``; ``/HTTPChainCore/UnreadOptionError`` if `decorate` sets an option that no inner
/// stage reads, such as `.cookies(_:)` (set fields instead); rethrows errors of `decorate` and `check`.
public struct SessionAuthMiddleware<Authenticator: SessionAuthenticator>: ChainAwareMiddleware, BuiltInStage,
    IdentifyingMiddleware
{
    package typealias Session = Authenticator.Session

    private typealias Versioned = RefreshState<Session>.Versioned

    /// The authenticator that opens the sessions.
    package let authenticator: Authenticator
    let boundOrigins: OriginSet
    private let origins: OriginBindings
    private let allowsPlaintext: Bool
    private let refresher: Refresher<Session>
    private let sessionless: SessionlessRequests

    /// Makes the stage.
    ///
    /// - Parameters:
    ///   - authenticator: The authenticator that opens sessions.
    ///   - origins: The origins whose requests are sent in a session.
    ///   - session: The initial session, such as one saved earlier. Defaults to none.
    ///   - sessionless: The treatment of a request if no session is open. By default, one is opened.
    ///   - limit: The limit on opening sessions. Defaults to five in 30 seconds.
    ///   - allowsPlaintext: Whether sessions may be used without TLS, which lets eavesdroppers take them over. Defaults
    ///     to `false`.
    public init(
        _ authenticator: Authenticator,
        for origins: some OriginSetConvertible,
        session: Authenticator.Session? = nil,
        withoutSession sessionless: SessionlessRequests = .openSession,
        limit: RefreshLimit = .standard,
        allowsPlaintext: Bool = false
    ) {
        let set = origins.originSet
        self.authenticator = authenticator
        boundOrigins = set
        self.origins = OriginBindings { [set.admits($0, allowsPlaintext: allowsPlaintext)] }
        self.allowsPlaintext = allowsPlaintext
        self.sessionless = sessionless
        refresher = Refresher(session, "session", of: "SessionAuthMiddleware", limit: limit)
    }

    /// The session in use, or `nil` if there is none.
    public var session: Authenticator.Session? { refresher.current }

    /// The number of calls that wait for a session.
    package var waiterCount: Int { refresher.waiterCount }

    /// Replaces the session with another user's, for example with one opened elsewhere.
    ///
    /// Calls in the previous session end; see **Users**. An authentication that is in flight doesn't replace it.
    public func replaceSession(with session: Authenticator.Session) {
        refresher.replace(with: session)
    }

    /// Opens a session if none is open, for example at a sign-in; calls that need one in the meantime wait for it.
    ///
    /// - Parameter context: The authenticator's context: a transport, the clock and random numbers.
    /// - Returns: The open session.
    /// - Throws: ``AuthenticationError``; `CancellationError` if the task is cancelled.
    @discardableResult
    public func openSession(in context: RefreshContext) async throws -> Authenticator.Session {
        try await open(in: context, for: nil).value
    }

    /// Ends the session in use, for example at a sign-out.
    ///
    /// The next call opens another one, unless the stage is configured not to.
    ///
    /// From now on, the session isn't used, even if notifying the server fails, and calls in it end; see **Users**. A
    /// session that is being opened is invalidated as soon as it is open.
    ///
    /// - Parameter context: The authenticator's context for notifying the server.
    /// - Throws: Rethrows the authenticator's error; `CancellationError` if the task is cancelled. The server may then
    ///   still have the session.
    public func endSession(in context: RefreshContext) async throws {
        guard let old = refresher.replace(with: nil) else { return }
        let authenticator = authenticator
        try await refresher.asPart { try await authenticator.invalidate(old, in: context) }
    }

    /// Always `true`.
    package var addsIdentity: Bool { true }

    /// Records the user whose session is open.
    package func noteIdentity(in identity: CallIdentity) { refresher.noteUser(in: identity) }

    /// Always `false`: opening a session may wait for the user.
    package var stageKeepsDeadlines: Bool { false }

    /// Inside retry, so that each attempt is made in an open session.
    package var stagePhase: Phase { .authenticate }

    /// The options that the stage reads.
    package var stageOptions: [any RequestOption.Type] { [NoAuthenticationOption.self] }

    /// The authenticator, the origins and the limit.
    package var stageSummary: StageSummary {
        StageSummary(
            "SessionAuthMiddleware",
            purpose: "sends requests in a session",
            settings: [
                "for": "\(boundOrigins)", "opened by": authenticator.summary, "at most": refresher.limit.description,
            ]
        )
        .adding("without a session", sessionless == .openSession ? nil : sessionless.description)
    }

    /// Returns problems with origins that are invalid or not reached over TLS, with a transport that follows redirects
    /// itself, and with an inner stage of the same kind.
    package func stageProblems(at place: ChainPlace) -> [ChainProblem] {
        let name = "SessionAuthMiddleware"
        let twins = place.inside.filter { ($0 as? Self)?.boundOrigins.overlaps(boundOrigins) ?? false }
        return boundOrigins.problems(of: name, sending: "the session", allowsPlaintext: allowsPlaintext)
            + AuthenticationMiddleware.redirectProblems(of: name, at: place)
            + twins.map { AuthenticationMiddleware.nestingProblem(of: name, around: $0, sending: "the session") }
    }

    /// Decorates the request, passes it on, and retries it in another session if the session has ended.
    ///
    /// - Throws: ``AuthenticationError``; `UserChangedError`; rethrows errors of the authenticator and of the inner stages.
    public nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        guard let binding = origins.binding(for: request), binding.admitted == [true],
            request.acceptsCredentials(for: .origin), !refresher.isInside
        else { return try await next(request) }
        guard var current = try await session(for: request, next: next) else { return try await next(request) }
        var again = request.body.isReplayable ? request : nil
        try await decorate(&request, with: current.value, binding, next)
        var response = try await next(request)
        // One retry in a session that was already open, and one in a session opened for the call.
        var repeatsLeft = 2
        while try await isClosed(current.value, by: &response, binding) {
            guard
                let newer = try await newerSession(
                    than: current,
                    response: &response,
                    &again,
                    repeatsLeft,
                    binding,
                    next
                )
            else { return response }
            current = newer.current
            repeatsLeft = newer.isFresh ? 0 : repeatsLeft - 1
            guard var request = again else { return response }
            try await decorate(&request, with: current.value, binding, next)
            response = try await next(request)
        }
        return response
    }
}

extension SessionAuthMiddleware {
    /// Returns the session for a request, or `nil` to send it without one.
    ///
    /// - Throws: `UserChangedError` if it isn't that of the call's user.
    private func session(for request: Request, next: Next) async throws -> Versioned? {
        try refresher.check(refresher.look().version, for: request)
        switch sessionless {
        case .openSession:
            let current = try await open(
                in: RefreshContext(environment: request.environment, next: next),
                for: request
            )
            try refresher.check(current.version, for: request)
            return current
        case .sendUndecorated, .fail:
            if let current = refresher.look().current,
                authenticator.isSessionOpen(current.value, at: request.environment.time.date)
            {
                try refresher.check(current.version, for: request)
                return current
            }
            guard sessionless == .fail else { return nil }
            throw AuthenticationError(
                .noSession,
                stage: "SessionAuthMiddleware",
                exchange: ExchangeSnapshot(request.head, redaction: request.redaction)
            )
        }
    }

    /// Returns the open session, or opens one.
    private func open(in context: RefreshContext, for request: Request?) async throws -> Versioned {
        var (current, version) = refresher.look()
        // The application's own call may return the session of any user.
        if request == nil { version.isSomebody = false }
        let time = context.environment.time
        if let current, authenticator.isSessionOpen(current.value, at: time.date) { return current }
        request?.noteEvent("httpchain.auth.refresh")
        do {
            return try await refresher.refreshed(after: version, time: time, work(in: context))
        } catch {
            // The server may have closed the session, but opening another one isn't allowed now, so it is tried.
            if case RefreshError.tooMany = error, let current = refresher.look().current,
                authenticator.isSessionOpen(current.value, at: time.date)
            {
                return current
            }
            throw try failure(error, request)
        }
    }

    /// Returns the session for a retry, or `nil` if there is none, with the reason set in the response.
    ///
    /// If there is a session, or getting one fails, the response is discarded.
    private func newerSession(
        than current: Versioned,
        response: inout Response,
        _ again: inout Request?,
        _ repeatsLeft: Int,
        _ binding: OriginBinding,
        _ next: Next
    ) async throws -> (current: Versioned, isFresh: Bool)? {
        let rejected = AuthenticationRefusal.rejected(
            ProtectionSpace(origin: binding.origin, realm: nil, scheme: "session")
        )
        guard repeatsLeft > 0 else {
            if let again { refresher.noteRejection(on: again.head.path, time: again.environment.time) }
            response.authenticationRefusal = rejected
            return nil
        }
        guard let request = again else {
            refresher.reject(current.version)
            response.authenticationRefusal = .bodyReadableOnce
            return nil
        }
        let time = request.environment.time
        switch refresher.advice(for: current.version, rejectedOn: request.head.path, time: time) {
        case .use(let newer):
            await again?.discard(response)
            return (newer, false)
        case .refresh where sessionless == .openSession:
            // Discarded before the authentication, which may need its connection.
            await again?.discard(response)
            request.noteEvent("httpchain.auth.refresh")
            let context = RefreshContext(environment: request.environment, next: next)
            let work = work(answering: response.challenges(.origin), in: context)
            do {
                return (try await refresher.refreshed(after: current.version, time: time, work), true)
            } catch {
                throw try failure(error, request, response)
            }
        case .fail(let error):
            await request.keepCookies(of: response)
            throw try failure(error, request, response)
        case .refresh:
            refresher.reject(current.version)
            response.authenticationRefusal = rejected
        case .refuse: response.authenticationRefusal = rejected
        case .giveUp: response.authenticationRefusal = .tooManyRefreshes(refresher.limit)
        case .changedUser: response.authenticationRefusal = .changedUser
        }
        return nil
    }

    private func work(answering challenges: [Challenge] = [], in context: RefreshContext) -> Refresher<Session>.Work {
        let authenticator = authenticator
        return Refresher<Session>.Work(
            refresh: { old in
                if let old {
                    if !challenges.isEmpty,
                        let answer = try await authenticator.answer(challenges, in: old, context: context)
                    {
                        return answer
                    }
                    // The session may already have ended, and a failure to notify the server must not prevent opening
                    // the next one.
                    do {
                        try await authenticator.invalidate(old, in: context)
                    } catch {
                        if Task.isCancelled || error is CancellationError { throw CancellationError() }
                    }
                }
                return try await authenticator.authenticate(replacing: old, in: context)
            },
            discard: { try? await authenticator.invalidate($0, in: context) },
            keepsOldValue: false
        )
    }

    private func decorate(
        _ request: inout Request,
        with session: Session,
        _ binding: OriginBinding,
        _ next: Next
    ) async throws {
        let (before, options) = (request.head.headerFields, request.options)
        try await authenticator.decorate(&request, with: session)
        try next.refuseLateOptions(of: request, setBy: "SessionAuthMiddleware", after: options)
        let after = request.head.headerFields
        let changed = Set(after.map(\.name)).filter { before[fields: $0] != after[fields: $0] }
        request.bindFields(changed, to: binding.origin)
    }

    private func isClosed(
        _ session: Session,
        by response: inout Response,
        _ binding: OriginBinding
    ) async throws -> Bool {
        // If the transport followed a redirect to another origin, that server doesn't have this session.
        if let origin = response.origin(otherThan: binding.origin) {
            if response.status.code == 401 { response.authenticationRefusal = .otherOrigin(origin) }
            return false
        }
        return try await authenticator.check(&response, in: session) == .closed
    }

    /// - Throws: `CancellationError` if the authentication failed with it.
    private func failure(
        _ error: any Error,
        _ request: Request?,
        _ response: Response? = nil
    ) throws(CancellationError) -> any HTTPChainError {
        if Task.isCancelled || error is CancellationError { throw CancellationError() }
        let exchange = request.map { ExchangeSnapshot($0.head, response: response?.head, redaction: $0.redaction) }
        if case RefreshError.changedUser = error, let exchange { return refresher.changedUser(exchange) }
        return AuthenticationError(ofSession: error, exchange: exchange)
    }
}
