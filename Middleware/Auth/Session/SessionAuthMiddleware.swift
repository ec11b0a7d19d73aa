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
/// however many calls wait for it. A call that is cancelled waits no longer; when none is left, the authentication is
/// cancelled.
///
/// After each response the authenticator says whether the session is still open. If it is not, another is opened and
/// the request is sent again in it, once. When that does not help, or the body can be read only once, the caller gets
/// the response, and `authenticationRefusal` says why. A call that was turned down in an older session than the one in
/// use is only sent again.
///
/// **Where it goes.** To the origins named and nowhere else: not by a redirect (the fields that `decorate` sets are
/// declared in ``HTTPChainCore/OriginBoundFields``), and not without TLS unless the origin is a loopback address or
/// `allowsPlaintext` is set. A request that has an `Authorization` field is left as it is.
///
/// **Place.** Phase ``HTTPChainCore/Phase/authenticate``: inside retry, so that each attempt is made in an open session.
///
/// **Options.** `unauthenticated()` sends a request outside the session. On the response,
/// ``AuthenticationRefusalOption``.
///
/// **Errors.** ``SessionAuthError``, with the authenticator's error as its cause; what `decorate` and `check` throw.
public struct SessionAuthMiddleware<Authenticator: SessionAuthenticator>: ChainAwareMiddleware {
    /// What a session is.
    public typealias Session = Authenticator.Session

    private typealias Held = RenewalState<Session>.Held

    /// Who opens the sessions.
    public let authenticator: Authenticator
    private let origins: OriginBindings
    private let renewal: Renewal<Session>
    private let redaction: Redaction

    /// Makes the stage.
    ///
    /// - Parameters:
    ///   - authenticator: Who opens the sessions.
    ///   - origins: Where requests are made in one.
    ///   - session: The session to begin with, such as one kept since the last start; none by default.
    ///   - limit: How often sessions are opened; five times in 30 seconds by default.
    ///   - allowsPlaintext: Whether sessions may be used without TLS, to be taken over by whoever listens; `false` by
    ///     default.
    ///   - redaction: What counts as a secret in errors; name the fields that `decorate` sets.
    public init(
        _ authenticator: Authenticator,
        for origins: OriginSet,
        session: Session? = nil,
        limit: RenewalLimit = .standard,
        allowsPlaintext: Bool = false,
        redaction: Redaction = .standard
    ) {
        self.authenticator = authenticator
        self.origins = OriginBindings(origins, allowsPlaintext: allowsPlaintext)
        self.redaction = redaction
        renewal = Renewal(session, limit: limit)
    }

    /// The session in use; `nil` when there is none yet, or no longer.
    public var session: Session? { renewal.current }

    /// Takes another session into use, such as one that was opened elsewhere.
    ///
    /// An authentication that runs meanwhile does not replace it.
    public func replaceSession(with session: Session) {
        renewal.replace(with: session)
    }

    /// Ends the session in use, as at a sign-out; the next call opens another.
    ///
    /// - Parameter context: What the authenticator is given to tell the server with.
    public func endSession(in context: RenewalContext) async {
        guard let old = renewal.replace(with: nil) else { return }
        let authenticator = authenticator
        await RenewalScope.run(for: renewal) { await authenticator.invalidate(old, in: context) }
    }

    /// Inside retry, so that each attempt is made in an open session.
    public var phase: Phase { .authenticate }

    /// The authenticator, the origins and the limit.
    public var summary: StageSummary {
        StageSummary(
            "SessionAuthMiddleware",
            purpose: "sends requests in a session",
            settings: [
                "for": "\(origins.set)", "opened by": authenticator.summary, "at most": "\(renewal.limit)",
            ]
        )
    }

    /// Origins that are none, or not reached over TLS; a transport that follows redirects itself.
    public func problems(at place: ChainPlace) -> [ChainProblem] {
        origins.problems(of: "SessionAuthMiddleware", sending: "the session", at: place)
    }

    /// Makes the request one of the session, passes it on, and sends it again in another when the session has ended.
    ///
    /// - Throws: ``SessionAuthError``; what the authenticator and the stages inside throw.
    public func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        guard let binding = origins.binding(for: request.head), request.acceptsCredentials(for: .origin),
            !RenewalScope.isInside(renewal)
        else { return try await next(request) }
        var held = try await openSession(for: request, next: next)
        let again = request.body.isReplayable ? request : nil
        try await decorate(&request, with: held.value, binding)
        var response = try await next(request)
        // Once in a session that was open already, and once in one that was opened meanwhile.
        var repeatsLeft = 2
        while try await isClosed(held.value, by: &response, binding) {
            guard let newer = try await newerSession(than: held, response: &response, again, repeatsLeft, binding, next)
            else { return response }
            held = newer.held
            repeatsLeft = newer.isFresh ? 0 : repeatsLeft - 1
            guard var request = again else { return response }
            try await decorate(&request, with: held.value, binding)
            response = try await next(request)
        }
        return response
    }
}

