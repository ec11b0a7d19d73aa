#if AllTests
import Foundation
import HTTPChainAuth
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

private let origin: OriginSet = "https://api.example.com"
private let plantsURL = "https://api.example.com/plants"

@Suite("A token is sent")
struct BearerSendingTests {
    @Test("A token is sent with every request to its origin, and bound to it")
    func fixed() async throws {
        let stage = BearerAuthMiddleware(token: "abc.def", for: origin)
        let outcome = await StageHarness(stage).send(.get(plantsURL))
        let request = try #require(outcome.requests.first)
        #expect(request.head.headerFields[values: .authorization] == ["Bearer abc.def"])
        #expect(request.options[OriginBoundFieldsNote.self] == [.authorization: try #require(Origin(plantsURL))])
    }

    @Test("The bindings of other fields stay")
    func otherBindings() async throws {
        let field = try #require(HTTPField.Name("X-Key"))
        let other = try #require(Origin("https://other.example"))
        var request = Request.get(plantsURL)
        request.options[OriginBoundFieldsNote.self] = [field: other]
        let outcome = await StageHarness(BearerAuthMiddleware(token: "abc", for: origin)).send(request)
        #expect(
            outcome.requests.first?.options[OriginBoundFieldsNote.self]
                == [field: other, .authorization: try #require(Origin(plantsURL))]
        )
    }

    @Test(
        "A URL is known by its origin, however it is written",
        arguments: [
            "https://api.example.com", "https://API.example.com/a", "HTTPS://api.example.com:443/a?b",
        ]
    )
    func sameOrigin(url: String) async {
        let outcome = await StageHarness(BearerAuthMiddleware(token: "abc", for: origin)).send(.get(url))
        #expect(outcome.requests.first?.token == "abc")
    }

    private static let services = [
        // Salesforce, the app-only tokens of X, Laravel Sanctum, Facebook.
        "00D5g000000abcd!AR8AQJ_x.yZ0", "AAAAAAAAMLheAAAA%2BsuSbI0AAA%3DEUifiRBk", "1|aBcDeFgHiJkL0",
        "1234567|s3cr_et-x",
    ]

    @Test(
        "Tokens of visible characters are sent unchanged",
        arguments: services + ["a,b;c=d0", "key:(0)", "abc=def0", "(a0)", "a&b", "\"", "="]
    )
    func visible(token: String) async throws {
        let stage = BearerAuthMiddleware(token: Secret(token), for: origin)
        _ = try Chain(transport: InMemoryTransport()) { stage }
        let outcome = await StageHarness(stage).send(.get(plantsURL))
        #expect(outcome.requests.first?.head.headerFields[.authorization] == "Bearer \(token)")
    }

    @Test("Tokens of common services are redacted in texts", arguments: services)
    func redacted(token: String) {
        for text in ["the server got Bearer \(token) and failed", "Authorization: Bearer \(token)\r\nHost: a"] {
            #expect(!Redaction.standard.text(text).contains(token.suffix(4)), "\(text)")
        }
    }

    @Test("A malformed token is refused when the chain is built, and when it is to be sent")
    func malformed() async throws {
        let stage = BearerAuthMiddleware(token: "se\r\nsame", for: origin)
        let error = #expect(throws: ChainOrderError.self) {
            try Chain(transport: InMemoryTransport()) { stage }
        }
        #expect(error?.problems.count == 1)
        #expect(!"\(try #require(error))".contains("same\""))
        let outcome = await StageHarness(stage).send(.get(plantsURL), answering: [])
        #expect((outcome.error as? AuthenticationError)?.problem == .malformedToken)
    }

    @Test("A provider's malformed token is refused, and not kept")
    func malformedFromProvider() async throws {
        let source = TokenSource { number, _ in AccessToken(number == 1 ? "a b" : "ab") }
        let stage = BearerAuthMiddleware(source, for: origin)
        let first = await StageHarness(stage).send(.get(plantsURL), answering: [])
        #expect((first.error as? AuthenticationError)?.problem == .malformedToken)
        let second = await StageHarness(stage).send(.get(plantsURL))
        #expect(second.requests.first?.token == "ab")
    }

    @Test("The table of the chain shows where tokens come from and go to")
    func summary() throws {
        let endpoint = TokenEndpoint(
            "https://user:pass@auth.example.com/token?client_secret=hidden",
            client: OAuthClient(id: "garden", secret: "hidden")
        )
        let chain = try Chain(transport: InMemoryTransport()) {
            BearerAuthMiddleware(.clientCredentials(at: endpoint, scope: ["read"]), for: origin)
            BearerAuthMiddleware(token: "hidden", for: ["https://b.example", "https://a.example:8443"])
        }
        let table = chain.explain()
        for text in [
            "for: https://api.example.com", "refreshed by: client credentials at https://<redacted>@auth.example.com",
            "for read", "leeway: 60.0 seconds", "at most: 5 in 30.0 seconds", "token: fixed",
            "https://a.example:8443, https://b.example",
        ] {
            #expect(table.contains(text), "\(text)")
        }
        #expect(!table.contains("hidden"))
    }

    @Test("The stage belongs inside retry")
    func phase() {
        let retry = ClosureMiddleware("Retry", phase: .retry) { request, next in try await next(request) }
        #expect(throws: Never.self) {
            try Chain(transport: InMemoryTransport()) {
                retry
                BearerAuthMiddleware(token: "abc", for: origin)
            }
        }
        #expect(throws: ChainOrderError.self) {
            try Chain(transport: InMemoryTransport()) {
                BearerAuthMiddleware(token: "abc", for: origin)
                retry
            }
        }
    }
}

