#if AllTests
import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPTypes
import Testing

@Suite("What is stored, RFC 9111 §3")
struct StorageRuleTests {
    private static let tag = "ETag: \"a\""

    static let rows: [Row] = responses + authorized + otherFields + settings

    private static let responses: [Row] = [
        // §3: the method is understood, the response final, the status cacheable or made so.
        Row("§3 200 with max-age", "stored", ["max-age=60"]),
        Row("§3 200 with nothing: heuristically cacheable", "stored"),
        Row(
            "HTML §9.2 a stream of events with max-age",
            "skipped",
            ["Content-Type: Text/Event-Stream; charset=utf-8", "max-age=60"]
        ),
        Row(
            "HTML §9.2 what only begins like a stream of events",
            "stored",
            ["Content-Type: text/event-streams", "max-age=60"]
        ),
        Row("§3 POST", "skipped", ["max-age=60"], method: .post),
        Row("§3 HEAD", "skipped", ["max-age=60"], method: .head),
        Row("§3 103 is not final", "skipped", ["max-age=60"], status: 103),
        Row("§3 599 with max-age", "stored", ["max-age=60"], status: 599),
        Row("§3 599 with Expires", "stored", ["Expires: \(date(60))"], status: 599),
        Row("§3 599 with public", "stored", ["public"], status: 599),
        Row("§3 599 with private, private cache", "stored", ["private"], status: 599),
        Row("§3 599 with s-maxage, private cache", "skipped", ["s-maxage=60"], status: 599),
        Row("§3 599 with s-maxage, shared cache", "stored", ["s-maxage=60"], status: 599, mode: .shared),
        Row("§3 599 with nothing", "skipped", status: 599),
        Row("§3 302 with nothing", "skipped", ["Last-Modified: \(date(-100))"], status: 302),
        Row("§3 302 with max-age", "stored", ["max-age=60"], status: 302),
        Row("§3 500 with max-age", "stored", ["max-age=60"], status: 500),
        Row("§3 304", "skipped", ["max-age=60"], status: 304),
        Row("§3 412", "skipped", ["max-age=60"], status: 412),
        Row("§3 416", "skipped", ["max-age=60"], status: 416),
        // §5.2.2.5, §5.2.1.5
        Row("§5.2.2.5 no-store", "skipped", ["no-store, max-age=60"]),
        Row("§5.2.2.5 No-Store on another line", "skipped", ["max-age=60", "No-Store"]),
        Row("§5.2.1.5 no-store in the request", "skipped", ["max-age=60"], firstRequest: ["no-store"]),
        // §5.2.2.3
        Row(
            "§5.2.2.3 must-understand, no-store, known status",
            "stored",
            ["must-understand, no-store, max-age=60"]
        ),
        Row(
            "§5.2.2.3 must-understand, no-store, unknown status",
            "skipped",
            ["must-understand, no-store, max-age=60"],
            status: 599
        ),
        Row("§5.2.2.3 must-understand, unknown status", "skipped", ["must-understand, max-age=60"], status: 599),
        // §5.2.2.7
        Row("§5.2.2.7 private, private cache", "stored", ["private, max-age=60"]),
        Row("§5.2.2.7 private, shared cache", "skipped", ["private, max-age=60"], mode: .shared),
        Row(
            "§5.2.2.7 private with fields, shared cache",
            "stored",
            ["private=\"Set-Cookie\", max-age=60"],
            mode: .shared
        ),
    ]

    /// §3.5.
    private static let authorized: [Row] = [
        ("private cache", "stored", .private, "max-age=60"),
        ("shared cache", "skipped", .shared, "max-age=60"),
        ("shared cache, public", "stored", .shared, "max-age=60, public"),
        ("shared cache, must-revalidate", "stored", .shared, "max-age=60, must-revalidate"),
        ("shared cache, s-maxage=60", "stored", .shared, "max-age=60, s-maxage=60"),
    ].map { (name: String, expected: String, mode: CacheRules.Mode, control: String) in
        let request = ["Authorization: Bearer x"]
        return Row("§3.5 Authorization, \(name)", expected, [control], firstRequest: request, mode: mode)
    }

