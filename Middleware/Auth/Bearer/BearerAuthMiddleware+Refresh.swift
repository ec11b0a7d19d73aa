import HTTPChainCore
import HTTPTypes

extension BearerAuthMiddleware {
    typealias Versioned = RefreshState<BearerToken>.Versioned
    typealias Version = RefreshState<BearerToken>.Version

    /// Once with a newer token that was there already, and once with one that was made meanwhile.
    private static let repeats = 2
    private static let scheme = KnownScheme(target: .origin, name: "Bearer", strength: .token)

    /// A token for a call that has none, or one that is about to expire.
    func firstToken(
        _ current: Versioned?,
        _ version: Version,
        from provider: any AccessTokenProvider,
        for request: Request,
        next: Next
    ) async throws -> Versioned {
        let environment = request.environment
        do {
            let work = self.work(of: provider, in: RefreshContext(environment: environment, next: next))
            return try await request.withinDeadline {
                try await refresher.refreshed(after: version, time: environment.time, work)
            }
        } catch let error as TimeoutError where error.scope == .call {
            throw error
        } catch {
            let failure = try self.failure(error, ExchangeSnapshot(request.head, redaction: redaction))
            if failure.problem == .signedOut { throw failure }
            // Refreshed early, it is good for a while yet.
            let usable = if case .tooManyRefreshes = failure.problem { refresher.look().current } else { current }
            guard let usable, !usable.value.token.hasExpired(at: environment.time.date) else { throw failure }
            return usable
        }
    }

    /// Gets a newer token for a call whose token the server did not take, and sends it again where that may help.
    func rejected(
        _ response: Response,
        _ current: Versioned,
        _ request: Request?,
        _ binding: OriginBinding,
        next: Next
    ) async throws -> Response {
        var response = response
        var sent = current
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
            let rejected = AuthenticationRefusal.rejected(
                ProtectionSpace(origin: binding.origin, realm: challenge?.realm, scheme: "bearer")
            )
            guard let provider, !isFresh, count < Self.repeats else {
                if isFresh, let request {
                    refresher.noteRejection(on: request.head.path, time: request.environment.time)
                }
                response.authenticationRefusal = rejected
                return response
            }
            guard let request else {
                refresher.reject(sent.version)
                response.authenticationRefusal = .bodyReadableOnce
                return response
            }
            let token: Versioned
            let time = request.environment.time
            switch refresher.advice(for: sent.version, on: request.head.path, time: time) {
            case .refuse:
                response.authenticationRefusal = rejected
                return response
            case .refresh
            where challenge?.error != .invalidToken
                && sent.value.isYoung(at: time.elapsed, under: refresher.limit):
                // A server that means the token says so (RFC 6750 §3.1); this one may mean that nobody may have that.
                response.authenticationRefusal = rejected
                return response
            case .giveUp:
                response.authenticationRefusal = .tooManyRefreshes(refresher.limit)
                return response
            case .fail(let error):
                throw try failure(error, exchange(request, response))
            case .use(let newer):
                await response.body.drain()
                token = newer
            case .refresh:
                // Read before the refresh: it may need the connection.
                await response.body.drain()
                let work = self.work(of: provider, in: RefreshContext(environment: request.environment, next: next))
                do {
                    let last = sent.version
                    token = try await request.withinDeadline {
                        try await refresher.refreshed(after: last, time: time, work)
                    }
                } catch let error as TimeoutError where error.scope == .call {
                    throw error
                } catch {
                    throw try failure(error, exchange(request, response))
                }
                isFresh = true
            }
            sent = token
            var again = request
            again.head.headerFields[.authorization] = nil
            try add(token.value, to: &again, binding)
            response = try await next(again)
        }
        return response
    }

    private func work(of provider: any AccessTokenProvider, in context: RefreshContext) -> Refresher<BearerToken>.Work {
        let leeway = leeway
        var saveToken: (@Sendable (BearerToken) async throws -> Void)?
        if let save { saveToken = { try await save($0.token) } }
        return Refresher<BearerToken>.Work(
            refresh: { old in
                let token = try await provider.accessToken(replacing: old?.token, in: context)
                guard token.isWellFormed else { throw MalformedTokenError() }
                let time = context.environment.time
                return BearerToken(token, leeway: leeway, now: time.date, fetched: time.elapsed)
            },
            save: saveToken,
            discard: { try? await provider.discard($0.token, in: context) },
            keepsOldValue: true
        )
    }

    private func exchange(_ request: Request, _ response: Response) -> ExchangeSnapshot {
        ExchangeSnapshot(request.head, response: response.head, redaction: redaction)
    }

    /// - Throws: `CancellationError` where the refresh failed with it.
    private func failure(_ error: any Error, _ exchange: ExchangeSnapshot) throws(CancellationError) -> BearerAuthError
    {
        if Task.isCancelled || error is CancellationError { throw CancellationError() }
        return BearerAuthError(refresh: error, exchange: exchange)
    }
}
