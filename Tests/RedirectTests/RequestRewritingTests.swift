import HTTPChainCore
import HTTPChainRedirect
import HTTPChainSupport
import HTTPTypes
import Testing

private enum Token: RequestOption {
    static var defaultValue: String? { nil }
    static func isHarmless(_ value: Value) -> Bool { true }
    static var isCredential: Bool { true }
}

private enum Colour: RequestOption {
    static var defaultValue: String? { nil }
    static func isHarmless(_ value: Value) -> Bool { true }
}

@Suite("The request that follows a redirect")
struct RequestRewritingTests {
    private func redirected(
        _ request: Request,
        to target: String,
        status: HTTPResponse.Status = .found,
        redaction: Redaction = .standard
    ) -> Request {
        var request = request
        request.redirect(to: URIReference(target), status: status, from: request.origin, redaction: redaction)
        return request
    }

    @Test(
        "The method of the next request follows from the status, and so does whether the body goes along",
        arguments: [301, 302, 303, 307, 308]
    )
    func methods(code: Int) {
        let methods: [HTTPRequest.Method] = [
            .get, .head, .post, .put, .patch, .delete, .options, .trace, HTTPRequest.Method("QUERY") ?? .get,
        ]
        for method in methods {
            let (next, keepsBody) = Request.method(after: .init(code: code), from: method)
            let becomesGet = code == 303 && method != .head || code < 303 && method == .post
            #expect(next == (becomesGet ? .get : method), "\(method)")
            #expect(keepsBody == (code != 303 && !becomesGet), "\(method)")
        }
    }

    @Test("With the body go the fields that describe it, and no others")
    func contentFields() throws {
        let describing = [
            "Content-Type", "Content-Length", "Content-Encoding", "Content-Language", "Content-Location",
            "Content-Digest", "Content-MD5", "Content-Range", "Content-Disposition", "Digest", "Repr-Digest",
            "Transfer-Encoding", "Trailer", "Expect",
        ]
        let others = ["Accept", "Want-Content-Digest", "Idempotency-Key", "X-Content-Type"]
        var request = Request.post("https://a.example/", body: "text")
        for name in describing + others { request.head.headerFields[try #require(HTTPField.Name(name))] = "x" }
        let kept = redirected(request, to: "https://a.example/b", status: .temporaryRedirect)
        #expect(kept.head.headerFields == request.head.headerFields)
        #expect(kept.body.length == 4)
        let emptied = redirected(request, to: "https://a.example/b", status: .seeOther)
        #expect(emptied.head.headerFields.map(\.name.rawName) == others)
        #expect(emptied.body.isEmpty)
    }

    private static let origins: [(String, isSame: Bool)] = [
        ("https://a.example/b", true), ("https://A.EXAMPLE:443/b", true), ("http://a.example/b", false),
        ("https://a.example:8443/b", false), ("https://sub.a.example/b", false), ("https://b.example/", false),
        ("http://a.example:443/b", false), ("https://a.example.evil.example/", false),
    ]

    @Test("Credentials stay with their origin: scheme, host and port", arguments: origins)
    func credentials(target: String, isSame: Bool) throws {
        let secrets: HTTPFields = [
            .authorization: "Bearer secret", .cookie: "id=secret", .proxyAuthorization: "Basic secret",
            try #require(HTTPField.Name("X-Api-Key")): "secret",
            try #require(HTTPField.Name("Host")): "virtual.example",
        ]
        var request = Request.get("https://a.example/a", headers: secrets + [.accept: "text/html"])
        request.head.headerFields.append(HTTPField(name: .cookie, value: "second=secret"))
        request.options[Token.self] = "secret"
        request.options[Colour.self] = "blue"
        let next = redirected(request, to: target)
        #expect(next.head.headerFields == (isSame ? request.head.headerFields : [.accept: "text/html"]))
        #expect(next.options[Token.self] == (isSame ? "secret" : nil))
        #expect(next.options[Colour.self] == "blue")
    }

    @Test("Fields that stages bound to an origin are sent there and nowhere else")
    func boundFields() throws {
        let key = try #require(HTTPField.Name("X-Tenant"))
        let there = try #require(HTTPField.Name("X-Other"))
        var request = Request.get("https://a.example/a", headers: [key: "1", there: "2"])
        request.options[OriginBoundFieldsNote.self] = [
            key: try #require(Origin("https://a.example")), there: try #require(Origin("https://b.example")),
        ]
        #expect(redirected(request, to: "https://a.example/b").head.headerFields == [key: "1", there: "2"])
        #expect(redirected(request, to: "https://b.example/").head.headerFields == [there: "2"])
    }

    @Test("What counts as a secret can be set")
    func redaction() throws {
        let name = try #require(HTTPField.Name("X-Tenant"))
        let request = Request.get("https://a.example/a", headers: [name: "1"])
        let redaction = Redaction(fieldNames: ["x-tenant"], queryNames: [])
        #expect(redirected(request, to: "https://b.example/").head.headerFields[name] == "1")
        #expect(redirected(request, to: "https://b.example/", redaction: redaction).head.headerFields[name] == nil)
    }

    @Test(
        "Credentials stay with their origin where nothing counts as a secret",
        arguments: ["Authorization", "Cookie", "Proxy-Authorization", "Host"]
    )
    func withoutRedaction(field: String) throws {
        let name = try #require(HTTPField.Name(field))
        let request = Request.get("https://a.example/a", headers: [name: "secret"])
        let redaction = Redaction(fieldNames: [], queryNames: [])
        #expect(redirected(request, to: "https://b.example/", redaction: redaction).head.headerFields[name] == nil)
    }

    @Test("Credentials do not go where nobody knows whose they are")
    func unknownOrigins() {
        var request = Request.get("https://a.example/a", headers: [.authorization: "Bearer secret"])
        request.redirect(to: URIReference("/b"), status: .found, from: nil, redaction: .standard)
        #expect(request.head.headerFields.isEmpty)
    }

    @Test(
        "A Referer is cut to its origin for another one, and not sent from https to http (RFC 9110 §10.1.3)",
        arguments: [
            ("https://a.example/page?q", "https://a.example/b", "https://a.example/page?q"),
            ("https://a.example/page?q", "https://b.example/", "https://a.example/"),
            ("https://a.example/page?q", "http://a.example/b", nil),
            ("https://b.example/page", "https://b.example/x", "https://b.example/page"),
            ("http://c.example/page", "http://b.example/x", "http://c.example/"),
            ("/page", "https://b.example/x", nil),
        ]
    )
    func referer(referer: String, target: String, expected: String?) {
        let request = Request.get("https://a.example/a", headers: [.referer: referer])
        #expect(redirected(request, to: target).head.headerFields[.referer] == expected)
    }

    @Test("No Referer is made up")
    func noReferer() {
        #expect(redirected(.get("https://a.example/a"), to: "https://b.example/").head.headerFields.isEmpty)
    }

    @Test("The target of the next request is the new one, and the fragment stays off the wire")
    func target() {
        let next = redirected(.get("https://a.example/a#old"), to: "http://b.example:81/c?d#new")
        #expect(next.url == "http://b.example:81/c?d")
        #expect(next.fragment == "new")
    }
}
