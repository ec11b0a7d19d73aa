import Foundation
import HTTPChainCoalescing
import HTTPChainCore
import HTTPChainSupport
import HTTPTypes
import TestSupport
import Testing

@Suite("What makes calls identical")
struct KeyTests {
    struct Pair: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let areJoined: Bool
        let one: Request
        let other: Request

        init(_ name: String, _ areJoined: Bool, _ one: Request, _ other: Request) {
            testDescription = name
            self.areJoined = areJoined
            self.one = one
            self.other = other
        }

        /// Two requests that differ in the value of a field.
        init(_ name: String, _ areJoined: Bool, _ field: HTTPField.Name, _ one: String, _ other: String) {
            self.init(name, areJoined, .get(target, headers: [field: one]), .get(target, headers: [field: other]))
        }
    }

    private static func key(_ request: Request, users: Bool = false) -> CoalescingKey? {
        CoalescingKey(request, ignoring: CoalescingMiddleware.callFields, hasUserPartition: users)
    }

    @Test(
        "Calls with the same method, URL and fields are identical, and no others",
        arguments: [
            Pair("the same", true, .get(target), .get(target)),
            Pair("another path", false, .get(target), .get(target + "/1")),
            Pair("another query", false, .get(target + "?a=1"), .get(target + "?a=2")),
            Pair("another case of the path", false, .get(target), .get("https://api.example.com/Plants")),
            Pair("another case of scheme and host", true, .get(target), .get("HTTPS://API.example.com/plants")),
            Pair("the scheme's own port", true, .get(target), .get("https://api.example.com:443/plants")),
            Pair("another port", false, .get(target), .get("https://api.example.com:444/plants")),
            Pair("another scheme", false, .get(target), .get("http://api.example.com/plants")),
            Pair("no path and a slash", true, .get("https://example.com"), .get("https://example.com/")),
            Pair(
                "a path that is canonically equal",
                false,
                .get("https://example.com/caf\u{e9}"),
                .get("https://example.com/cafe\u{301}")
            ),
            Pair("a field value that is canonically equal", false, .accept, "caf\u{e9}", "cafe\u{301}"),
            Pair("HEAD and GET", false, .get(target), .head(target)),
            Pair("HEAD and HEAD", true, .head(target), .head(target)),
            Pair(
                "fields in another order",
                true,
                .get(target, headers: [.accept: "a", .acceptLanguage: "de"]),
                .get(target, headers: [.acceptLanguage: "de", .accept: "a"])
            ),
            Pair("another language", false, .acceptLanguage, "de", "fr"),
            Pair("another Authorization", false, .authorization, "Bearer a", "Bearer b"),
            Pair("Authorization and none", false, .get(target, headers: [.authorization: "Bearer a"]), .get(target)),
            Pair("another Cookie", false, .cookie, "user=1", "user=2"),
            Pair("another condition", false, .ifNoneMatch, "\"a\"", "\"b\""),
            Pair("another request ID", true, .requestID, "1", "2"),
            Pair("no request ID", true, .get(target, headers: [.requestID: "1"]), .get(target)),
            Pair("a field bound to an origin", false, .get(target), .get(target).bound(to: "https://a.example")),
            Pair(
                "fields bound to other origins",
                false,
                .get(target).bound(to: "https://a.example"),
                .get(target).bound(to: "https://b.example")
            ),
        ]
    )
    func identity(pair: Pair) throws {
        let one = try #require(Self.key(pair.one))
        let other = try #require(Self.key(pair.other))
        #expect((one == other) == pair.areJoined)
    }

    @Test("Calls in different partitions are not identical")
    func partitions() throws {
        let key = try #require(Self.key(.get(target)))
        #expect(key.inPartition("a") == key.inPartition("a"))
        #expect(key.inPartition("a") != key.inPartition("b"))
        #expect(key.inPartition("a") != key.inPartition(nil))
    }

    @Test(
        "Some requests have a transfer of their own",
        arguments: [
            Request.post(target), .put(target), .delete(target), .options(target), Request(.trace, target),
            Request(.get, target, body: "text"),
            Request(.get, target, body: .once { throw BodyError(.alreadyRead) }),
            .get("/plants"),
            .get(target).coalescing(false),
            .get(target, headers: [.range: "bytes=0-1"]),
            .get(target, headers: [.ifRange: "\"a\""]),
            .get(target, headers: [.cacheControl: "no-cache"]),
            .get(target, headers: [.cacheControl: "max-stale, No-Store"]),
            .get(target, headers: [.cacheControl: "max-age=0"]),
            .get(target, headers: [.cacheControl: "max-age=\"0\""]),
            .get(target, headers: [.pragma: "no-cache"]),
        ]
    )
    func own(request: Request) {
        #expect(Self.key(request) == nil)
    }

    @Test(
        "Directives that do not ask for a new answer are no hindrance",
        arguments: ["max-age=60", "only-if-cached", "min-fresh=5", "no-transform", "", "x=\"no-cached\""]
    )
    func directives(text: String) {
        #expect(Self.key(.get(target, headers: [.cacheControl: text])) != nil)
    }

    @Test("Credentials among the options keep a call apart, unless the partition sees them")
    func credentialOptions() {
        var request = Request.get(target)
        request.options[Token.self] = "hunter2"
        #expect(Self.key(request) == nil)
        #expect(Self.key(request, users: true) != nil)
    }

    @Test("What is asked of one call lasts when it is asked again")
    func option() {
        #expect(Self.key(.get(target).coalescing(false).coalescing()) != nil)
    }
}

enum Token: RequestOption {
    static var defaultValue: String { "" }
    static func isHarmless(_ value: Value) -> Bool { true }
    static var isCredential: Bool { true }
}

extension HTTPField.Name {
    static let requestID = HTTPField.Name(constant: "X-Request-ID")
}

extension Request {
    func bound(to origin: String) -> Request {
        var request = self
        if let origin = Origin(origin) { request.options[OriginBoundFieldsNote.self] = [.authorization: origin] }
        return request
    }
}