extension SessionAuthMiddleware {
    private func openSession(for request: Request, next: Next) async throws -> Held {
        let (held, ticket) = renewal.look()
        let environment = request.environment
        if let held, authenticator.isSessionOpen(held.value, at: environment.time.date) { return held }
        do {
            let work = self.work(in: RenewalContext(environment: environment, next: next))
            return try await renewal.renewed(after: ticket, time: environment.time, work)
        } catch {
            // The server may have closed it, but no other is to be had now.
            if case RenewalError.tooMany = error, let held = renewal.look().held,
                authenticator.isSessionOpen(held.value, at: environment.time.date)
            {
                return held
            }
            throw try failure(error, ExchangeSnapshot(request.head, redaction: redaction))
        }
    }

    /// The session to send the request again in; `nil` when that is not to be, for the reason set in the response.
    private func newerSession(
        than held: Held,
        response: inout Response,
        _ request: Request?,
        _ repeatsLeft: Int,
        _ binding: OriginBinding,
        _ next: Next
    ) async throws -> (held: Held, isFresh: Bool)? {
        guard repeatsLeft > 0 else {
            let space = ProtectionSpace(origin: binding.origin, realm: nil, scheme: "session")
            response.authenticationRefusal = .rejected(space)
            return nil
        }
        guard let request else {
            renewal.reject(held.ticket)
            response.authenticationRefusal = .bodyReadableOnce
            return nil
        }
        let environment = request.environment
        switch renewal.advice(for: held.ticket, time: environment.time) {
        case .giveUp:
            response.authenticationRefusal = .tooManyRenewals(renewal.limit)
            return nil
        case .fail(let error):
            throw try failure(error, exchange(request, response))
        case .use(let newer):
            await response.body.drain()
            return (newer, false)
        case .renew:
            // Read before the authentication: it may need the connection.
            await response.body.drain()
            let context = RenewalContext(environment: environment, next: next)
            let work = self.work(answering: response.challenges(.origin), in: context)
            do {
                return (try await renewal.renewed(after: held.ticket, time: environment.time, work), true)
            } catch {
                throw try failure(error, exchange(request, response))
            }
        }
    }

    private func work(answering challenges: [Challenge] = [], in context: RenewalContext) -> Renewal<Session>.Work {
        let authenticator = authenticator
        return Renewal<Session>.Work(
            renew: { old in
                if let old {
                    if !challenges.isEmpty,
                        let answer = try await authenticator.answer(challenges, in: old, context: context)
                    {
                        return answer
                    }
                    await authenticator.invalidate(old, in: context)
                }
                return try await authenticator.authenticate(replacing: old, in: context)
            },
            keepsOldValue: false
        )
    }

    private func decorate(_ request: inout Request, with session: Session, _ binding: OriginBinding) async throws {
        let before = request.head.headerFields
        try await authenticator.decorate(&request, with: session)
        var changed: Set<HTTPField.Name> = []
        for field in request.head.headerFields
        where before[fields: field.name] != request.head.headerFields[fields: field.name] {
            changed.insert(field.name)
        }
        if !changed.isEmpty { OriginBinding(binding.origin, fields: Array(changed)).bind(&request) }
    }

    private func isClosed(
        _ session: Session,
        by response: inout Response,
        _ binding: OriginBinding
    ) async throws -> Bool {
        // The server of another origin, where the transport was led to, knows nothing of this session.
        if let origin = binding.strangeOrigin(of: response) {
            if response.status.code == 401 { response.authenticationRefusal = .otherOrigin(origin) }
            return false
        }
        return try await authenticator.check(&response, in: session) == .closed
    }

    private func exchange(_ request: Request, _ response: Response) -> ExchangeSnapshot {
        ExchangeSnapshot(request.head, response: response.head, redaction: redaction)
    }

    /// - Throws: `CancellationError` where the authentication failed with it.
    private func failure(
        _ error: any Error,
        _ exchange: ExchangeSnapshot
    ) throws(CancellationError) -> SessionAuthError {
        if Task.isCancelled || error is CancellationError { throw CancellationError() }
        return SessionAuthError(renewal: error, exchange: exchange)
    }
}
