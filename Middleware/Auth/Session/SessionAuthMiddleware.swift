public import HTTPChainCore
import HTTPTypes

/// Sends each request in a session that a ``SessionAuthenticator`` opens, and opens another when it has ended.
///
/// ```swift
/// let chain = try Chain(transport: transport) {
///     SessionAuthMiddleware(GardenLogin(user: "ada", password: password, login: login), for: "https://garden.example")
/// }
/// let plants = try await chain.send(.get("https://garden.example/plants"))
/// ```
///
/// Before a request is sent it is made one of the session that is open, after one was opened where there is none: once,
/// however many calls wait for it. The application may open one earlier, and end it (``openSession(in:)``,
/// ``endSession(in:)``); with ``SessionlessRequests`` no call opens one by itself. A call that is cancelled waits no longer; when none is left, the authentication is
/// cancelled.
///
/// After each response the authenticator says whether the session is still open. If it is not, another is opened and
/// the request is sent again in it, once. When that does not help, or the body can be read only once, the caller gets
/// the response, and `authenticationRefusal` says why. A call that was rejected in an older session than the one in
/// use is only sent again.
///
/// **Where it goes.** To the origins named and nowhere else: not by a redirect (the fields that `decorate` sets are
/// declared in ``/HTTPChainCore/OriginBoundFields``), and not without TLS unless the origin is a loopback address or
/// `allowsPlaintext` is set. A request that has an `Authorization` field is left as it is.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/authenticate``: inside retry, so that each attempt is made in an open
/// session.
///
/// **Options.** `unauthenticated()` sends a request outside the session. On the response,
/// ``AuthenticationRefusalOption``.
///
/// **Errors.** ``SessionAuthError``, with the authenticator's error as its cause; what `decorate` and `check` throw.
public struct SessionAuthMiddleware<Authenticator: SessionAuthenticator>: ChainAwareMiddleware {
    /// The type of a session.
    public typealias Session = Authenticator.Session

    private typealias Versioned = RefreshState<Session>.Versioned

    /// The authenticator that opens the sessions.
    public let authenticator: Authenticator
    let boundOrigins: OriginSet
    private let origins: OriginBindings
    private let allowsPlaintext: Bool
    private let refresher: Refresher<Session>
    private let sessionless: SessionlessRequests

    /// Makes the stage.
    ///
    /// - Parameters:
    ///   - authenticator: Who opens the sessions.
    ///   - origins: Where requests are made in one.
    ///   - session: The session to begin with, such as one kept since the last start; none by default.
    ///   - sessionless: What becomes of a request while there is no open session; by default one is opened for it.
    ///   - limit: How often sessions are opened; five times in 30 seconds by default.
    ///   - allowsPlaintext: Whether sessions may be used without TLS, to be taken over by whoever listens; `false` by
    ///     default.
    public init(
        _ authenticator: Authenticator,
        for origins: some OriginSetConvertible,
        session: Session? = nil,
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
        refresher = Refresher(session, limit: limit)
    }

    /// The session in use; `nil` when there is none yet, or no longer.
    public var session: Session? { refresher.current }

    /// The number of calls that wait for a session.
    package var waiterCount: Int { refresher.waiterCount }

    /// Takes another session into use, such as one that was opened elsewhere.
    ///
    /// An authentication that runs meanwhile does not replace it.
    public func replaceSession(with session: Session) {
        refresher.replace(with: session)
    }

    /// Opens a session now, as at a sign-in, if none is open; calls that need one meanwhile wait for this one.
    ///
    /// - Parameter context: What the authenticator is given: a transport, time and chance.
    /// - Returns: The open session.
    /// - Throws: ``SessionAuthError``; `CancellationError` when the task is cancelled.
    @discardableResult
    public func openSession(in context: RefreshContext) async throws -> Session {
        try await open(in: context, for: nil).value
    }

