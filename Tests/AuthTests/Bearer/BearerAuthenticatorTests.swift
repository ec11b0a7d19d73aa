#if AllTests
import HTTPChainAuth
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

private let origin: OriginSet = "https://api.example.com"
private let plantsURL = "https://api.example.com/plants"
private let password = BasicAuthenticator(.fixed(user: "ada", password: "lovelace", for: origin))

@Suite("A token beside other schemes in one stage")
struct BearerAuthenticatorTests {
    private func fields(
        _ source: TokenSource,
        _ answers: [StageHarness.Answer]
    ) async throws -> (fields: [String?], response: Response) {
        let tokens = BearerAuthenticator(source, for: origin, token: AccessToken("old"))
        // The order in the list does not matter.
        let outcome = await StageHarness(AuthenticationMiddleware([password, tokens]))
            .send(.post(plantsURL, body: "again"), answering: answers)
        return (outcome.requests.map { $0.head.headerFields[.authorization] }, try outcome.response())
    }

    @Test("The token goes first, and is refreshed; a password is not sent as long as tokens are taken")
    func refreshed() async throws {
        let source = TokenSource()
        let seen = try await fields(source, [.unauthorized("Bearer error=invalid_token, Basic realm=a"), .ok])
        #expect(seen.fields == ["Bearer old", "Bearer token-1"] && seen.response.status == .ok)
    }

    @Test(
        "After a token was rejected for good, no password follows where the server takes tokens",
        arguments: ["Bearer error=invalid_token, Basic realm=a", "Basic realm=a, Bearer"]
    )
    func neverWeakened(challenge: String) async throws {
        let source = TokenSource()
        let seen = try await fields(source, [.unauthorized(challenge), .unauthorized(challenge)])
        #expect(seen.fields == ["Bearer old", "Bearer token-1"] && seen.response.status == .unauthorized)
        guard case .rejected = seen.response.authenticationRefusal else {
            Issue.record("\(String(describing: seen.response.authenticationRefusal))")
            return
        }
    }

    @Test("What another token would not help with is not tried with a password either")
    func insufficientScope() async throws {
        let source = TokenSource()
        let seen = try await fields(source, [.unauthorized("Bearer error=insufficient_scope, Basic realm=a")])
        #expect(seen.fields == ["Bearer old"])
        #expect(seen.response.bearerChallenge?.error == "insufficient_scope")
    }

    @Test("A server that names Basic alone gets a new token first, and the password when it rejects that, too")
    func basicAlone() async throws {
        let source = TokenSource()
        let expired = try await fields(source, [.unauthorized("Basic realm=a"), .ok])
        #expect(expired.fields == ["Bearer old", "Bearer token-1"] && expired.response.status == .ok)
        let answers: [StageHarness.Answer] = [.unauthorized("Basic realm=a"), .unauthorized("Basic realm=a"), .ok]
        let basic = try await fields(TokenSource(), answers)
        #expect(basic.fields == ["Bearer old", "Bearer token-1", adaField] && basic.response.status == .ok)
    }

    @Test("A token that was taken does not keep another path of the origin from asking for a password")
    func provesNothing() async throws {
        let transport = InMemoryTransport { request in
            if request.head.path == "/basic" {
                let isTaken = request.head.headerFields[.authorization] == adaField
                return isTaken ? Response(.ok) : Response(.unauthorized, headers: [.wwwAuthenticate: "Basic realm=b"])
            }
            let challenge = #"Bearer error="invalid_token""#
            return request.token == "token-1"
                ? Response(.ok) : Response(.unauthorized, headers: [.wwwAuthenticate: challenge])
        }
        let tokens = BearerAuthenticator(TokenSource(), for: origin, token: AccessToken("old"))
        let chain = try Chain(transport: transport) { AuthenticationMiddleware([tokens, password]) }
        #expect(try await chain.send(.get(plantsURL)).status == .ok)
        #expect(try await chain.send(.get("https://api.example.com/basic")).status == .ok)
        #expect(try await chain.send(.get(plantsURL)).status == .ok)
    }

    @Test("Tokens for two origins stand in one stage, and each keeps to its own")
    func twoOrigins() async throws {
        let stage = AuthenticationMiddleware([
            BearerAuthenticator(token: "a", for: "https://a.example"),
            BearerAuthenticator(TokenSource(), for: "https://b.example", token: AccessToken("b")),
        ])
        #expect(await StageHarness(stage).send(.get("https://a.example/")).requests.map(\.token) == ["a"])
        let refreshed = await StageHarness(stage).send(.get("https://b.example/"), answering: .unauthorized(), .ok)
        #expect(refreshed.requests.map(\.token) == ["b", "token-1"])
        #expect(await StageHarness(stage).send(.get("https://c.example/")).requests.map(\.token) == [nil])
    }

