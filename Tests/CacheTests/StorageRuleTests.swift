#if AllTests
import Foundation
import HTTPChainCore
import HTTPTypes
import Testing

@testable import HTTPChainCache

@Suite("What is stored, RFC 9111 §3")
struct StorageRuleTests {
    private static let tag = "ETag: \"a\""

    static let rows: [Row] =
        [
            // §3: the method is understood, the response final, the status cacheable or made so.
            Row("§3 200 with max-age", "stored") { $0.response = ["Cache-Control: max-age=60"] },
            Row("§3 200 with nothing: heuristically cacheable", "stored") { $0.response = [] },
            Row("HTML §9.2 a stream of events with max-age", "skipped") {
                $0.response = ["Content-Type: Text/Event-Stream; charset=utf-8", "Cache-Control: max-age=60"]
            },
            Row("HTML §9.2 what only begins like a stream of events", "stored") {
                $0.response = ["Content-Type: text/event-streams", "Cache-Control: max-age=60"]
            },
            Row("§3 POST", "skipped") {
                $0.method = .post; $0.response = ["Cache-Control: max-age=60"]
            },
            Row("§3 HEAD", "skipped") {
                $0.method = .head; $0.response = ["Cache-Control: max-age=60"]
            },
            Row("§3 103 is not final", "skipped") {
                $0.status = 103; $0.response = ["Cache-Control: max-age=60"]
            },
            Row("§3 599 with max-age", "stored") {
                $0.status = 599; $0.response = ["Cache-Control: max-age=60"]
            },
            Row("§3 599 with Expires", "stored") {
                $0.status = 599; $0.response = ["Expires: \(date(60))"]
            },
            Row("§3 599 with public", "stored") {
                $0.status = 599; $0.response = ["Cache-Control: public"]
            },
            Row("§3 599 with private, private cache", "stored") {
                $0.status = 599; $0.response = ["Cache-Control: private"]
            },
            Row("§3 599 with s-maxage, private cache", "skipped") {
                $0.status = 599; $0.response = ["Cache-Control: s-maxage=60"]
            },
            Row("§3 599 with s-maxage, shared cache", "stored") {
                $0.status = 599
                $0.mode = .shared
                $0.response = ["Cache-Control: s-maxage=60"]
            },
            Row("§3 599 with nothing", "skipped") { $0.status = 599 },
            Row("§3 302 with nothing", "skipped") {
                $0.status = 302; $0.response = ["Last-Modified: \(date(-100))"]
            },
            Row("§3 302 with max-age", "stored") {
                $0.status = 302; $0.response = ["Cache-Control: max-age=60"]
            },
            Row("§3 500 with max-age", "stored") {
                $0.status = 500; $0.response = ["Cache-Control: max-age=60"]
            },
            Row("§3 304", "skipped") {
                $0.status = 304; $0.response = ["Cache-Control: max-age=60"]
            },
            Row("§3 412", "skipped") {
                $0.status = 412; $0.response = ["Cache-Control: max-age=60"]
            },
            Row("§3 416", "skipped") {
                $0.status = 416; $0.response = ["Cache-Control: max-age=60"]
            },
            // §5.2.2.5, §5.2.1.5
            Row("§5.2.2.5 no-store", "skipped") { $0.response = ["Cache-Control: no-store, max-age=60"] },
            Row("§5.2.2.5 No-Store on another line", "skipped") {
                $0.response = ["Cache-Control: max-age=60", "Cache-Control: No-Store"]
            },
            Row("§5.2.1.5 no-store in the request", "skipped") {
                $0.firstRequest = ["Cache-Control: no-store"]
                $0.response = ["Cache-Control: max-age=60"]
            },
            // §5.2.2.3
            Row("§5.2.2.3 must-understand, no-store, known status", "stored") {
                $0.response = ["Cache-Control: must-understand, no-store, max-age=60"]
            },
            Row("§5.2.2.3 must-understand, no-store, unknown status", "skipped") {
                $0.status = 599
                $0.response = ["Cache-Control: must-understand, no-store, max-age=60"]
            },
            Row("§5.2.2.3 must-understand, unknown status", "skipped") {
                $0.status = 599
                $0.response = ["Cache-Control: must-understand, max-age=60"]
            },
            // §5.2.2.7
            Row("§5.2.2.7 private, private cache", "stored") { $0.response = ["Cache-Control: private, max-age=60"] },
            Row("§5.2.2.7 private, shared cache", "skipped") {
                $0.mode = .shared
                $0.response = ["Cache-Control: private, max-age=60"]
            },
            Row("§5.2.2.7 private with fields, shared cache", "stored") {
                $0.mode = .shared
                $0.response = ["Cache-Control: private=\"Set-Cookie\", max-age=60"]
            },
            // §3.5
            Row("§3.5 Authorization, private cache", "stored") {
                $0.firstRequest = ["Authorization: Bearer x"]
                $0.response = ["Cache-Control: max-age=60"]
            },
            Row("§3.5 Authorization, shared cache", "skipped") {
                $0.mode = .shared
                $0.firstRequest = ["Authorization: Bearer x"]
                $0.response = ["Cache-Control: max-age=60"]
            },
        ]
        + ["public", "must-revalidate", "s-maxage=60"].map { directive in
            Row("§3.5 Authorization, shared cache, \(directive)", "stored") {
                $0.mode = .shared
                $0.firstRequest = ["Authorization: Bearer x"]
                $0.response = ["Cache-Control: max-age=60, \(directive)"]
            }
        } + [
            // §4.1
            Row("§4.1 Vary: *", "skipped") { $0.response = ["Cache-Control: max-age=60", "Vary: *"] },
            Row("§4.1 Vary: Foo, *", "skipped") { $0.response = ["Cache-Control: max-age=60", "Vary: Foo, *"] },
            Row("§4.1 Vary: * on another line", "skipped") {
                $0.response = ["Cache-Control: max-age=60", "Vary: Foo", "Vary: *"]
            },
            Row("§4.1 an empty Vary", "stored") { $0.response = ["Cache-Control: max-age=60", "Vary: "] },
            // §3.3
            Row("§3.3 206 with a range", "stored") {
                $0.status = 206
                $0.response = ["Cache-Control: max-age=60", "Content-Range: bytes 0-4/10"]
            },
            Row("§3.3 206 without", "skipped") {
                $0.status = 206; $0.response = ["Cache-Control: max-age=60"]
            },
            Row("§3.3 206 in several parts", "skipped") {
                $0.status = 206
                $0.response = ["Cache-Control: max-age=60", "Content-Type: multipart/byteranges; boundary=x"]
            },
            // What can never be used
            Row("no-cache without a validator", "skipped") { $0.response = ["Cache-Control: no-cache"] },
            Row("no-cache with one", "stored") { $0.response = ["Cache-Control: no-cache", tag] },
            Row("must-revalidate, stale at once, without a validator", "skipped") {
                $0.response = ["Cache-Control: max-age=0, must-revalidate"]
            },
            // What the client decides
            Row("a client's own lifetime overrules no-store", "stored") {
                $0.response = ["Cache-Control: no-store"]
                $0.settings.lifetime = .exactly(.seconds(60))
            },
            Row("another does not", "skipped") {
                $0.response = ["Cache-Control: no-store"]
                $0.settings.lifetime = .whenUnspecified(.seconds(60))
            },
            Row("a client's lifetime makes any status cacheable", "stored") {
                $0.status = 599
                $0.settings.lifetime = .whenUnspecified(.seconds(60))
            },
            Row("the cache is off", "skipped") {
                $0.response = ["Cache-Control: max-age=60"]
                $0.settings.use = .off
            },
            Row("a refresh is stored", "stored") {
                $0.response = ["Cache-Control: max-age=60"]
                $0.settings.use = .refresh
            },
            // RFC 9213
            Row("RFC 9213 CDN-Cache-Control: no-store, shared cache", "skipped") {
                $0.mode = .shared
                $0.response = ["Cache-Control: max-age=60", "CDN-Cache-Control: no-store"]
            },
            Row("RFC 9213 CDN-Cache-Control: no-store, private cache", "stored") {
                $0.response = ["Cache-Control: max-age=60", "CDN-Cache-Control: no-store"]
            },
            Row("RFC 9213 CDN-Cache-Control overrules no-store", "stored") {
                $0.mode = .shared
                $0.response = ["Cache-Control: no-store", "CDN-Cache-Control: max-age=60"]
            },
            Row("RFC 9213 a malformed one does not", "skipped") {
                $0.mode = .shared
                $0.response = ["Cache-Control: no-store", "CDN-Cache-Control: max-age=60, &"]
            },
        ]

