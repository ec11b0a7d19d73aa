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

@Suite("An authorization server's metadata", .timeLimit(.minutes(10)))
struct MetadataTests {
    private func problem(
        _ response: Response,
        of issuer: String = "https://auth.example"
    ) async -> SignInError.Problem? {
        let error = await #expect(throws: SignInError.self) {
            try await AuthorizationServerMetadata.discover(issuer, over: InMemoryTransport { _ in response })
        }
        return error?.problem
    }

    @Test("The metadata is where RFC 8414 §3.1 and OpenID Connect Discovery have it")
    func location() {
        for (issuer, oauth, openID) in [
            (
                "https://a.example", "https://a.example/.well-known/oauth-authorization-server",
                "https://a.example/.well-known/openid-configuration"
            ),
            (
                "https://a.example/", "https://a.example/.well-known/oauth-authorization-server",
                "https://a.example/.well-known/openid-configuration"
            ),
            (
                "https://a.example:8443/tenant/1",
                "https://a.example:8443/.well-known/oauth-authorization-server/tenant/1",
                "https://a.example:8443/tenant/1/.well-known/openid-configuration"
            ),
        ] {
            #expect(AuthorizationServerMetadata.url(of: issuer, at: .oauth) == oauth)
            #expect(AuthorizationServerMetadata.url(of: issuer, at: .openID) == openID)
        }
        #expect(AuthorizationServerMetadata.url(of: "https://a.example?x", at: .oauth) == nil)
    }

    @Test("The metadata names the endpoints, and is asked for without credentials and without redirects")
    func found() async throws {
        let server = AuthorizationServer()
        let transport = server.transport
        let metadata = try await AuthorizationServerMetadata.discover(server.issuer, over: transport)
        #expect(metadata.tokenEndpoint == "https://auth.example/token")
        #expect(metadata.codeChallengeMethods == ["S256"] && metadata.namesIssuerInCallback)
        let options = try #require(transport.requests.first).options
        #expect(options[NoAuthenticationOption.self] && options[NoRedirectsNote.self])
    }

    @Test("Metadata of another issuer, of no server, or too long to be any, is not used")
    func unusable() async {
        func unusable(_ problem: SignInError.Problem?) -> Bool {
            if case .unusableMetadata = problem { true } else { false }
        }
        for response in [
            Response(.ok, body: #"{"issuer": "https://evil.example"}"#), Response(.ok, body: "{}"),
            Response(.ok, body: #"{"issuer": "https://auth.example/"}"#), Response(.ok, body: "<html>"),
            Response(.notFound), Response(.found, headers: [.location: "https://evil.example"]),
            Response(.ok, body: HTTPBody(Data(repeating: 0x20, count: 70_000))),
        ] {
            #expect(unusable(await problem(response)))
        }
        let issuer = "https://auth.example/\u{E9}"
        #expect(
            unusable(await problem(Response(.ok, body: "{\"issuer\": \"https://auth.example/e\u{301}\"}"), of: issuer))
        )
        #expect(await problem(Response(.ok), of: "http://auth.example") == .insecureEndpoint("http://auth.example"))
    }

    @Test(
        "Members that are not needed do no harm, whatever their type",
        arguments: [
            (#""scopes_supported": "openid email""#, ["openid", "email"], nil, false),
            (#""scopes_supported": ["openid", 5, null]"#, ["openid"], nil, false),
            (#""scopes_supported": 5, "revocation_endpoint": []"#, nil, nil, false),
            (#""scopes_supported": "", "device_authorization_endpoint": """#, nil, nil, false),
            (#""code_challenge_methods_supported": "plain S256""#, nil, ["plain", "S256"], false),
            (#""code_challenge_methods_supported": {}, "authorization_endpoint": 7"#, nil, nil, false),
            (#""authorization_response_iss_parameter_supported": "true""#, nil, nil, true),
            (#""authorization_response_iss_parameter_supported": 7"#, nil, nil, false),
        ] as [(String, [String]?, [String]?, Bool)]
    )
    func oddMembers(members: String, scopes: [String]?, methods: [String]?, namesIssuer: Bool) throws {
        let text = #"{"issuer": "https://a.example", "token_endpoint": "https://a.example/token", \#(members)}"#
        let metadata = try AuthorizationServerMetadata(Data(text.utf8), of: "https://a.example")
        #expect(metadata.tokenEndpoint == "https://a.example/token")
        #expect(metadata.scopes == scopes && metadata.codeChallengeMethods == methods)
        #expect(metadata.namesIssuerInCallback == namesIssuer)
        #expect(metadata.deviceAuthorizationEndpoint == nil && metadata.revocationEndpoint == nil)
        #expect(metadata.authorizationEndpoint == nil)
    }

    @Test("An endpoint that it does not name, or names without TLS, is an error; so is PKCE that it does not know")
    func endpoints() throws {
        func metadata(_ members: String) throws -> AuthorizationServerMetadata {
            let text = #"{"issuer": "https://a.example"\#(members)}"#
            return try AuthorizationServerMetadata(Data(text.utf8), of: "https://a.example")
        }
        let client = OAuthClient(id: "a")
        var error = #expect(throws: SignInError.self) { try TokenRevocation(try metadata(""), client: client) }
        #expect(error?.problem == .noEndpoint("revocation_endpoint"))
        error = #expect(throws: SignInError.self) {
            try metadata(#", "token_endpoint": "http://a.example/token""#).tokenEndpoint(client: client)
        }
        #expect(error?.problem == .insecureEndpoint("http://a.example/token"))
        error = #expect(throws: SignInError.self) {
            try AuthorizationCodeSignIn(
                try metadata(
                    #", "token_endpoint": "https://a.example/t", "authorization_endpoint": "https://a.example/a""#
                        + #", "code_challenge_methods_supported": ["plain"]"#
                ),
                client: client
            )
        }
        #expect(error?.problem == .unusableMetadata("it does not support the code challenge method S256"))
    }
}

@Suite("Revoking a token", .timeLimit(.minutes(10)))
struct RevocationTests {
    @Test("Revoking ends the refresh token first and then the access token, and the resource is closed")
    func revoked() async throws {
        let server = AuthorizationServer()
        let transport = server.transport
        let token = try await server.signIn().token(by: BrowserAgent(server: server), over: transport)
        let metadata = try await AuthorizationServerMetadata.discover(server.issuer, over: transport)
        try await TokenRevocation(metadata, client: server.client).revoke(token, over: transport)
        #expect(server.revoked == ["refresh-1", "access-1"])
        let me = Request.get("\(server.issuer)/me", headers: [.authorization: "Bearer \(token.value.revealed)"])
        #expect(try await server.handle(me).status == .unauthorized)
    }

    @Test("What keeps the server from it is told, without the token")
    func refused() async throws {
        let server = AuthorizationServer()
        let revocation = TokenRevocation(at: "\(server.issuer)/revoke", client: OAuthClient(id: "stranger"))
        let error = await #expect(throws: OAuthError.self) {
            try await revocation.revoke(AccessToken("hidden"), over: server.transport)
        }
        #expect(error?.code == "invalid_client")
        #expect(error.map { !"\($0)".contains("hidden") } == true)
        let insecure = TokenRevocation(at: "http://auth.example/revoke", client: server.client)
        await #expect(throws: OAuthError.self) { try await insecure.revoke(AccessToken("a"), over: server.transport) }
    }
}
#endif