    private static let otherFields: [Row] = [
        // §4.1
        Row("§4.1 Vary: *", "skipped", ["max-age=60", "Vary: *"]),
        Row("§4.1 Vary: Foo, *", "skipped", ["max-age=60", "Vary: Foo, *"]),
        Row("§4.1 Vary: * on another line", "skipped", ["max-age=60", "Vary: Foo", "Vary: *"]),
        Row("§4.1 an empty Vary", "stored", ["max-age=60", "Vary: "]),
        // §3.3
        Row("§3.3 206 with a range", "stored", ["max-age=60", "Content-Range: bytes 0-4/10"], status: 206),
        Row("§3.3 206 without", "skipped", ["max-age=60"], status: 206),
        Row(
            "§3.3 206 in several parts",
            "skipped",
            ["max-age=60", "Content-Type: multipart/byteranges; boundary=x"],
            status: 206
        ),
        // What can never be used
        Row("no-cache without a validator", "skipped", ["no-cache"]),
        Row("no-cache with one", "stored", ["no-cache", tag]),
        Row("must-revalidate, stale at once, without a validator", "skipped", ["max-age=0, must-revalidate"]),
    ]

    /// What the client decides, and the fields that are for shared caches.
    private static let settings: [Row] = [
        Row("a client's own lifetime overrules no-store", "stored", ["no-store"]) {
            $0.settings.lifetime = .exactly(.seconds(60))
        },
        Row("another does not", "skipped", ["no-store"]) { $0.settings.lifetime = .whenUnspecified(.seconds(60)) },
        Row("a lifetime where the server says nothing keeps must-revalidate", "stored", ["must-revalidate"]) {
            $0.settings.lifetime = .whenUnspecified(.seconds(60))
        },
        Row(
            "RFC 9213 599 with a targeted s-maxage, shared cache",
            "stored",
            ["CDN-Cache-Control: s-maxage=60"],
            status: 599,
            mode: .shared
        ),
        Row(
            "RFC 9213 599 with a targeted field that says nothing, shared cache",
            "skipped",
            ["max-age=60", "CDN-Cache-Control: must-revalidate"],
            status: 599,
            mode: .shared
        ),
        Row("a client's lifetime makes any status cacheable", "stored", status: 599) {
            $0.settings.lifetime = .whenUnspecified(.seconds(60))
        },
        Row("the cache is off", "skipped", ["max-age=60"]) { $0.settings.use = .off },
        Row("a refresh is stored", "stored", ["max-age=60"]) { $0.settings.use = .refresh },
        // RFC 9213
        Row(
            "RFC 9213 CDN-Cache-Control: no-store, shared cache",
            "skipped",
            ["max-age=60", "CDN-Cache-Control: no-store"],
            mode: .shared
        ),
        Row(
            "RFC 9213 CDN-Cache-Control: no-store, private cache",
            "stored",
            ["max-age=60", "CDN-Cache-Control: no-store"]
        ),
        Row(
            "RFC 9213 CDN-Cache-Control overrules no-store",
            "stored",
            ["no-store", "CDN-Cache-Control: max-age=60"],
            mode: .shared
        ),
        Row(
            "RFC 9213 a malformed one does not",
            "skipped",
            ["no-store", "CDN-Cache-Control: max-age=60, &"],
            mode: .shared
        ),
    ]

    @Test("Each row is stored or skipped", arguments: rows)
    func storage(row: Row) {
        switch row.situation.storage {
        case .store: #expect(row.expected == "stored")
        case .skip(let reason): #expect(row.expected == "skipped", "\(reason)")
        }
    }

    static let reasons: [Row] = [
        Row("the cache is off", "the cache is off for this call") { $0.settings.use = .off },
        Row("POST", "the method's responses are not stored, RFC 9111 §3", method: .post),
        Row("no-store in the request", "the request is no-store, RFC 9111 §5.2.1.5", firstRequest: ["no-store"]),
        Row("199", "the response is not final, RFC 9111 §3", status: 199),
        Row("304", "the response answers a condition or a range, not the request", status: 304),
        Row("10,001 fields", "it has too many fields", Array(repeating: "X-Test: 1", count: 10_001)),
        Row("events", "an event stream has no end", ["Content-Type: text/event-stream", "max-age=60"]),
        Row(
            "must-understand",
            "must-understand an unknown status, RFC 9111 §5.2.2.3",
            ["must-understand, max-age=60"],
            status: 599
        ),
        Row("no-store", "the response is no-store, RFC 9111 §5.2.2.5", ["no-store"]),
        Row("private", "the response is private, RFC 9111 §5.2.2.7", ["private"], mode: .shared),
        Row(
            "authenticated",
            "the request was authenticated, RFC 9111 §3.5",
            firstRequest: ["Authorization: Bearer x"],
            mode: .shared
        ),
        Row("599", "nothing allows the status 599 to be stored, RFC 9111 §3", status: 599),
        Row("no-cache", "no-cache without a validator can never be used", ["no-cache"]),
        Row(
            "must-revalidate",
            "must-revalidate, stale and without a validator: it can never be used",
            ["must-revalidate, max-age=0"]
        ),
        Row("Vary: *", "Vary: * never matches a request, RFC 9111 §4.1", ["Vary: *"]),
        Row("206", "the partial response is not one run of bytes, RFC 9111 §3.3", status: 206),
    ]

