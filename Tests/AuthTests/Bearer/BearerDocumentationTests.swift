#if AllTests
import Foundation
import HTTPChainAuth
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import Testing

@Suite("The examples of the documentation of Bearer tokens work")
struct BearerDocumentationTests {
    private let transport = InMemoryTransport()
    private let secret: Secret = "s3cret"

    init() {
        transport.on(.post, "https://auth.example.com/token") { request in
            let text = try await request.body.text()
            let kind = text.contains("authorization_code") ? "code" : "client"
            return Response(.ok, body: HTTPBody(#"{"access_token": "\#(kind)", "token_type": "Bearer"}"#))
        }
        transport.on(.get, "https://api.example.com/plants") { request in
            request.token == nil ? Response(.unauthorized) : Response(.ok, body: HTTPBody(request.token ?? ""))
        }
    }

    @Test("A stage gets its tokens by client credentials")
    func clientCredentials() async throws {
        let endpoint = TokenEndpoint(
            "https://auth.example.com/token",
            client: OAuthClient(id: "garden", secret: secret)
        )
        let chain = try Chain(transport: transport) {
            BearerAuthMiddleware(.clientCredentials(at: endpoint), for: "https://api.example.com")
        }
        let response = try await chain.send(.get("https://api.example.com/plants"))
        #expect(try await response.body.text() == "client")
    }

    @Test("The end of a sign-in gives a token")
    func authorizationCode() async throws {
        let endpoint = TokenEndpoint(
            "https://auth.example.com/token",
            client: OAuthClient(id: "garden", secret: secret)
        )
        let (code, redirectURI, verifier) = ("c", "https://app.example/done", "v")
        let token = try await endpoint.token(
            grantType: "authorization_code",
            parameters: ["code": code, "redirect_uri": redirectURI, "code_verifier": verifier],
            in: RefreshContext(over: transport)
        )
        #expect(token.value == "code")
    }

    @Test("An application learns what the server wants the token to be good for")
    func insufficientScope() async throws {
        let asked = Locked<[String]>([])
        func askUser(toAllow scope: [String]) { asked.withLock { $0 = scope } }
        transport.on(.get, "/plants") { _ in
            Response(.forbidden, headers: [.wwwAuthenticate: "Bearer error=\"insufficient_scope\", scope=\"write\""])
        }
        let chain = try Chain(transport: transport) {
            BearerAuthMiddleware(token: "abc", for: "https://api.example.com")
        }
        let response = try await chain.send(.get("https://api.example.com/plants"))
        if let challenge = response.bearerChallenge, challenge.error == "insufficient_scope" {
            askUser(toAllow: challenge.scope)
        }
        #expect(asked.withLock { $0 } == ["write"])
    }
}

@Suite("The rules of every stage are kept by Bearer tokens")
struct BearerConformanceTests {
    @Test(
        "A stage with Bearer tokens keeps the rules of every stage",
        .timeLimit(.minutes(10)),
        arguments: StageConformance.Check.allCases
    )
    func conforms(check: StageConformance.Check) async throws {
        try await StageConformance { BearerAuthMiddleware(token: "abc", for: "https://conformance.example") }.verify(
            check
        )
        try await StageConformance { BearerAuthMiddleware(token: "abc", for: "https://other.example") }.verify(check)
        try await StageConformance(calls: .any) {
            BearerAuthMiddleware(TokenSource(), for: "https://conformance.example", token: AccessToken("abc"))
        }.verify(check)
        // The token comes through next, too.
        try await StageConformance(
            calls: .any,
            answers: { [.ok(#"{"access_token": "abc", "expires_in": 60}"#)] },
            stage: {
                BearerAuthMiddleware(
                    .clientCredentials(
                        at: TokenEndpoint("https://auth.example/token", client: OAuthClient(id: "a", secret: "b"))
                    ),
                    for: "https://conformance.example"
                )
            }
        ).verify(check)
    }
}
#endif
