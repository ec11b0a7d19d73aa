#if AllTests
import Foundation
import HTTPChainAuth
import HTTPChainCore
import HTTPChainInMemory
import HTTPTypes
import Testing

@Suite("Access tokens")
struct AccessTokenTests {
    @Test(
        "A token is visible characters alone (RFC 6749 §A.12)",
        arguments: [
            ("mF_9.B5f-4.1JqM", true), ("a", true), ("abc==", true), ("a+b/c~d.e-f_g", true), ("ABC=", true),
            // Salesforce, the app-only tokens of X, Laravel Sanctum, Facebook.
            ("00D5g000000abcd!AR8AQJ_x.y", true), ("AAAAAAAA%2BbB%3DcC", true), ("1|aBcDeF", true),
            ("123|s3cr_et-", true),
            ("=", true), ("a=b", true), ("a,b", true), ("a\"b", true), ("a:b", true), ("~!#$&'()*;<>?@[\\]^`{}", true),
            ("", false), ("a b", false), (" a", false), ("a ", false), ("a\t", false), ("a\r\nX-Injected: 1", false),
            ("a\n", false), ("a\r", false), ("a\u{0}", false), ("a\u{7F}", false), ("ä", false), ("a\u{301}", false),
            ("a\u{A0}", false), ("a\u{2028}", false),
        ]
    )
    func syntax(text: String, isToken: Bool) {
        #expect(AccessToken(Secret(text)).isWellFormed == isToken)
    }

    @Test("Made of text it is the same as made of secrets")
    func text() {
        let (text, renewal) = ("sesame", "open-again")
        let token = AccessToken(text, expiresAt: start, refreshToken: renewal, scope: ["read"])
        #expect(
            token
                == AccessToken(Secret(text), expiration: start, refreshToken: Secret(renewal), scope: ["read"])
        )
        #expect(AccessToken(text) == AccessToken("sesame"))
        #expect(AccessToken(text, refreshToken: "").refreshToken == nil)
    }

    @Test("A closure provides a token from the old one and the context")
    func closures() async throws {
        let context = RefreshContext(over: InMemoryTransport { request in try .json(["token": request.url]) })
        let both: any AccessTokenProvider = .asking { old, context in
            let reply = try await context.send(.get("https://a.example/1"), as: [String: String].self)
            return AccessToken(reply["token"] ?? "", refreshToken: old?.value.revealed)
        }
        let one: any AccessTokenProvider = .asking { _, context in
            let reply = try await context.send(.get("https://a.example/2"), as: [String: String].self)
            return AccessToken(reply["token"] ?? "")
        }
        let made = ClosureAccessTokenProvider { _, _ in AccessToken("fixed") }
        #expect(
            try await both.accessToken(replacing: AccessToken("old"), in: context)
                == AccessToken("https://a.example/1", refreshToken: "old")
        )
        #expect(
            try await one.accessToken(replacing: AccessToken("old"), in: context) == AccessToken("https://a.example/2")
        )
        #expect(try await made.accessToken(replacing: nil, in: context) == AccessToken("fixed"))
    }

    @Test("A token expires at its date, and never without one")
    func expiry() {
        let token = AccessToken("a", expiration: start)
        #expect(!token.hasExpired(at: start.addingTimeInterval(-0.001)))
        #expect(token.hasExpired(at: start))
        #expect(!AccessToken("a").hasExpired(at: .distantFuture))
    }

    @Test("Neither its text nor its mirror shows a secret")
    func redaction() {
        let token = AccessToken("sesame", expiration: start, refreshToken: "open-again", scope: ["read", "write"])
        var dumped = ""
        dump(token, to: &dumped)
        let mirror = String(reflecting: token)
        for text in ["\(token)", mirror, dumped] {
            #expect(!text.contains("sesame"))
            #expect(!text.contains("open-again"))
        }
        #expect(
            "\(token)"
                == "access token, expires Sun, 06 Nov 1994 08:49:37 GMT, scope read write, with refresh token"
        )
    }

    @Test(
        "A token is refreshed before its end, by no more than half its life",
        arguments: [
            // leeway, life known when it was made, due after
            (60, 3600, 3540), (60, 120, 60), (60, 100, 50), (60, 10, 5), (0, 10, 10), (60, 0, 0), (60, -5, -5),
        ] as [(Int, Int, Int)]
    )
    func due(leeway: Int, life: Int, due: Int) {
        let token = BearerToken(
            AccessToken("a", expiration: start.addingTimeInterval(Double(life))),
            leeway: .seconds(leeway),
            now: start
        )
        #expect(!token.isDue(at: start.addingTimeInterval(Double(due) - 0.5)))
        #expect(token.isDue(at: start.addingTimeInterval(Double(due))))
    }

    @Test("Of a token that was kept elsewhere only the end is known")
    func dueOfRestored() {
        let token = BearerToken(AccessToken("a", expiration: start), leeway: .seconds(60))
        #expect(!token.isDue(at: start.addingTimeInterval(-61)))
        #expect(token.isDue(at: start.addingTimeInterval(-60)))
        #expect(!BearerToken(AccessToken("a"), leeway: .seconds(60)).isDue(at: .distantFuture))
    }
}