    /// Ends the session in use, as at a sign-out; the next call opens another, unless the stage is set not to.
    ///
    /// It is out of use at once, whatever comes of telling the server. A session that is just being opened is
    /// invalidated as soon as it is open.
    ///
    /// - Parameter context: What the authenticator is given to tell the server with.
    /// - Throws: What the authenticator throws; `CancellationError` when the task is cancelled: the server may then
    ///   still know the session.
    public func endSession(in context: RefreshContext) async throws {
        guard let old = refresher.replace(with: nil) else { return }
        let authenticator = authenticator
        try await RefreshScope.run(for: refresher) { try await authenticator.invalidate(old, in: context) }
    }

    /// Inside retry, so that each attempt is made in an open session.
    public var phase: Phase { .authenticate }

    /// The authenticator, the origins and the limit.
    public var summary: StageSummary {
        var summary = StageSummary(
            "SessionAuthMiddleware",
            purpose: "sends requests in a session",
            settings: [
                "for": "\(boundOrigins)", "opened by": authenticator.summary, "at most": "\(refresher.limit)",
            ]
        )
        if sessionless != .openSession {
            summary.settings.append(.init(name: "without a session", value: "\(sessionless)"))
        }
        return summary
    }

    /// Origins that are none, or not reached over TLS; a transport that follows redirects itself; a session of the
    /// same kind further in.
    public func problems(at place: ChainPlace) -> [ChainProblem] {
        let name = "SessionAuthMiddleware"
        let twins = place.inside.filter { ($0 as? Self)?.boundOrigins.overlaps(boundOrigins) ?? false }
        return boundOrigins.problems(of: name, sending: "the session", allowsPlaintext: allowsPlaintext)
            + AuthenticationMiddleware.redirectProblems(of: name, at: place)
            + twins.map { AuthenticationMiddleware.nestingProblem(of: name, around: $0, sending: "the session") }
    }

    /// Makes the request one of the session, passes it on, and sends it again in another when the session has ended.
    ///
    /// - Throws: ``SessionAuthError``; what the authenticator and the stages inside throw.
    public func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        guard let binding = origins.binding(for: request), binding.admitted == [true],
            request.acceptsCredentials(for: .origin), !RefreshScope.isInside(refresher)
        else { return try await next(request) }
        guard var current = try await session(for: request, next: next) else { return try await next(request) }
        let again = request.body.isReplayable ? request : nil
        try await decorate(&request, with: current.value, binding)
        var response = try await next(request)
        // Once in a session that was open already, and once in one that was opened meanwhile.
        var repeatsLeft = 2
        while try await isClosed(current.value, by: &response, binding) {
            guard
                let newer = try await newerSession(
                    than: current,
                    response: &response,
                    again,
                    repeatsLeft,
                    binding,
                    next
                )
            else { return response }
            current = newer.current
            repeatsLeft = newer.isFresh ? 0 : repeatsLeft - 1
            guard var request = again else { return response }
            try await decorate(&request, with: current.value, binding)
            response = try await next(request)
        }
        return response
    }
}

extension SessionAuthMiddleware {
    /// The session for a request; `nil` when it is to go without one.
    private func session(for request: Request, next: Next) async throws -> Versioned? {
        switch sessionless {
        case .openSession:
            return try await open(in: RefreshContext(environment: request.environment, next: next), for: request)
        case .sendUndecorated, .fail:
            if let current = refresher.look().current,
                authenticator.isSessionOpen(current.value, at: request.environment.time.date)
            {
                return current
            }
            guard sessionless == .fail else { return nil }
            throw SessionAuthError(.noSession, exchange: ExchangeSnapshot(request.head, redaction: request.redaction))
        }
    }

    /// The session that is open, or another.
    private func open(in context: RefreshContext, for request: Request?) async throws -> Versioned {
        let (current, version) = refresher.look()
        let time = context.environment.time
        if let current, authenticator.isSessionOpen(current.value, at: time.date) { return current }
        request?.noteEvent("httpchain.auth.refresh")
        do {
            return try await refresher.refreshed(after: version, time: time, work(in: context))
        } catch {
            // The server may have closed it, but no other is to be had now.
            if case RefreshError.tooMany = error, let current = refresher.look().current,
                authenticator.isSessionOpen(current.value, at: time.date)
            {
                return current
            }
            throw try failure(error, request.map { ExchangeSnapshot($0.head, redaction: $0.redaction) })
        }
    }