    @Test("The rejected response is read before the token is refreshed, and whole where it is not")
    func onePerConnection() async throws {
        let reads = Locked(0)
        let rejection = {
            var response = Response(.unauthorized, headers: [.wwwAuthenticate: "Bearer error=invalid_token"])
            response.body = HTTPBody.once {
                reads.withLock { $0 += 1 }
                return ChunkReader(["who are you?"])
            }
            return response
        }
        let source = TokenSource { number, _ in
            #expect(reads.withLock { $0 } == number)
            return AccessToken(Secret("token-\(number)"))
        }
        let stage = BearerAuthMiddleware(source, for: origin, token: AccessToken("old"))
        let outcome = await StageHarness(stage)
            .send(.get(plantsURL), answering: .response(rejection()), .response(rejection()))
        #expect(try await outcome.response().body.text() == "who are you?")
        #expect(source.count == 1)
    }

    @Test("The deadline of a call is kept by tokens alone, not where people may be asked")
    func deadlines() {
        #expect(BearerAuthMiddleware(token: "a", for: origin).keepsDeadlines)
        #expect(!AuthenticationMiddleware([BearerAuthenticator(token: "a", for: origin), password]).keepsDeadlines)
        #expect(!BasicAuthMiddleware(user: "a", password: "b", for: origin).keepsDeadlines)
    }

    @Test("An authenticator alone, without a chain, says what it would do")
    func alone() async throws {
        let tokens = BearerAuthenticator(TokenSource(), for: origin)
        let transport = InMemoryTransport()
        var context = AuthenticationContext(origin: try #require(Origin(plantsURL)), over: transport)
        var request = Request.get(plantsURL)
        #expect(try tokens.prepareAtOnce(&request, in: &context) == nil)
        #expect(try await tokens.prepare(&request, in: &context))
        #expect(request.token == "token-1")
        #expect(request.options[OriginBoundFieldsNote.self] == [.authorization: context.origin])
        let challenge = try #require(Challenge.parse(["Bearer error=\"invalid_token\""]).first)
        #expect(try await tokens.answer(challenge, to: &request, in: &context) == .answered)
        #expect(request.token == "token-2")
        let last = try await tokens.answer(challenge, to: &request, in: &context)
        let space = context.space("Bearer", realm: nil)
        #expect(last == AuthenticationAnswer.declined(.rejected(space)))
        #expect(transport.requestCount == 0)
    }
}

@Suite("Two stages that send tokens, one inside the other")
struct NestedTokenStagesTests {
    private func problems(_ outer: any Middleware, _ inner: any Middleware) -> [ChainProblem] {
        do {
            _ = try Chain([outer, inner], transport: InMemoryTransport())
            return []
        } catch {
            return error.problems
        }
    }

    @Test("For the same origin they are refused when the chain is built, with what to do about it")
    func sameOrigin() {
        let token = BearerAuthMiddleware(token: "a", for: origin)
        let both = AuthenticationMiddleware([BearerAuthenticator(token: "b", for: origin), password])
        let basic = BasicAuthMiddleware(user: "a", password: "b", for: origin)
        let pairs: [(any Middleware, any Middleware)] = [(token, token), (both, token), (token, both), (both, basic)]
        for (outer, inner) in pairs {
            let found = problems(outer, inner)
            #expect(found.count == 1, "\(found)")
            #expect(found.first?.fix.contains("RoutedAuthMiddleware") == true)
        }
    }

    @Test("For other origins, and of other kinds, they are fine")
    func others() {
        let token = BearerAuthMiddleware(token: "a", for: origin)
        let elsewhere = BearerAuthMiddleware(token: "a", for: "https://other.example")
        let basic = BasicAuthMiddleware(user: "a", password: "b", for: origin)
        let preemptive = BasicAuthMiddleware(
            user: "a",
            password: "b",
            for: "https://other.example",
            sending: .preemptively
        )
        let pairs: [(any Middleware, any Middleware)] = [
            (token, elsewhere), (basic, token), (token, basic), (preemptive, token),
        ]
        for (outer, inner) in pairs {
            #expect(problems(outer, inner).isEmpty)
        }
    }

    @Test("A password that is sent preemptively, around a stage whose token would never be used, is refused")
    func preemptivePassword() {
        let preemptive = BasicAuthMiddleware(user: "a", password: "b", for: origin, sending: .preemptively)
        let found = problems(preemptive, BearerAuthMiddleware(token: "a", for: origin))
        #expect(found.count == 1)
        #expect(found.first?.fix.contains("AuthenticationMiddleware([") == true)
    }
}

@Suite("The rules of every stage are kept by tokens beside passwords")
struct BearerAuthenticatorConformanceTests {
    @Test(
        "A stage with tokens beside passwords keeps the rules of every stage",
        .timeLimit(.minutes(10)),
        arguments: StageConformance.Check.allCases
    )
    func conforms(check: StageConformance.Check) async throws {
        let conformance: OriginSet = "https://conformance.example"
        try await StageConformance(calls: .any) {
            AuthenticationMiddleware([
                BearerAuthenticator(TokenSource(), for: conformance, token: AccessToken("abc")),
                BasicAuthenticator(.fixed(user: "ada", password: "lovelace", for: conformance)),
            ])
        }.verify(check)
    }
}
#endif
