#if AllTests
import Foundation
import HTTPChainAuth
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import Testing

@Suite("No token leaves its origin")
struct BearerOriginTests {
    @Test(
        "A request elsewhere goes without",
        arguments: [
            "https://other.example/", "http://api.example.com/", "https://api.example.com:8443/",
            "https://api.example.com.evil.example/", "https://evil.example/?https://api.example.com",
            "https://sub.api.example.com/", "https://example.com/", "/relative", "//api.example.com/",
            "http://api.example.com:443/", "https://api.example.com@evil.example/",
        ]
    )
    func elsewhere(url: String) async throws {
        let source = TokenSource()
        for stage in [
            BearerAuthMiddleware(token: "sesame", for: "https://api.example.com"),
            BearerAuthMiddleware(source, for: "https://api.example.com"),
        ] {
            let outcome = await StageHarness(stage).send(.get(url), answering: .unauthorized())
            #expect(outcome.requests.count == 1)
            #expect(outcome.requests.first?.head.headerFields[.authorization] == nil)
            let refusal = try outcome.response().authenticationRefusal
            guard let origin = Origin(url) else {
                #expect(refusal == nil)
                continue
            }
            let space = ProtectionSpace(origin: origin, realm: nil, scheme: "bearer")
            #expect(refusal == .noCredential(space))
        }
        #expect(source.count == 0)
    }

    @Test("Credentials that the caller set by hand are left alone, and a 401 is the caller's")
    func byHand() async throws {
        let source = TokenSource()
        let stage = BearerAuthMiddleware(source, for: "https://api.example.com", token: AccessToken("sesame"))
        for value in ["Basic abc", "Bearer mine", ""] {
            let request = Request.get("https://api.example.com/", headers: [.authorization: value])
            let outcome = await StageHarness(stage).send(request, answering: .unauthorized())
            #expect(outcome.requests.map { $0.head.headerFields[values: .authorization] } == [[value]])
            #expect(try outcome.response().status == .unauthorized)
        }
        #expect(source.count == 0)
    }

    @Test("A request that is to go without does, and so does one whose Host is another")
    func optedOut() async throws {
        let stage = BearerAuthMiddleware(token: "sesame", for: "https://api.example.com")
        let host = try #require(HTTPField.Name("Host"))
        let requests = [
            Request.get("https://api.example.com/").authentication(false),
            Request.get("https://api.example.com/", headers: [host: "evil.example"]),
        ]
        for request in requests {
            let outcome = await StageHarness(stage).send(request)
            #expect(outcome.requests.first?.head.headerFields[.authorization] == nil)
        }
    }

    @Test(
        "A Host field that names the URL's origin in another notation is no other host, and everything else is",
        arguments: [
            ("A.Example", true), ("a.example:443", true), ("A.EXAMPLE:443", true), ("a.example:", true),
            ("a.example:80", false), ("a.example.", false), ("user@a.example", false), ("a.example, a.example", false),
            ("b.example", false), ("", false),
        ]
    )
    func hostField(text: String, isSame: Bool) async throws {
        let host = try #require(HTTPField.Name("Host"))
        let stage = BearerAuthMiddleware(token: "sesame", for: "https://a.example")
        for url in ["https://a.example/", "https://A.EXAMPLE:443/"] {
            let outcome = await StageHarness(stage).send(.get(url, headers: [host: text]))
            let field = outcome.requests.first?.head.headerFields[.authorization]
            #expect((field == "Bearer sesame") == isSame, "\(url)")
        }
    }

    @Test("A redirect to another origin drops the token")
    func redirect() async throws {
        let stage = BearerAuthMiddleware(token: "sesame", for: "https://api.example.com")
        for target in ["https://other.example", "http://api.example.com"] {
            let outcome = await StageHarness(stage).send(.get("https://api.example.com/"))
            var request = try #require(outcome.requests.first)
            request.removeFields(boundToOthersThan: Origin(target))
            #expect(request.head.headerFields[.authorization] == nil)
        }
    }

    @Test("A challenge of another origin, where the transport was led to, is not answered")
    func foreignChallenge() async throws {
        let source = TokenSource()
        let stage = BearerAuthMiddleware(source, for: "https://api.example.com", token: AccessToken("sesame"))
        var answer = Response(.unauthorized, headers: [.wwwAuthenticate: "Bearer error=\"invalid_token\""])
        answer.request = Request.get("https://evil.example/").head
        let outcome = await StageHarness(stage).send(.get("https://api.example.com/"), answering: .response(answer))
        let response = try outcome.response()
        #expect(outcome.requests.count == 1)
        #expect(response.authenticationRefusal == .otherOrigin(try #require(Origin("https://evil.example"))))
        #expect(response.bearerChallenge == nil)
        #expect(source.count == 0)
    }

