import HTTPChainCore
import HTTPTypes

extension BearerAuthMiddleware {
    typealias Held = RenewalState<BearerToken>.Held
    typealias Ticket = RenewalState<BearerToken>.Ticket

    /// Once with a newer token that was there already, and once with one that was made meanwhile.
    private static let repeats = 2
    private static let scheme = KnownScheme(target: .origin, name: "Bearer", strength: .token)

    /// A token for a call that has none, or one that is about to expire.
    func firstToken(
        _ held: Held?,
        _ ticket: Ticket,
        from provider: any AccessTokenProvider,
        for request: Request,
        next: Next
    ) async throws -> Held {
        let environment = request.environment
        do {
            let work = self.work(of: provider, in: RenewalContext(environment: environment, next: next))
            return try await renewal.renewed(after: ticket, time: environment.time, work)
        } catch {
            let failure = try self.failure(error, ExchangeSnapshot(request.head, redaction: redaction))
            if failure.problem == .signedOut { throw failure }
            // Renewed ahead of time, it is good for a while yet.
            let usable = if case .tooManyRenewals = failure.problem { renewal.look().held } else { held }
            guard let usable, !usable.value.token.hasExpired(at: environment.time.date) else { throw failure }
            return usable
        }
    }

    /// Gets a newer token for a call whose token the server did not take, and sends it again where that may help.
    func turnedDown(
        _ response: Response,
        _ ticket: Ticket,
        _ request: Request?,
        _ binding: OriginBinding,
        next: Next
    ) async throws -> Response {
        var response = response
        var ticket = ticket
        var isFresh = false
        for count in 0... {
            // The server of another origin, where the transport was led to, knows nothing of this token.
            if let origin = binding.strangeOrigin(of: response) {
                if response.status.code == 401 { response.authenticationRefusal = .otherOrigin(origin) }
                return response
            }
            let challenge = BearerChallenge(response.challenges(.origin))
            if let challenge { response.bearerChallenge = challenge }
            guard response.status.code == 401 else { return response }
            // For a stage further out: a password would give away more than this token.
            response.options[RejectedScheme.self] = Self.scheme
            if let objection = challenge?.objection {
                response.authenticationRefusal = .unsupportedChallenge(scheme: "Bearer", why: objection)
                return response
            }
            guard let provider, !isFresh, count < Self.repeats else {
                let space = ProtectionSpace(origin: binding.origin, realm: challenge?.realm, scheme: "bearer")
                response.authenticationRefusal = .rejected(space)
                return response
            }
            guard let request else {
                renewal.reject(ticket)
                response.authenticationRefusal = .bodyReadableOnce
                return response
            }
            let token: Held
            switch renewal.advice(for: ticket, time: request.environment.time) {
            case .giveUp:
                response.authenticationRefusal = .tooManyRenewals(renewal.limit)
                return response
            case .fail(let error):
                throw try failure(error, exchange(request, response))
            case .use(let newer):
                await response.body.drain()
                token = newer
            case .renew:
                // Read before the renewal: it may need the connection.
                await response.body.drain()
                let work = self.work(of: provider, in: RenewalContext(environment: request.environment, next: next))
                do {
                    token = try await renewal.renewed(after: ticket, time: request.environment.time, work)
                } catch {
                    throw try failure(error, exchange(request, response))
                }
                isFresh = true
            }
            ticket = token.ticket
            var again = request
            again.head.headerFields[.authorization] = nil
            try add(token.value, to: &again, binding)
            response = try await next(again)
        }
        return response
    }

    private func work(of provider: any AccessTokenProvider, in context: RenewalContext) -> Renewal<BearerToken>.Work {
        let leeway = leeway
        var saveToken: (@Sendable (BearerToken) async throws -> Void)?
        if let save { saveToken = { try await save($0.token) } }
        return Renewal<BearerToken>.Work(
            renew: { old in
                let token = try await provider.accessToken(replacing: old?.token, in: context)
                guard token.isWellFormed else { throw MalformedTokenError() }
                return BearerToken(token, leeway: leeway, now: context.environment.time.date)
            },
            save: saveToken,
            keepsOldValue: true
        )
    }

    private func exchange(_ request: Request, _ response: Response) -> ExchangeSnapshot {
        ExchangeSnapshot(request.head, response: response.head, redaction: redaction)
    }

    /// - Throws: `CancellationError` where the renewal failed with it.
    private func failure(_ error: any Error, _ exchange: ExchangeSnapshot) throws(CancellationError) -> BearerAuthError
    {
        if Task.isCancelled || error is CancellationError { throw CancellationError() }
        return BearerAuthError(renewal: error, exchange: exchange)
    }
}