@Suite("A token is refreshed")
struct BearerRefreshTests {
    @Test("The first call asks for the first token, the next has it")
    func firstToken() async throws {
        let source = TokenSource()
        let stage = BearerAuthMiddleware(source, for: origin)
        for _ in 1...3 {
            let outcome = await StageHarness(stage).send(.get(plantsURL))
            #expect(outcome.requests.map(\.token) == ["token-1"])
        }
        #expect(source.count == 1)
        #expect(stage.token?.value == "token-1")
    }

    @Test(
        "A token is refreshed after a 401, whatever challenge comes with it, if any",
        arguments: [
            nil, "Bearer", "Bearer error=\"invalid_token\"", "Bearer realm=\"a\", error=expired",
            "Basic realm=\"a\"", "Basic realm=\"a\", bearer error=\"invalid_token\"", "=nonsense=,",
        ]
    )
    func after401(challenge: String?) async throws {
        let source = TokenSource()
        let stage = BearerAuthMiddleware(source, for: origin, token: AccessToken("old", refreshToken: "r"))
        let outcome = await StageHarness(stage)
            .send(.post(plantsURL, body: "again"), answering: .unauthorized(challenge), .ok)
        #expect(outcome.requests.map(\.token) == ["old", "token-1"])
        for request in outcome.requests { #expect(try await request.body.text() == "again") }
        #expect(try outcome.response().status == .ok)
        #expect(source.olds == [AccessToken("old", refreshToken: "r")])
    }

    @Test(
        "A token is not refreshed when the server says that another one would not help",
        arguments: [
            (401, "Bearer error=\"invalid_request\"", "invalid_request"),
            (401, "Bearer error=\"insufficient_scope\", scope=\"write\"", "insufficient_scope"),
            (403, "Bearer error=\"insufficient_scope\", scope=\"write\"", "insufficient_scope"),
            (403, "Bearer error=\"invalid_token\"", "invalid_token"),
            (400, "Bearer error=\"invalid_request\"", "invalid_request"),
        ]
    )
    func notRenewed(status: Int, challenge: String, code: String) async throws {
        let source = TokenSource()
        let stage = BearerAuthMiddleware(source, for: origin, token: AccessToken("old"))
        let answer = StageHarness.Answer.status(
            .init(code: status),
            headers: [.wwwAuthenticate: challenge],
            body: "read me"
        )
        let outcome = await StageHarness(stage).send(.get(plantsURL), answering: answer)
        let response = try outcome.response()
        #expect(response.status.code == status)
        #expect(try await response.body.text() == "read me")
        let told = try #require(response.bearerChallenge)
        #expect(told.error == code)
        #expect(told.scope == (code == "insufficient_scope" ? ["write"] : []))
        #expect((response.authenticationRefusal != nil) == (status == 401))
        #expect(source.count == 0)
    }

    @Test("Responses that do not ask for a token pass", arguments: [200, 204, 304, 400, 403, 404, 407, 500])
    func others(status: Int) async throws {
        let source = TokenSource()
        let stage = BearerAuthMiddleware(source, for: origin, token: AccessToken("old"))
        let outcome = await StageHarness(stage).send(.get(plantsURL), answering: .status(.init(code: status)))
        let response = try outcome.response()
        #expect(response.status.code == status)
        #expect(response.bearerChallenge == nil && response.authenticationRefusal == nil)
        #expect(source.count == 0)
    }

    @Test("A server that takes no token is asked twice, and its answer is the caller's")
    func refusedAgain() async throws {
        let source = TokenSource()
        let stage = BearerAuthMiddleware(source, for: origin, token: AccessToken("old"))
        let outcome = await StageHarness(stage)
            .send(.get(plantsURL), answering: .unauthorized(), .unauthorized("Bearer realm=\"plants\""))
        let response = try outcome.response()
        #expect(outcome.requests.map(\.token) == ["old", "token-1"])
        #expect(try await response.body.text() == "who are you?")
        guard case .rejected(let space) = response.authenticationRefusal else {
            Issue.record("\(String(describing: response.authenticationRefusal))")
            return
        }
        #expect(space.realm == "plants" && space.scheme == "bearer")
        // The token may be good for all else.
        let other = await StageHarness(stage).send(.get(plantsURL))
        #expect(other.requests.map(\.token) == ["token-1"])
        #expect(source.count == 1)
    }

    @Test("A token that is fixed is not refreshed")
    func fixed() async throws {
        let stage = BearerAuthMiddleware(token: "abc", for: origin)
        let outcome = await StageHarness(stage).send(.get(plantsURL), answering: .unauthorized())
        let response = try outcome.response()
        #expect(response.bearerChallenge?.error == "invalid_token")
        guard case .rejected = response.authenticationRefusal else {
            Issue.record("\(String(describing: response.authenticationRefusal))")
            return
        }
    }

    @Test("A body that can be read once is not sent again, but the next call has a new token")
    func oneShotBody() async throws {
        let source = TokenSource()
        let stage = BearerAuthMiddleware(source, for: origin, token: AccessToken("old"))
        let body = HTTPBody.chunks(["once"])
        let outcome = await StageHarness(stage).send(.post(plantsURL, body: body), answering: .unauthorized())
        #expect(try outcome.response().authenticationRefusal == .bodyReadableOnce)
        #expect(source.count == 0)
        let next = await StageHarness(stage).send(.get(plantsURL))
        #expect(next.requests.map(\.token) == ["token-1"])
    }

    @Test("A token is refreshed before its end")
    func early() async throws {
        let clock = VirtualClock()
        let source = TokenSource { number, context in
            AccessToken(
                Secret("token-\(number)"),
                expiration: context.environment.time.date.addingTimeInterval(3600)
            )
        }
        let stage = BearerAuthMiddleware(source, for: origin, leeway: .seconds(60))
        let harness = StageHarness(stage, clock: clock)
        #expect(await harness.send(.get(plantsURL)).requests.map(\.token) == ["token-1"])
        clock.advance(by: .seconds(3539))
        #expect(await harness.send(.get(plantsURL)).requests.map(\.token) == ["token-1"])
        clock.advance(by: .seconds(1))
        #expect(await harness.send(.get(plantsURL)).requests.map(\.token) == ["token-2"])
        #expect(source.count == 2)
    }

    @Test("A token that lives shorter than the leeway serves for half its life")
    func shortLife() async throws {
        let clock = VirtualClock()
        let source = TokenSource { number, context in
            AccessToken(Secret("token-\(number)"), expiration: context.environment.time.date.addingTimeInterval(20))
        }
        let harness = StageHarness(BearerAuthMiddleware(source, for: origin, leeway: .seconds(60)), clock: clock)
        #expect(await harness.send(.get(plantsURL)).requests.map(\.token) == ["token-1"])
        clock.advance(by: .seconds(9))
        #expect(await harness.send(.get(plantsURL)).requests.map(\.token) == ["token-1"])
        clock.advance(by: .seconds(1))
        #expect(await harness.send(.get(plantsURL)).requests.map(\.token) == ["token-2"])
    }

    @Test("One that cannot be refreshed early is used to its end")
    func usedToTheEnd() async throws {
        let clock = VirtualClock()
        let source = TokenSource { _, _ in throw ProviderBroke() }
        let token = AccessToken("old", expiration: start.addingTimeInterval(60))
        let stage = BearerAuthMiddleware(source, for: origin, token: token, leeway: .seconds(60))
        let harness = StageHarness(stage, clock: clock)
        // Also when it was tried too often already.
        for _ in 1...8 { #expect(await harness.send(.get(plantsURL)).requests.map(\.token) == ["old"]) }
        #expect(source.count == 5)
        clock.advance(by: .seconds(60))
        let outcome = await harness.send(.get(plantsURL), answering: [])
        #expect((outcome.error as? AuthenticationError)?.problem == .refreshFailed)
    }

    @Test("A token is refreshed no more often than the limit allows")
    func limit() async throws {
        let clock = VirtualClock()
        let source = TokenSource()
        let limit = RefreshLimit(2, within: .seconds(30))
        let stage = BearerAuthMiddleware(source, for: origin, token: AccessToken("old"), limit: limit)
        let harness = StageHarness(stage, clock: clock)
        // One path that rejects new tokens would cause no other refresher.
        func turnDown(_ path: String) async throws -> Response {
            let answers = [StageHarness.Answer.unauthorized(), .unauthorized()]
            return try await harness.send(.get(plantsURL + path), answering: answers).response()
        }
        _ = try await turnDown("/1")
        #expect(source.count == 1)
        _ = try await turnDown("/2")
        #expect(source.count == 2)
        let response = try await turnDown("/3")
        #expect(response.authenticationRefusal == .tooManyRefreshes(limit))
        #expect(try await response.body.text() == "who are you?")
        #expect(source.count == 2)
        clock.advance(by: .seconds(30))
        _ = try await turnDown("/4")
        #expect(source.count == 3)
    }

    @Test("Tokens that have expired already do not make a loop")
    func expiredAtOnce() async throws {
        let source = TokenSource { number, _ in AccessToken(Secret("token-\(number)"), expiration: .distantPast) }
        let stage = BearerAuthMiddleware(source, for: origin)
        let harness = StageHarness(stage, clock: VirtualClock())
        for number in 1...5 {
            #expect(await harness.send(.get(plantsURL)).requests.map(\.token) == ["token-\(number)"])
        }
        let outcome = await harness.send(.get(plantsURL), answering: [])
        #expect((outcome.error as? AuthenticationError)?.problem == .tooManyRefreshes(.standard))
    }
}
#endif