    @Test("An origin without TLS is refused when the chain is built, and gets nothing when that is not checked")
    func plaintext() async throws {
        let stage = BearerAuthMiddleware(token: "sesame", for: ["http://api.example.com", "https://api.example.com"])
        let error = #expect(throws: ChainOrderError.self) { try Chain(transport: InMemoryTransport()) { stage } }
        #expect(error?.problems.count == 1)
        #expect(error?.reason.contains("to http://api.example.com without TLS") == true)
        #expect(await StageHarness(stage).send(.get("http://api.example.com/")).requests.map(\.token) == [nil])
        #expect(await StageHarness(stage).send(.get("https://api.example.com/")).requests.map(\.token) == ["sesame"])
        let allowed = BearerAuthMiddleware(token: "sesame", for: "http://api.example.com", allowsPlaintext: true)
        #expect(throws: Never.self) { try Chain(transport: InMemoryTransport()) { allowed } }
        #expect(await StageHarness(allowed).send(.get("http://api.example.com/")).requests.map(\.token) == ["sesame"])
        let local = BearerAuthMiddleware(token: "sesame", for: "http://localhost:8080")
        #expect(throws: Never.self) { try Chain(transport: InMemoryTransport()) { local } }
        #expect(await StageHarness(local).send(.get("http://localhost:8080/")).requests.map(\.token) == ["sesame"])
    }

    @Test("What is no origin is refused when the chain is built, and so is a transport that follows redirects")
    func problems() {
        let invalid = #expect(throws: ChainOrderError.self) {
            try Chain(transport: InMemoryTransport()) { BearerAuthMiddleware(token: "a", for: "api.example.com") }
        }
        #expect(invalid?.problems.count == 1)
        let following = #expect(throws: ChainOrderError.self) {
            try Chain(transport: InMemoryTransport(capabilities: .followsRedirects)) {
                BearerAuthMiddleware(token: "a", for: "https://api.example.com")
            }
        }
        #expect(following?.problems.count == 1)
    }

    @Test("A weaker scheme further out does not follow with a password")
    func weakerOutside() async throws {
        let transport = InMemoryTransport { _ in
            Response(.unauthorized, headers: [.wwwAuthenticate: "Bearer, Basic realm=\"a\""])
        }
        let chain = try Chain(transport: transport) {
            AuthenticationMiddleware([
                BasicAuthenticator(.fixed(user: "ada", password: "pw", for: "https://api.example.com"))
            ])
            BearerAuthMiddleware(token: "sesame", for: "https://api.example.com")
        }
        _ = try? await chain.send(.get("https://api.example.com/"))
        #expect(!transport.requests.contains { $0.headers[.authorization]?.hasPrefix("Basic") == true })
    }
}

@Suite("No token shows itself")
struct BearerSecrecyTests {
    @Test("A token does not show in errors, traces, tables, mirrors or records")
    func everywhere() async throws {
        let secrets = ["acc3ss", "r3fresh", "s3cret", "n3w"]
        let transport = InMemoryTransport()
        transport.on(.post, "/token") { _ in
            Response(
                .badRequest,
                body: #"{"error": "invalid_grant", "error_description": "r3fresh s3cret", "access_token": "n3w"}"#
            )
        }
        transport.on(.get, "/plants") { _ in Response(.unauthorized) }
        let endpoint = TokenEndpoint(
            "https://auth.example.com/token",
            client: OAuthClient(id: "garden", secret: "s3cret", authentication: .body)
        )
        let stage = BearerAuthMiddleware(
            .refreshToken(at: endpoint),
            for: "https://api.example.com",
            token: AccessToken("acc3ss", refreshToken: "r3fresh")
        )
        let chain = try Chain(transport: transport) { stage }
        var texts = [chain.explain(), "\(stage)", String(reflecting: stage)]
        var dumped = ""
        dump(stage, to: &dumped)
        dump(endpoint, to: &dumped)
        let error = try #require(
            await #expect(throws: AuthenticationError.self) {
                try await chain.send(.get("https://api.example.com/plants"))
            }
        )
        #expect(error.problem == .signInNeeded)
        dump(error, to: &dumped)
        texts += ["\(error)", String(reflecting: error), error.localizedDescription, dumped]
        let trace = await chain.trace(.get("https://api.example.com/plants")).trace
        texts += ["\(trace)", trace.html()]
        texts += transport.requests.map { "\($0)" }
        #expect(transport.requests.contains { $0.text.contains("r3fresh") }, "or there is nothing to show")
        for text in texts {
            for secret in secrets { #expect(!text.contains(secret), "\(text)") }
        }
    }
}
#endif