    @Test("Row by row", arguments: rows)
    func storage(row: Row) {
        switch row.situation.storage {
        case .store: #expect(row.expected == "stored")
        case .skip(let reason): #expect(row.expected == "skipped", "\(reason)")
        }
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
            ("Proxy-Authentication-Info", false), ("Proxy-Connection", false), ("TE", false),
            ("Transfer-Encoding", false), ("Upgrade", false), ("Secret", false),
            ("Set-Cookie", true), ("Content-Type", true), ("X-Test", true), ("Trailer", true), ("ETag", true),
            ("Content-Length", true), ("Via", true), ("Cache-Control", true), ("Date", true),
        ]
    )
    func fieldsStored(name: String, isStored: Bool) throws {
        var situation = Situation()
        situation.response = [
            "Connection: foo, Bar", "Foo: 1", "Bar: 1", "Keep-Alive: 1", "Proxy-Authenticate: 1",
            "Proxy-Authentication-Info: 1", "Proxy-Connection: 1", "TE: 1", "Transfer-Encoding: chunked", "Upgrade: 1",
            "Set-Cookie: a=b", "Content-Type: a/b", "X-Test: 1", "Trailer: x", "ETag: \"a\"", "Content-Length: 10",
            "Via: x",
            "Cache-Control: max-age=60, no-cache=\"secret\"", "Secret: 1",
        ]
        let entry = try #require(situation.entry)
        let stored = HTTPField.Name(name).map { entry.response.metadata.head.headerFields.contains($0) }
        #expect(stored == isStored)
    }

    @Test("§5.2.2.7: fields that are private are not stored in a shared cache alone")
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
        "§4.4: an unsafe request that succeeds makes its target invalid, and what it names in the same origin",
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
