#if AllTests
import Foundation
import HTTPChainAuth
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainOAuth
import HTTPChainTesting
import HTTPTypes
import SignInServer
import Testing

@Suite("Signing in with an authorization code", .timeLimit(.minutes(10)))
struct CodeSignInTests {
    private func problem(
        _ change: @escaping @Sendable (String) -> String
    ) async throws -> SignInError.Problem? {
        let server = AuthorizationServer()
        let signIn = try await server.signIn()
        let error = await #expect(throws: SignInError.self) {
            try await signIn.token(by: BrowserAgent(server: server, change: change), over: server.transport)
        }
        return error?.problem
    }

    @Test("Signing in gives a token that opens the resource and can be refreshed")
    func success() async throws {
        let server = AuthorizationServer()
        let transport = server.transport
        let token = try await server.signIn().token(by: BrowserAgent(server: server), over: transport)
        #expect(token.refreshToken != nil && token.expiration != nil)
        let endpoint = TokenEndpoint("\(server.issuer)/token", client: server.client)
        let stage = BearerAuthMiddleware(.refreshToken(at: endpoint), for: "https://auth.example", token: token)
        let chain = try Chain([stage], transport: transport)
        #expect(try await chain.send(.get("\(server.issuer)/me")).status == .ok)
        stage.replaceToken(with: AccessToken("expired", refreshToken: token.refreshToken))
        #expect(try await chain.send(.get("\(server.issuer)/me")).status == .ok)
        #expect(stage.token?.value != token.value)
    }

    @Test("The request has what RFC 6749 and RFC 7636 demand, and is another one each time")
    func request() async throws {
        let server = AuthorizationServer()
        let signIn = AuthorizationCodeSignIn(
            authorizingAt: "https://auth.example/authorize?tenant=a",
            tokensAt: TokenEndpoint("https://auth.example/token", client: server.client),
            scope: ["read", "write"],
            parameters: ["prompt": "login", "state": "mine", "code_challenge_method": "plain"]
        )
        let request = try signIn.request(redirectURI: "http://127.0.0.1:1/callback")
        let values = query(request.url)
        #expect(values["tenant"] == "a" && values["prompt"] == "login" && values["scope"] == "read+write")
        #expect(values["response_type"] == "code" && values["client_id"] == "garden")
        #expect(values["redirect_uri"] == "http://127.0.0.1:1/callback")
        #expect(values["state"] == request.state.revealed && request.state.revealed.count >= 22)
        #expect(values["code_challenge"] == request.proofKey.challenge && values["code_challenge_method"] == "S256")
        #expect(!request.url.contains(request.proofKey.verifier.revealed))
        let other = try signIn.request(redirectURI: "http://127.0.0.1:1/callback")
        #expect(other.state != request.state && other.proofKey != request.proofKey)
        #expect(!"\(request)\(String(reflecting: request))".contains(request.state.revealed))
    }

    @Test("A wrong state, a missing one and one that is there twice are refused, before anything is believed")
    func wrongState() async throws {
        for change: @Sendable (String) -> String in [
            { $0.replacingOccurrences(of: "state=", with: "state=x") },
            { $0.replacingOccurrences(of: "state=", with: "other=") },
            { _ in "http://127.0.0.1:49152/callback?error=access_denied&state=wrong" },
            { _ in "http://127.0.0.1:49152/callback?code=stolen" },
        ] {
            #expect(try await problem(change) == .wrongState)
        }
        #expect(try await problem { $0 + "&state=x" } == .malformedCallback("it has state more than once"))
    }

    @Test("An error that the server sends back is told, with what it says")
    func denied() async throws {
        let server = AuthorizationServer()
        server.answer(with: .deny)
        let signIn = try await server.signIn()
        let error = await #expect(throws: SignInError.self) {
            try await signIn.token(by: BrowserAgent(server: server), over: server.transport)
        }
        #expect(error?.problem == .refused("access_denied", detail: "The user said no."))
        #expect(error?.recoverySuggestion != nil)
    }

    @Test("Another server's answer is refused, and so is one without a name where the server always gives it")
    func wrongIssuer() async throws {
        let change: @Sendable (String) -> String = {
            $0.replacingOccurrences(of: "iss=https%3A%2F%2Fauth.example", with: "iss=https%3A%2F%2Fevil.example")
        }
        #expect(try await problem(change) == .wrongIssuer("https://evil.example"))
        #expect(try await problem { $0.replacingOccurrences(of: "iss=", with: "x=") } == .wrongIssuer(nil))
    }

    @Test("What is not the redirect URI, or has no code or two, is no answer")
    func malformed() async throws {
        let notTheURI = SignInError.Problem.malformedCallback("it is not the redirect URI")
        #expect(try await problem { $0.replacingOccurrences(of: "/callback", with: "/other") } == notTheURI)
        #expect(try await problem { $0.replacingOccurrences(of: "127.0.0.1", with: "evil.example") } == notTheURI)
        #expect(try await problem { _ in "" } == notTheURI)
        #expect(
            try await problem { $0.replacingOccurrences(of: "code=", with: "x=") }
                == .malformedCallback("it has no code")
        )
        #expect(try await problem { $0 + "&code=x" } == .malformedCallback("it has code more than once"))
    }

    @Test("A code that is used again is refused, and the server ends what it gave before")
    func replay() async throws {
        let server = AuthorizationServer()
        let signIn = try await server.signIn()
        let request = try signIn.request(redirectURI: "http://127.0.0.1:1/callback")
        let callback = try #require(try await server.handle(.get(request.url)).headers[.location])
        let context = RefreshContext(over: server.transport)
        let token = try await signIn.token(for: callback, of: request, in: context)
        let error = await #expect(throws: OAuthError.self) {
            try await signIn.token(for: callback, of: request, in: context)
        }
        #expect(error?.code == "invalid_grant")
        let me = Request.get("\(server.issuer)/me", headers: [.authorization: "Bearer \(token.value.revealed)"])
        #expect(try await server.handle(me).status == .unauthorized)
    }

    @Test("A code that somebody else asked for is refused by the server: the verifier is wrong")
    func wrongVerifier() async throws {
        let server = AuthorizationServer()
        let signIn = try await server.signIn()
        let attacker = try signIn.request(redirectURI: "http://127.0.0.1:1/callback")
        let location = try #require(try await server.handle(.get(attacker.url)).headers[.location])
        let code = try #require(query(location)["code"])
        let victim = try signIn.request(redirectURI: "http://127.0.0.1:1/callback")
        let callback =
            "http://127.0.0.1:1/callback?code=\(code)&state=\(victim.state.revealed)"
            + "&iss=https%3A%2F%2Fauth.example"
        let error = await #expect(throws: OAuthError.self) {
            try await signIn.token(for: callback, of: victim, in: RefreshContext(over: server.transport))
        }
        #expect(error?.code == "invalid_grant")
        #expect(error.map { !"\($0)".contains(code) && !"\($0)".contains(victim.proofKey.verifier.revealed) } == true)
    }

    @Test("An endpoint that is not reached over TLS is refused", arguments: ["http://auth.example/a", "/a", ""])
    func insecure(url: String) {
        let signIn = AuthorizationCodeSignIn(
            authorizingAt: url,
            tokensAt: TokenEndpoint("https://auth.example/token", client: OAuthClient(id: "garden"))
        )
        let error = #expect(throws: SignInError.self) {
            try signIn.request(redirectURI: "http://127.0.0.1:1/callback")
        }
        #expect(error?.problem == .insecureEndpoint(url))
    }
}

@Suite("A proof key")
struct ProofKeyTests {
    @Test("A proof key has the challenge of RFC 7636 appendix B")
    func vector() throws {
        let key = try #require(ProofKey(verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
        #expect(key.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }

    @Test("A proof key is 43 characters of randomness, another each time, and does not show itself")
    func random() {
        let keys = (1...100).map { _ in ProofKey(random: SystemRandom()) }
        #expect(Set(keys.map(\.challenge)).count == 100)
        #expect(keys.allSatisfy { $0.verifier.revealed.count == 43 && $0.challenge.count == 43 })
        #expect(!"\(keys[0])".contains(keys[0].verifier.revealed))
    }

    @Test("A proof key takes no verifier that RFC 7636 does not know")
    func malformed() {
        for text in [
            "", String(repeating: "a", count: 42), String(repeating: "a", count: 129),
            String(repeating: "ä", count: 43), String(repeating: "+", count: 43),
        ] {
            #expect(ProofKey(verifier: Secret(text)) == nil)
        }
    }
}
#endif
