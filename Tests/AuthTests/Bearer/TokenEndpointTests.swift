#if AllTests
import Foundation
import HTTPChainAuth
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import Testing

private let tokenURL = "https://auth.example.com/token"

/// Asks an endpoint over a transport that gives one reply.
private func ask(
    _ reply: ScriptedReply,
    client: OAuthClient = OAuthClient(id: "garden", secret: "s3cret"),
    parameters: [String: String] = [:],
    replyLimit: ByteCount = .kibibytes(64),
    _ grant: (TokenEndpoint, RefreshContext) async throws -> AccessToken = { endpoint, context in
        try await endpoint.token(grantType: "client_credentials", in: context)
    }
) async throws -> (token: AccessToken, request: RecordedRequest) {
    let transport = InMemoryTransport()
    transport.enqueue(reply)
    let endpoint = TokenEndpoint(tokenURL, client: client, parameters: parameters, replyLimit: replyLimit)
    let token = try await grant(endpoint, RefreshContext(over: transport, environment: .virtual()))
    return (token, try #require(transport.requests.first))
}

private func json(_ text: String, status: HTTPResponse.Status = .ok) -> ScriptedReply {
    .status(status, headers: [.contentType: "application/json"], body: HTTPBody(text))
}

private let simple = json(#"{"access_token": "abc", "token_type": "Bearer"}"#)

@Suite("What a token endpoint is asked")
struct TokenRequestTests {
    @Test("A client with a secret proves itself by Basic, encoded as in a form")
    func basic() async throws {
        let client = OAuthClient(id: "my client", secret: "a:b+c%ä")
        let (_, request) = try await ask(simple, client: client)
        #expect(request.method == .post)
        #expect(request.url == tokenURL)
        #expect(request.headers[.contentType] == "application/x-www-form-urlencoded")
        #expect(request.headers[.accept] == "application/json")
        #expect(request.text == "grant_type=client_credentials")
        let pair = Data("my+client:a%3Ab%2Bc%25%C3%A4".utf8).base64EncodedString()
        #expect(request.headers[.authorization] == "Basic \(pair)")
        #expect(request.options[OriginBoundFieldsNote.self] == [.authorization: try #require(Origin(tokenURL))])
    }

    @Test("A client may prove itself in the body; a public one names itself there")
    func body() async throws {
        let secret = OAuthClient(id: "garden", secret: "a&b", authentication: .body)
        let (_, request) = try await ask(simple, client: secret)
        #expect(request.text == "client_id=garden&client_secret=a%26b&grant_type=client_credentials")
        #expect(request.headers[.authorization] == nil)
        let (_, other) = try await ask(simple, client: OAuthClient(id: "garden"))
        #expect(other.text == "client_id=garden&grant_type=client_credentials")
        #expect(other.headers[.authorization] == nil)
    }

    @Test("Client credentials name their scope")
    func clientCredentials() async throws {
        let (token, request) = try await ask(simple, parameters: ["audience": "https://a.b/?c"]) {
            try await ClosureAccessTokenProvider.clientCredentials(at: $0, scope: ["read", "write"]).accessToken(
                replacing: nil,
                in: $1
            )
        }
        #expect(
            request.text == "audience=https%3A%2F%2Fa.b%2F%3Fc&grant_type=client_credentials&scope=read+write"
        )
        #expect(token.scope == ["read", "write"])
    }

    @Test("A refresh token is sent, and kept unless there is a new one")
    func refreshToken() async throws {
        let old = AccessToken("old", refreshToken: "r1", scope: ["read"])
        let (kept, request) = try await ask(simple) {
            try await ClosureAccessTokenProvider.refreshToken(at: $0).accessToken(replacing: old, in: $1)
        }
        #expect(request.text == "grant_type=refresh_token&refresh_token=r1")
        #expect(kept.value == "abc" && kept.refreshToken == "r1" && kept.scope == ["read"])
        let rotating = json(#"{"access_token": "abc", "token_type": "bearer", "refresh_token": "r2", "scope": "a b"}"#)
        let (rotated, _) = try await ask(rotating) {
            try await ClosureAccessTokenProvider.refreshToken(at: $0).accessToken(replacing: old, in: $1)
        }
        #expect(rotated.refreshToken == "r2" && rotated.scope == ["a", "b"])
    }

    @Test(
        "A refresh token that is empty, or no text, counts as missing: the one before stays",
        arguments: [#""""#, "null", "5", "[]", "{}"]
    )
    func emptyRefreshToken(value: String) async throws {
        let old = AccessToken("old", refreshToken: "r1", scope: ["read"])
        let reply = json(#"{"access_token": "abc", "refresh_token": \#(value), "scope": \#(value)}"#)
        let (kept, _) = try await ask(reply) {
            try await ClosureAccessTokenProvider.refreshToken(at: $0).accessToken(replacing: old, in: $1)
        }
        #expect(kept.refreshToken == "r1" && kept.scope == ["read"])
    }

    @Test("A token that a store wrote with an empty refresh token has none")
    func emptyStoredRefreshToken() throws {
        let stored = Data(#"{"access_token": "abc", "refresh_token": ""}"#.utf8)
        #expect(try JSONDecoder().decode(AccessToken.self, from: stored).refreshToken == nil)
        #expect(AccessToken("abc", refreshToken: "").refreshToken == nil)
    }

    @Test("Without a refresh token nobody is asked", arguments: [nil, AccessToken("a")])
    func noRefreshToken(old: AccessToken?) async throws {
        let transport = InMemoryTransport()
        let grant = ClosureAccessTokenProvider.refreshToken(
            at: TokenEndpoint(tokenURL, client: OAuthClient(id: "garden"))
        )
        let error = await #expect(throws: OAuthError.self) {
            try await grant.accessToken(replacing: old, in: RefreshContext(over: transport))
        }
        #expect(error?.problem == .noRefreshToken)
        #expect(error?.needsSignIn == true)
        #expect(transport.requestCount == 0)
    }

    @Test("The endpoint's own transport goes before that of the context")
    func ownTransport() async throws {
        let own = InMemoryTransport { _ in Response(.ok, body: #"{"access_token": "own"}"#) }
        let endpoint = TokenEndpoint(tokenURL, client: OAuthClient(id: "garden"), over: own)
        let token = try await endpoint.token(grantType: "x", in: RefreshContext(over: InMemoryTransport()))
        #expect(token.value == "own")
    }

    @Test(
        "Secrets are sent over TLS or to this machine alone",
        arguments: [
            ("https://auth.example.com/token", true), ("http://localhost:8080/token", true),
            ("http://127.0.0.1/token", true), ("http://127.1.2.3/token", true), ("http://[::1]:90/token", true),
            ("http://a.localhost/token", true), ("HTTP://LOCALHOST/token", true),
            ("http://auth.example.com/token", false), ("http://127.0.0.1.example.com/token", false),
            ("http://localhost.example.com/token", false), ("http://10.0.0.1/token", false),
            ("http://128.0.0.1/token", false), ("ftp://auth.example.com/token", false), ("/token", false),
            ("http://127.0.0.256/token", false), ("", false),
        ]
    )
    func confidentiality(url: String, isAllowed: Bool) async throws {
        let transport = InMemoryTransport { _ in Response(.ok, body: #"{"access_token": "a"}"#) }
        let context = RefreshContext(over: transport)
        let endpoint = TokenEndpoint(url, client: OAuthClient(id: "garden"))
        if isAllowed {
            _ = try await endpoint.token(grantType: "client_credentials", in: context)
        } else {
            let error = await #expect(throws: OAuthError.self) {
                try await endpoint.token(grantType: "client_credentials", in: context)
            }
            #expect(error?.problem == .insecureEndpoint)
        }
        #expect(transport.requestCount == (isAllowed ? 1 : 0))
    }

    @Test("Plaintext can be allowed")
    func plaintext() async throws {
        let transport = InMemoryTransport { _ in Response(.ok, body: #"{"access_token": "a"}"#) }
        let endpoint = TokenEndpoint(
            "http://auth.internal/token",
            client: OAuthClient(id: "garden"),
            allowsPlaintext: true
        )
        let token = try await endpoint.token(grantType: "x", in: RefreshContext(over: transport))
        #expect(token.value == "a")
    }
}

@Suite("What a token endpoint says")
struct TokenReplyTests {
    @Test(
        "The life of a token is a number, or text that is one",
        arguments: [
            ("3600", 3600), ("\"3600\"", 3600), ("3600.5", 3600.5), ("\"60.5\"", 60.5), ("0", 0), ("-5", 0),
            ("1e300", 315_360_000), ("null", nil), ("\"soon\"", nil), ("\"nan\"", nil), ("\"inf\"", nil), ("true", nil),
            ("[]", nil), ("1e999", nil),
        ] as [(String, Double?)]
    )
    func lifetime(value: String, seconds: Double?) async throws {
        let reply = json(#"{"access_token": "abc", "token_type": "Bearer", "expires_in": \#(value)}"#)
        let (token, _) = try await ask(reply)
        #expect(token.expiration == seconds.map { start.addingTimeInterval($0) })
    }

    @Test(
        "A token whose life is 0 is sent with the call that it was fetched for, and the next call fetches another",
        arguments: ["0", "\"0\"", "-5"]
    )
    func noLife(value: String) async throws {
        let count = Locked(0)
        let tokens = InMemoryTransport { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return Response(.ok, body: HTTPBody(#"{"access_token": "token-\#(number)", "expires_in": \#(value)}"#))
        }
        let endpoint = TokenEndpoint(tokenURL, client: OAuthClient(id: "garden"), over: tokens)
        let chain = try Chain(transport: resourceServer { $0 != nil }, environment: .virtual()) {
            BearerAuthMiddleware(.clientCredentials(at: endpoint), for: "https://api.example.com")
        }
        for number in 1...2 {
            let response = try await chain.send(.get("https://api.example.com/"))
            #expect(try await response.body.text() == "token-\(number)")
        }
        #expect(count.withLock { $0 } == 2)
    }

    @Test("The life counts from when the token was asked for")
    func lifetimeBegins() async throws {
        let clock = VirtualClock.automatic()
        let transport = InMemoryTransport()
        transport.enqueue(json(#"{"access_token": "abc", "expires_in": 100}"#).delayed(by: .seconds(30)))
        let token = try await TokenEndpoint(tokenURL, client: OAuthClient(id: "a"))
            .token(grantType: "x", in: RefreshContext(over: transport, environment: .virtual(clock)))
        #expect(token.expiration == start.addingTimeInterval(100))
        #expect(clock.date == start.addingTimeInterval(30))
    }

    @Test(
        "Only a Bearer token is understood",
        arguments: [
            ("\"Bearer\"", true), ("\"bearer\"", true), ("\"BEARER\"", true), ("null", true), ("\"mac\"", false),
            ("\"DPoP\"", false), ("\"\"", false),
        ]
    )
    func type(value: String, isUnderstood: Bool) async throws {
        let reply = json(#"{"access_token": "abc", "token_type": \#(value)}"#)
        if isUnderstood {
            #expect(try await ask(reply).token.value == "abc")
        } else {
            let error = await #expect(throws: OAuthError.self) { try await ask(reply) }
            guard case .unsupportedTokenType = error?.problem else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test(
        "A token of another type is an error that names it, unless the application accepts the type",
        arguments: ["BearerToken", "bearertoken", "OAuth", "jwt"]
    )
    func acceptedType(type: String) async throws {
        let reply = json(#"{"access_token": "abc", "token_type": "\#(type)"}"#)
        let error = await #expect(throws: OAuthError.self) { try await ask(reply) }
        #expect(error?.problem == .unsupportedTokenType(type))
        #expect(error?.reason.contains("\"\(type)\"") == true)
        let (token, _) = try await ask(reply) { endpoint, context in
            try await endpoint.accepting(tokenTypes: "BearerToken", "oauth", "JWT").token(grantType: "x", in: context)
        }
        #expect(token.value == "abc")
        let bearer = try await ask(simple) { endpoint, context in
            try await endpoint.accepting(tokenTypes: "JWT").token(grantType: "x", in: context)
        }
        #expect(bearer.token.value == "abc")
    }

    @Test("An empty error in a reply with a token is none")
    func emptyError() async throws {
        let reply = json(#"{"access_token": "abc", "error": "", "error_description": ""}"#)
        #expect(try await ask(reply).token.value == "abc")
        let error = await #expect(throws: OAuthError.self) { try await ask(json(#"{"error": ""}"#)) }
        #expect(error?.problem == .malformedReply("it has no access_token"))
    }

    @Test(
        "A reply without a token is an error that says why",
        arguments: [
            ("", 200, .malformedReply("it is not a JSON object")),
            ("<html>", 200, .malformedReply("it is not a JSON object")),
            ("[]", 200, .malformedReply("it is not a JSON object")),
            ("{}", 200, .malformedReply("it has no access_token")),
            (#"{"access_token": ""}"#, 200, .malformedReply("it has no access_token")),
            (#"{"access_token": 5}"#, 200, .malformedReply("it has no access_token")),
            (
                #"{"access_token": "a\r\nb"}"#, 200,
                .malformedReply("its access_token has invalid characters")
            ),
            ("<html>", 500, .unexpectedStatus(500)), ("{}", 404, .unexpectedStatus(404)),
            ("", 302, .redirected(302)), (#"{"access_token": "abc"}"#, 500, .unexpectedStatus(500)),
            (#"{"error": "invalid_grant"}"#, 400, .refused("invalid_grant", detail: nil)),
            (
                #"{"error": "invalid_client", "error_description": "who?"}"#, 401,
                .refused("invalid_client", detail: "who?")
            ),
            (
                #"{"error": "bad_verification_code"}"#, 200,
                .refused("bad_verification_code", detail: nil)
            ),
            (#"{"error": "slow\ndown"}"#, 400, .refused("slow down", detail: nil)),
        ] as [(String, Int, OAuthError.Problem)]
    )
    func failures(text: String, status: Int, problem: OAuthError.Problem) async throws {
        let error = await #expect(throws: OAuthError.self) {
            try await ask(json(text, status: .init(code: status)))
        }
        #expect(error?.problem == problem)
        #expect(error?.exchange?.response?.status.code == status)
    }

    @Test("Scope may be text or a list; a member of an odd type spoils no token")
    func oddMembers() async throws {
        let (list, _) = try await ask(json(#"{"access_token": "abc", "scope": ["a", "b"]}"#))
        #expect(list.scope == ["a", "b"])
        let (odd, _) = try await ask(json(#"{"access_token": "abc", "scope": 5, "refresh_token": {}, "error": 7}"#))
        #expect(odd.scope.isEmpty && odd.refreshToken == nil)
    }

    @Test("No more is read of a reply than its limit")
    func limit() async throws {
        let reply = json(#"{"access_token": "abc", "padding": "\#(String(repeating: "x", count: 2000))"}"#)
        _ = try await ask(reply, replyLimit: .kibibytes(4))
        let error = await #expect(throws: OAuthError.self) { try await ask(reply, replyLimit: 1000) }
        #expect((error?.underlyingError as? BodyError)?.problem == .tooLarge(limit: 1000))
    }

    @Test("The failure of a transport is told as it is")
    func transport() async throws {
        let error = await #expect(throws: TransportError.self) { try await ask(.failure(.beforeConnect())) }
        #expect(error?.sent == .nothing)
    }

    @Test("What was confided to the server does not come back in an error")
    func echo() async throws {
        let echo = #"{"error": "invalid_grant", "error_description": "unknown token r3fresh of s3cret\#u{1}"}"#
        let long = #"{"error": "invalid_grant", "error_description": "\#(String(repeating: "x", count: 9999))"}"#
        let old = AccessToken("old", refreshToken: "r3fresh")
        for text in [echo, long] {
            let error = await #expect(throws: OAuthError.self) {
                try await ask(json(text, status: .badRequest)) {
                    try await ClosureAccessTokenProvider.refreshToken(at: $0).accessToken(replacing: old, in: $1)
                }
            }
            let shown = "\(try #require(error))"
            var dumped = ""
            dump(error, to: &dumped)
            #expect(shown.utf8.count < 1000)
            for text in [shown, dumped] {
                #expect(!text.contains("r3fresh") && !text.contains("s3cret"), "\(text)")
            }
        }
    }

    @Test(
        "A registered error code stays whole, however short a secret is, and any other is without the secrets",
        arguments: [
            ("slow_down", "slow_down"), ("authorization_pending", "authorization_pending"),
            ("invalid_grant", "invalid_grant"), ("use_dpop_nonce", "use_dpop_nonce"),
            ("denied by d", "<redacted>enie<redacted> by <redacted>"),
        ],
        [HTTPResponse.Status.badRequest, .ok]
    )
    func codes(sent: (code: String, expected: String), status: HTTPResponse.Status) async throws {
        let old = AccessToken("old", refreshToken: "d")
        let error = await #expect(throws: OAuthError.self) {
            try await ask(json(#"{"error": "\#(sent.code)"}"#, status: status)) {
                try await ClosureAccessTokenProvider.refreshToken(at: $0).accessToken(replacing: old, in: $1)
            }
        }
        #expect(error?.code == sent.expected)
    }
}

/// Follows redirects itself, as a client that was not told otherwise.
private struct Follower: Transport {
    let inner: InMemoryTransport
    var capabilities: TransportCapabilities { .followsRedirects }

    func send(_ request: consuming Request) async throws -> Response {
        try await inner.send(request)
    }
}

@Suite("A token endpoint that redirects")
struct TokenRedirectTests {
    @Test(
        "A redirect of the token endpoint is not followed: the secrets in the request stay with the endpoint",
        arguments: [301, 302, 303, 307, 308]
    )
    func redirected(code: Int) async throws {
        let transport = InMemoryTransport { _ in
            Response(.init(code: code), headers: [.location: "https://evil.example/token"])
        }
        let endpoint = TokenEndpoint(tokenURL, client: OAuthClient(id: "garden", secret: "s3cret"))
        let error = await #expect(throws: OAuthError.self) {
            try await endpoint.token(
                grantType: "refresh_token",
                parameters: ["refresh_token": "hidden"],
                in: RefreshContext(over: transport)
            )
        }
        #expect(error?.problem == .redirected(code))
        #expect(transport.requests.map(\.url) == [tokenURL])
        #expect(transport.requests.first?.options[NoRedirectsNote.self] == true)
    }

    @Test("Nothing is sent over a transport that would follow it")
    func follower() async throws {
        let transport = InMemoryTransport()
        let endpoint = TokenEndpoint(tokenURL, client: OAuthClient(id: "garden", secret: "s3cret"))
        let error = await #expect(throws: OAuthError.self) {
            try await endpoint.token(
                grantType: "client_credentials",
                in: RefreshContext(over: Follower(inner: transport))
            )
        }
        #expect(error?.problem == .transportFollowsRedirects)
        #expect(transport.requestCount == 0)
    }
}
#endif