    @Test("Why a response is not stored is said", arguments: reasons)
    func reason(row: Row) {
        guard case .skip(let reason) = row.situation.storage else {
            Issue.record("it is stored")
            return
        }
        #expect(reason == row.expected)
    }

    @Test("What stages further in have added counts: credentials, and fields that Vary names")
    func sentAs() throws {
        let situation = Situation()
        func storage(_ response: [String], sentAs lines: [String], needsOwner: Bool, isOwnerKnown: Bool) -> String? {
            var question = situation.question(.get, [], CacheSettings(), at: 0)
            question.needsOwner = needsOwner
            question.isOwnerKnown = isOwnerKnown
            let storage = CacheRules().storage(
                of: ReceivedResponse(
                    HTTPResponse(status: .ok, headerFields: fields(response)),
                    to: situation.head(.get, lines),
                    sentAt: start,
                    receivedAt: start
                ),
                answering: question
            )
            guard case .skip(let reason) = storage else { return nil }
            return reason
        }
        let credentials = ["Authorization: Bearer x"]
        #expect(storage([], sentAs: credentials, needsOwner: false, isOwnerKnown: false) == nil)
        #expect(
            storage([], sentAs: credentials, needsOwner: true, isOwnerKnown: false)
                == "the request was authenticated further in, and no partition says whose it is"
        )
        #expect(storage([], sentAs: [], needsOwner: true, isOwnerKnown: false) == nil)
        let vary = ["Vary: X-Test"]
        #expect(
            storage(vary, sentAs: ["X-Test: 1"], needsOwner: false, isOwnerKnown: false)
                == "Vary names a field that was set after the cache lookup, RFC 9111 §4.1"
        )
        #expect(storage(vary, sentAs: ["X-Test: 1"], needsOwner: false, isOwnerKnown: true) == nil)
        #expect(storage(vary, sentAs: [], needsOwner: false, isOwnerKnown: false) == nil)
        let question = situation.question(.get, [], CacheSettings(), at: 0)
        #expect(!question.needsOwner && !question.isOwnerKnown && !question.isUnowned)
    }

    @Test("§3.5: in a shared cache credentials count that were there, and those that were added")
    func credentials() {
        let situation = Situation()
        for (asked, sent) in [(true, true), (true, false), (false, true), (false, false)] {
            let lines = { (isThere: Bool) in isThere ? ["Authorization: Bearer x"] : [] }
            let storage = CacheRules(mode: .shared).storage(
                of: ReceivedResponse(
                    HTTPResponse(status: .ok),
                    to: situation.head(.get, lines(sent)),
                    sentAt: start,
                    receivedAt: start
                ),
                answering: situation.question(.get, lines(asked), CacheSettings(), at: 0)
            )
            var isStored = false
            if case .store = storage { isStored = true }
            #expect(isStored == (!asked && !sent))
        }
    }

    @Test(
        "§3: what answers a method with content is stored under an identifier, for as long as the client says exactly",
        arguments: [
            (.get, false, nil, .server, true), (.get, true, nil, .server, false),
            (.get, true, nil, .exactly(.seconds(1)), false),
            (.get, true, "a", .server, false), (.get, true, "a", .exactly(.seconds(1)), true),
            (.post, false, "a", .exactly(.seconds(1)), true), (.post, false, "a", .server, false),
            (.post, true, "a", .atMost(.seconds(1)), false), (.post, true, nil, .exactly(.seconds(1)), false),
        ] as [(HTTPRequest.Method, Bool, String?, CacheLifetime, Bool)]
    )
    func content(
        method: HTTPRequest.Method,
        hasContent: Bool,
        identifier: String?,
        lifetime: CacheLifetime,
        isStored: Bool
    ) {
        var settings = CacheSettings()
        settings.lifetime = lifetime
        let question = CacheQuestion(
            Situation().head(method, []),
            key: CacheKey(url: target, method: method, identifier: identifier),
            settings: settings,
            hasContent: hasContent,
            time: start
        )
        let storage = CacheRules().storage(
            of: ReceivedResponse(
                HTTPResponse(status: .ok, headerFields: fields(["Cache-Control: max-age=60"])),
                sentAt: start,
                receivedAt: start
            ),
            answering: question
        )
        switch storage {
        case .store: #expect(isStored)
        case .skip(let reason):
            #expect(!isStored)
            #expect(reason == "only with an identifier and a lifetime of the client's own, RFC 9111 §3")
        }
    }

    @Test(
        "RFC 9110 §9.3.3: an answer to POST with explicit freshness, and the target as its Content-Location, answers a GET",
        arguments: [
            (200, ["Cache-Control: max-age=60", "Content-Location: /a"], true, true),
            (200, ["Expires: \(date(60))", "Content-Location: \(target)"], true, true),
            (200, ["Cache-Control: s-maxage=60", "Content-Location: /a"], false, true),
            (200, ["Content-Location: /a"], false, false), (200, ["Cache-Control: max-age=60"], false, false),
            (200, ["Cache-Control: max-age=60", "Content-Location: /b"], false, false),
            (201, ["Cache-Control: max-age=60", "Content-Location: /a"], false, false),
        ]
    )
    func answersGet(status: Int, lines: [String], inPrivate: Bool, inShared: Bool) {
        var question = Situation().question(.post, [], CacheSettings(), at: 0)
        let response = HTTPResponse(status: .init(code: status), headerFields: fields(lines))
        #expect(CacheRules().questionOfGet(question, answeredBy: response) == nil)
        question.keyOfGet = CacheKey(url: target)
        for (mode, isAnswered) in [(CacheRules.Mode.private, inPrivate), (.shared, inShared)] {
            let found = CacheRules(mode: mode).questionOfGet(question, answeredBy: response)
            #expect((found != nil) == isAnswered)
            if let found { #expect(found.request.method == .get && found.key == CacheKey(url: target)) }
        }
    }

    @Test("10,000 fields are not too many, and a 304 with more of them changes nothing")
    func manyFields() {
        var situation = Situation()
        situation.response = Array(repeating: "X-Test: 1", count: 10_000)
        #expect(situation.entry != nil)
        let old = fields(["X-Test: 0"])
        var many = fields(Array(repeating: "X-Test: 1", count: 10_000))
        #expect(CacheRules().updatedFields(old, with: many, start)[values: .xTest].count == 10_000)
        many.append(HTTPField(name: .xTest, value: "2"))
        #expect(CacheRules().updatedFields(old, with: many, start) == old)
    }

    @Test("Fields of other names in each validation do not add up beyond what a message can hold")
    func moreFieldsWithEachValidation() {
        var stored = fields(["X-Test: 0"])
        for round in 0..<8 {
            let new = fields((0..<9000).map { "X-\(round)-\($0): 1" })
            stored = CacheRules().updatedFields(stored, with: new, start)
        }
        #expect(stored.count <= 20_000)
        #expect(stored.count > 18_000)
    }

    @Test("§5.2.2.3: the statuses that are understood are those of RFC 9110 §15, RFC 6585 and RFC 7725")
    func understood() {
        let known: Set = [
            200, 201, 202, 203, 204, 205, 206, 300, 301, 302, 303, 304, 305, 307, 308, 400, 401, 402, 403, 404, 405,
            406,
            407, 408, 409, 410, 411, 412, 413, 414, 415, 416, 417, 421, 422, 426, 428, 429, 431, 451, 500, 501, 502,
            503,
            504, 505, 511,
        ]
        #expect((100...999).filter(CacheRules.isUnderstood) == known.sorted())
    }

    @Test(
        "RFC 9110 §15.1: these statuses are cacheable by themselves, and no others",
        arguments: Array(200...599)
    )
    func heuristicallyCacheable(status: Int) {
        var situation = Situation()
        situation.status = status
        situation.response = ["Last-Modified: \(date(-1000))", "Content-Range: bytes 0-4/10"]
        let isCacheable = [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501].contains(status)
        #expect((situation.entry != nil) == isCacheable)
    }

    @Test(
        "§3.1: fields of the connection and of a proxy are not stored, all others are",
        arguments: [
            ("Connection", false), ("Keep-Alive", false), ("Foo", false), ("Bar", false), ("Proxy-Authenticate", false),
            ("Proxy-Authentication-Info", false), ("Proxy-Authorization", false), ("Proxy-Connection", false),
            ("TE", false),
            ("Transfer-Encoding", false), ("Upgrade", false), ("Secret", false),
            ("Set-Cookie", true), ("Content-Type", true), ("X-Test", true), ("Trailer", true), ("ETag", true),
            ("Content-Length", true), ("Via", true), ("Cache-Control", true), ("Date", true),
        ]
    )
    func fieldsStored(name: String, isStored: Bool) throws {
        var situation = Situation()
        situation.response = [
            "Connection: foo, Bar", "Foo: 1", "Bar: 1", "Keep-Alive: 1", "Proxy-Authenticate: 1",
            "Proxy-Authentication-Info: 1", "Proxy-Authorization: 1", "Proxy-Connection: 1", "TE: 1",
            "Transfer-Encoding: chunked", "Upgrade: 1",
            "Set-Cookie: a=b", "Content-Type: a/b", "X-Test: 1", "Trailer: x", "ETag: \"a\"", "Content-Length: 10",
            "Via: x",
            "Cache-Control: max-age=60, no-cache=\"secret\"", "Secret: 1",
        ]
        let entry = try #require(situation.entry)
        let stored = HTTPField.Name(name).map { entry.response.metadata.head.headerFields.contains($0) }
        #expect(stored == isStored)
    }

    @Test("§5.2.2.7: private fields are not stored only in a shared cache")
    func privateFields() throws {
        var situation = Situation()
        situation.response = ["Cache-Control: max-age=60, private=\"X-User\"", "X-User: Ada"]
        let name = try #require(HTTPField.Name("X-User"))
        #expect(try #require(situation.entry).response.metadata.head.headerFields.contains(name))
        situation.mode = .shared
        #expect(try !#require(situation.entry).response.metadata.head.headerFields.contains(name))
    }

    @Test("RFC 9110 §6.6.1: a response without a date is stored with the date it came")
    func missingDate() throws {
        #expect(try #require(Situation().entry).response.metadata.head.headerFields[.date] == date(0))
    }

    @Test(
        "§4.4: a successful unsafe request invalidates its target, and the URLs of the same origin that it names",
        arguments: [
            (.post, 200, [], [target]), (.put, 204, [], [target]), (.delete, 303, [], [target]),
            (.patch, 200, [], [target]),
            (.init("M-SEARCH")!, 200, [], [target]), (.post, 400, [], []), (.post, 500, [], []), (.post, 199, [], []),
            (.get, 200, ["Location: /b"], []), (.head, 200, [], []), (.options, 200, [], []), (.trace, 200, [], []),
            (.post, 201, ["Location: /b"], [target, "https://example.com/b"]),
            (.post, 201, ["Location: b?c#d"], [target, "https://example.com/b?c"]),
            (.post, 200, ["Content-Location: https://EXAMPLE.com:443/b"], [target, "https://example.com/b"]),
            (.post, 201, ["Location: https://other.example/b"], [target]),
            (.post, 201, ["Location: http://example.com/b"], [target]),
            (.post, 201, ["Location: https://example.com:444/b"], [target]),
            (.post, 201, ["Location: //[", "Content-Location: a"], [target]),
            (.post, 201, ["Location: /b?f[a]=1"], [target, "https://example.com/b?f%5Ba%5D=1"]),
            (.post, 201, ["Location: /c/../b d"], [target, "https://example.com/b%20d"]),
            (.post, 201, ["Location: ?c"], [target, "https://example.com/a?c"]),
            (.post, 201, ["Location: ", "Content-Location: #b"], [target]),
            (
                .put, 201, ["Location: /b", "Content-Location: /c"],
                [target, "https://example.com/b", "https://example.com/c"]
            ),
        ] as [(HTTPRequest.Method, Int, [String], [String])]
    )
    func invalidation(method: HTTPRequest.Method, status: Int, lines: [String], urls: [String]) {
        let situation = Situation()
        let selections = CacheRules().invalidations(
            by: situation.question(method, [], CacheSettings(), at: 0),
            answering: HTTPResponse(status: .init(code: status), headerFields: fields(lines))
        )
        #expect(selections == urls.map { .url($0) })
    }
}
#endif