@Suite("Bearer challenges")
struct BearerChallengeTests {
    private func read(_ values: String...) -> BearerChallenge? {
        BearerChallenge(Challenge.parse(values))
    }

    @Test("The parts of RFC 6750 are read")
    func parts() throws {
        let challenge = try #require(
            read(
                "Bearer realm=\"example\", error=\"insufficient_scope\", "
                    + "error_description=\"more is needed\", scope=\"read  write\""
            )
        )
        #expect(challenge.realm == "example")
        #expect(challenge.error == "insufficient_scope")
        #expect(challenge.detail == "more is needed")
        #expect(challenge.scope == ["read", "write"])
    }

    @Test("The Bearer challenge with an error counts among several")
    func selection() {
        #expect(read("Basic realm=\"a\"") == nil)
        #expect(read() == nil)
        #expect(read("Basic realm=\"a\", bearer realm=\"b\"")?.realm == "b")
        #expect(read("Bearer realm=\"a\"", "BEARER error=invalid_token, realm=\"b\"")?.realm == "b")
        #expect(read("Bearer")?.error == nil)
    }

    @Test(
        "A new token may help unless the server says that it does not",
        arguments: [
            ("Bearer", true), ("Bearer error=\"invalid_token\"", true), ("Bearer error=\"expired\"", true),
            ("Bearer error=\"invalid_request\"", false), ("Bearer error=\"insufficient_scope\"", false),
        ]
    )
    func objection(field: String, mayHelp: Bool) throws {
        #expect((try #require(read(field)).objection == nil) == mayHelp)
    }

    @Test(
        "An objection says why, and which scope is needed where the server says so",
        arguments: [
            (
                "Bearer error=\"invalid_request\"",
                "the request is malformed (invalid_request), and another token does not help"
            ),
            ("Bearer error=\"insufficient_scope\"", "the token does not allow this (insufficient_scope)"),
            (
                "Bearer error=\"insufficient_scope\", scope=\"read write\"",
                "the token does not allow this (insufficient_scope); one with the scope read write is needed"
            ),
        ]
    )
    func objectionText(field: String, text: String) throws {
        #expect(try #require(read(field)).objection == text)
    }

    @Test("A challenge without an error says so")
    func withoutError() throws {
        #expect("\(try #require(read("Bearer")))" == "no error")
        #expect("\(try #require(read("Bearer scope=read")))" == "no error, scope read")
    }

    @Test("The statuses of RFC 6750 §3.1 have one, and no others", arguments: [400, 401, 403, 402, 404, 407, 200])
    func statuses(code: Int) {
        let response = Response(
            .init(code: code),
            headers: [.wwwAuthenticate: "Bearer error=invalid_token"]
        )
        #expect((response.bearerChallenge != nil) == [400, 401, 403].contains(code))
    }
}
#endif
