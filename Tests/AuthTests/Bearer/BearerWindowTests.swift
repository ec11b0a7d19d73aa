#if AllTests
import HTTPChainAuth
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import Testing

private let origin: OriginSet = "https://api.example.com"

@Suite("Refreshing for one path leaves the others theirs")
struct BearerWindowTests {
    /// Sends to a path that always answers 401, and then lets the token expire elsewhere.
    @Test(
        "A path that always answers 401 causes one refresh, and an expired token is refreshed nevertheless",
        arguments: [nil, "Basic realm=a", "Bearer", #"Bearer error="invalid_token""#]
    )
    func stubbornPath(challenge: String?) async throws {
        let clock = VirtualClock()
        let revoked = Locked<Set<String>>([])
        let source = TokenSource()
        let stage = BearerAuthMiddleware(source, for: origin, token: AccessToken("old"))
        let transport = InMemoryTransport { request in
            let isRevoked = revoked.withLock { $0.contains(request.token ?? "") }
            if request.head.path?.hasPrefix("/broken") == true || isRevoked {
                let challenge = isRevoked ? #"Bearer error="invalid_token""# : challenge
                return Response(.unauthorized, headers: challenge.map { [.wwwAuthenticate: $0] } ?? [:])
            }
            return Response(.ok)
        }
        let chain = try Chain([stage], transport: transport, environment: .virtual(clock))
        for number in 1...20 {
            let response = try await chain.send(.get("https://api.example.com/broken?\(number)"))
            #expect(response.status == .unauthorized)
            let space = ProtectionSpace(
                origin: try #require(Origin("https://api.example.com")),
                realm: nil,
                scheme: "bearer"
            )
            #expect(response.authenticationRefusal == .rejected(space))
        }
        #expect(source.count == 1)
        revoked.withLock { $0 = ["token-1"] }
        #expect(try await chain.send(.get("https://api.example.com/plants")).status == .ok)
        #expect(source.count == 2)
        // After the interval of the limit the path may cause another one.
        clock.advance(by: .seconds(31))
        _ = try await chain.send(.get("https://api.example.com/broken"))
        #expect(source.count == 3)
    }

    @Test("A young token is refreshed when the server says that it is invalid, and not for a 401 without a reason")
    func young() async throws {
        let source = TokenSource()
        let harness = StageHarness(BearerAuthMiddleware(source, for: origin))
        let plain = await harness.send(.get("https://api.example.com/a"), answering: .unauthorized(nil))
        #expect(plain.requests.map(\.token) == ["token-1"])
        let invalid = await harness.send(.get("https://api.example.com/a"), answering: .unauthorized(), .ok)
        #expect(invalid.requests.map(\.token) == ["token-1", "token-2"])
    }

    @Test("A token that is fetched while the user signs out is handed back to the provider")
    func discarded() async throws {
        final class Provider: AccessTokenProvider {
            let (isAsked, mayAnswer) = (Rendezvous(), Rendezvous())
            let discarded = Locked<[Secret]>([])

            func accessToken(replacing old: AccessToken?, in context: RefreshContext) async throws -> AccessToken {
                isAsked.reach()
                try await mayAnswer.wait()
                return AccessToken("late")
            }

            func discard(_ token: AccessToken, in context: RefreshContext) async throws {
                discarded.withLock { $0.append(token.value) }
            }
        }
        let provider = Provider()
        let stage = BearerAuthMiddleware(provider, for: origin)
        async let outcome = StageHarness(stage).send(.get("https://api.example.com/a"), answering: [])
        try await provider.isAsked.wait()
        stage.replaceToken(with: nil)
        provider.mayAnswer.reach()
        #expect((await outcome.error as? AuthenticationError)?.problem == .signedOut)
        #expect(provider.discarded.withLock { $0 } == ["late"])
    }
}

@Suite("The network at the token endpoint")
struct BearerNetworkTests {
    @Test(
        "A failure of the token endpoint is reported as what it is: nothing of the call was sent, or it was answered with 401"
    )
    func failure() async throws {
        let lost = TransportError(.connectionLost, sent: .maybe, stage: "test")
        let unsent = await StageHarness(BearerAuthMiddleware(TokenSource { _, _ in throw lost }, for: origin))
            .send(.post("https://api.example.com/a", body: "x"), answering: [])
        let failure = try #require(unsent.error as? any NetworkFailure).networkFailure
        #expect(failure?.kind == .connectionLost && failure?.sent == .nothing)
        #expect(unsent.error?.isBeforeSending == true && unsent.error?.afterSending.isBeforeSending == false)
        let answered = await StageHarness(
            BearerAuthMiddleware(TokenSource { _, _ in throw lost }, for: origin, token: AccessToken("old"))
        ).send(.get("https://api.example.com/a"), answering: .unauthorized())
        #expect((answered.error as? any NetworkFailure)?.networkFailure?.sent == .answered)
        let refused = await StageHarness(
            BearerAuthMiddleware(TokenSource { _, _ in throw OAuthError(.noRefreshToken) }, for: origin)
        ).send(.get("https://api.example.com/a"), answering: [])
        let error = try #require(refused.error as? any NetworkFailure)
        #expect(error.networkFailure == nil)
    }
}
#endif
