#if AllTests
import Foundation
import HTTPChainAuth
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import Testing

private let origin: OriginSet = "https://api.example.com"
private let plantsURL = "https://api.example.com/plants"

@Suite("A refresh fails")
struct BearerFailureTests {
    private func failure(_ cause: any Error) async throws -> AuthenticationError {
        let stage = BearerAuthMiddleware(TokenSource { _, _ in throw cause }, for: origin, token: AccessToken("old"))
        let outcome = await StageHarness(stage).send(.get(plantsURL + "?token=hidden"), answering: .unauthorized())
        return try #require(outcome.error as? AuthenticationError)
    }

    @Test("A network's failure and a grant that is not valid any more are told apart")
    func causes() async throws {
        let lost = try await failure(TransportError(.timedOut, sent: .maybe, stage: "test"))
        #expect(lost.problem == .refreshFailed)
        #expect((lost.underlyingError as? TransportError)?.kind == .timedOut)
        let refused = try await failure(OAuthError(.refused("invalid_grant", detail: nil)))
        #expect(refused.problem == .signInNeeded)
        #expect((refused.underlyingError as? OAuthError)?.code == "invalid_grant")
        let none = try await failure(OAuthError(.noRefreshToken))
        #expect(none.problem == .signInNeeded)
        let misconfigured = try await failure(OAuthError(.refused("invalid_client", detail: nil)))
        #expect(misconfigured.problem == .refreshFailed)
        let own = try await failure(ProviderBroke())
        #expect(own.underlyingError is ProviderBroke)
        #expect(own.exchange?.response?.status == .unauthorized)
        #expect("\(own)".contains("?token=<redacted>"))
    }

    @Test("A provider that gives up because it is cancelled ends the call in the same way")
    func cancelled() async {
        let stage = BearerAuthMiddleware(TokenSource { _, _ in throw CancellationError() }, for: origin)
        for _ in 1...7 {
            let outcome = await StageHarness(stage).send(.get(plantsURL), answering: [])
            #expect(outcome.error is CancellationError)
        }
    }

    @Test("A deadline of the provider's own call is a failed refresh, not the end of the call")
    func providerDeadline() async throws {
        let exceed = { @Sendable () async throws -> AccessToken in
            var request = Request.get("https://id.example.com/token")
            request.options[DeadlineNote.self] = DeadlineNote.Mark(.seconds(-1))
            return try await request.withinDeadline { AccessToken("never") }
        }
        let source = TokenSource { _, _ in try await exceed() }
        let due = AccessToken("due", expiration: start.addingTimeInterval(30))
        let early = BearerAuthMiddleware(source, for: origin, token: due, leeway: .seconds(60))
        #expect(await StageHarness(early, clock: VirtualClock()).send(.get(plantsURL)).requests.map(\.token) == ["due"])
        #expect(source.count == 1)
        let timeout = try #require(await #expect(throws: TimeoutError.self) { try await exceed() })
        let rejected = try await failure(timeout)
        #expect(rejected.problem == .refreshFailed)
        #expect((rejected.underlyingError as? TimeoutError)?.scope == .call)
    }

    @Test("The next call tries again")
    func nextCall() async throws {
        let source = TokenSource { number, _ in
            if number == 1 { throw ProviderBroke() }
            return AccessToken("new")
        }
        let stage = BearerAuthMiddleware(source, for: origin)
        _ = await StageHarness(stage).send(.get(plantsURL), answering: [])
        #expect(await StageHarness(stage).send(.get(plantsURL)).requests.map(\.token) == ["new"])
    }

    @Test("The token in use stays, for what else it is good for")
    func tokenStays() async throws {
        let stage = BearerAuthMiddleware(
            TokenSource { _, _ in throw ProviderBroke() },
            for: origin,
            token: AccessToken("old")
        )
        _ = await StageHarness(stage).send(.get(plantsURL), answering: .unauthorized())
        #expect(stage.token?.value == "old")
        #expect(await StageHarness(stage).send(.get(plantsURL)).requests.map(\.token) == ["old"])
    }
}

@Suite("A new token is saved")
struct BearerSavingTests {
    @Test("Each token is saved before it is used, and once")
    func order() async throws {
        let saved = Locked<[AccessToken]>([])
        let source = TokenSource { number, _ in
            AccessToken(Secret("token-\(number)"), refreshToken: Secret("r\(number)"))
        }
        let stage = BearerAuthMiddleware(
            source,
            for: origin,
            token: AccessToken("old"),
            saving: .calling { token in
                if let token { saved.withLock { $0.append(token) } }
            }
        )
        let outcome = await StageHarness(stage).send(
            .get(plantsURL),
            answering: [
                .unauthorized(),
                .perform { request in
                    #expect(saved.withLock { $0.map(\.value) } == ["token-1"])
                    return Response(.ok, body: HTTPBody(request.token ?? ""))
                },
            ]
        )
        #expect(try await outcome.response().body.text() == "token-1")
        _ = await StageHarness(stage).send(.get(plantsURL))
        #expect(saved.withLock { $0.map(\.refreshToken) } == ["r1"])
    }

    @Test("A token that could not be saved is not lost: the next call saves it before it uses it")
    func failure() async throws {
        let saved = Locked<[AccessToken]>([])
        let source = TokenSource()
        let store = ClosureTokenStore.calling { token in
            let count = saved.withLock { saved in
                if let token { saved.append(token) }
                return saved.count
            }
            if count == 1 { throw ProviderBroke() }
        }
        let stage = BearerAuthMiddleware(source, for: origin, saving: store)
        let first = await StageHarness(stage).send(.get(plantsURL), answering: [])
        let error = try #require(first.error as? AuthenticationError)
        #expect(error.problem == .tokenNotSaved)
        #expect(error.underlyingError is ProviderBroke)
        #expect(stage.token?.value == "token-1")
        let second = await StageHarness(stage).send(.get(plantsURL))
        #expect(second.requests.map(\.token) == ["token-1"])
        #expect(source.count == 1)
        #expect(saved.withLock { $0.map(\.value) } == ["token-1", "token-1"])
    }

    @Test("What the application did while a token was saved is what the store has", arguments: [nil, "ben"])
    func replacedMeanwhile(newToken: String?) async throws {
        let kept = Locked<String?>("old")
        let (began, goesOn) = (Rendezvous(), Rendezvous())
        let isFirst = Locked(true)
        let store = ClosureTokenStore.calling { token in
            let waits = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if waits {
                began.reach()
                try await goesOn.wait()
            }
            kept.withLock { $0 = token?.value.revealed }
        }
        let stage = BearerAuthMiddleware(TokenSource(), for: origin, saving: store)
        async let call = StageHarness(stage).send(.get(plantsURL))
        try await began.wait()
        let token = newToken.map { AccessToken(Secret($0)) }
        stage.replaceToken(with: token)
        if let token { try await store.save(token) } else { try await store.removeToken() }
        goesOn.reach()
        #expect(await call.requests.map(\.token) == (newToken.map { [$0] } ?? []))
        #expect(kept.withLock { $0 } == newToken)
        #expect(stage.token?.value.revealed == newToken)
    }
}
#endif