    /// The session to send the request again in; `nil` when that is not to be, for the reason set in the response.
    private func newerSession(
        than current: Versioned,
        response: inout Response,
        _ request: Request?,
        _ repeatsLeft: Int,
        _ binding: OriginBinding,
        _ next: Next
    ) async throws -> (current: Versioned, isFresh: Bool)? {
        let rejected = AuthenticationRefusal.rejected(
            ProtectionSpace(origin: binding.origin, realm: nil, scheme: "session")
        )
        guard repeatsLeft > 0 else {
            if let request { refresher.noteRejection(on: request.head.path, time: request.environment.time) }
            response.authenticationRefusal = rejected
            return nil
        }
        guard let request else {
            refresher.reject(current.version)
            response.authenticationRefusal = .bodyReadableOnce
            return nil
        }
        let environment = request.environment
        switch refresher.advice(for: current.version, on: request.head.path, time: environment.time) {
        case .refresh where sessionless != .openSession:
            refresher.reject(current.version)
            response.authenticationRefusal = rejected
            return nil
        case .refuse:
            response.authenticationRefusal = rejected
            return nil
        case .giveUp:
            response.authenticationRefusal = .tooManyRefreshes(refresher.limit)
            return nil
        case .fail(let error):
            throw try failure(error, exchange(request, response))
        case .use(let newer):
            await response.body.drain(time: environment.time)
            return (newer, false)
        case .refresh:
            // Read before the authentication: it may need the connection.
            await response.body.drain(time: environment.time)
            let context = RefreshContext(environment: environment, next: next)
            let work = self.work(answering: response.challenges(.origin), in: context)
            request.noteEvent("httpchain.auth.refresh")
            do {
                return (try await refresher.refreshed(after: current.version, time: environment.time, work), true)
            } catch {
                throw try failure(error, exchange(request, response))
            }
        }
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
                    try await Self.invalidate(old, by: authenticator, in: context)
                }
                return try await authenticator.authenticate(replacing: old, in: context)
            },
            discard: { try? await authenticator.invalidate($0, in: context) },
            keepsOldValue: false
        )
    }

    /// Puts an end to a session that may have ended anyway: a server that cannot be told keeps nobody from opening the
    /// next.
    private static func invalidate(
        _ session: Session,
        by authenticator: Authenticator,
        in context: RefreshContext
    ) async throws(CancellationError) {
        do {
            try await authenticator.invalidate(session, in: context)
        } catch {
            if Task.isCancelled || error is CancellationError { throw CancellationError() }
        }
    }

    private func decorate(_ request: inout Request, with session: Session, _ binding: OriginBinding) async throws {
        let before = request.head.headerFields
        try await authenticator.decorate(&request, with: session)
        var changed: Set<HTTPField.Name> = []
        for field in request.head.headerFields
        where before[fields: field.name] != request.head.headerFields[fields: field.name] {
            changed.insert(field.name)
        }
        request.bindFields(changed, to: binding.origin)
    }

    private func isClosed(
        _ session: Session,
        by response: inout Response,
        _ binding: OriginBinding
    ) async throws -> Bool {
        // The server of another origin, where the transport was led to, knows nothing of this session.
        if let origin = response.origin(otherThan: binding.origin) {
            if response.status.code == 401 { response.authenticationRefusal = .otherOrigin(origin) }
            return false
        }
        return try await authenticator.check(&response, in: session) == .closed
    }

    private func exchange(_ request: Request, _ response: Response) -> ExchangeSnapshot {
        ExchangeSnapshot(request.head, response: response.head, redaction: request.redaction)
    }

    /// - Throws: `CancellationError` where the authentication failed with it.
    private func failure(
        _ error: any Error,
        _ exchange: ExchangeSnapshot?
    ) throws(CancellationError) -> SessionAuthError {
        if Task.isCancelled || error is CancellationError { throw CancellationError() }
        return SessionAuthError(refresh: error, exchange: exchange)
    }
}
