#if AllTests
import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPTypes
import Testing

@Suite("What a request is answered with, RFC 9111 §4 and §5")
struct DecisionRuleTests {
    static let tag = "ETag: \"a\""
    static func fresh(_ more: String...) -> [String] { ["max-age=60"] + more }

    static let freshness: [Row] = [
        Row("§4.2.1 fresh by max-age", "serve", fresh(), after: 59),
        Row("§4.2 stale at the very second", "ask", fresh(), after: 60),
        Row("§4.2.1 fresh by Expires", "serve", ["Expires: \(date(60))"], after: 59),
        Row("§4.2.1 stale by Expires", "ask", ["Expires: \(date(60))"], after: 60),
        Row(
            "§4.2.1 Expires is compared with Date, not with the clock here",
            "ask",
            ["Date: \(date(1000))", "Expires: \(date(1060))"],
            after: 60
        ),
        Row(
            "§4.2.1 Expires after Date by the server's clock",
            "serve",
            ["Date: \(date(1000))", "Expires: \(date(1060))"],
            after: 59
        ),
        Row("§4.2.1 max-age before Expires", "serve", fresh("Expires: \(date(-60))"), after: 5),
        Row("§4.2.1 max-age=0 before Expires", "ask", ["max-age=0", "Expires: \(date(60))"]),
        Row("§5.3 Expires: 0", "ask", ["Expires: 0", "Last-Modified: \(date(-9999))"]).validating,
        Row("§4.2.1 an invalid max-age is stale", "ask", ["max-age=x", "Expires: \(date(60))"]),
        Row("§5.2.2.10 s-maxage in a private cache", "ask", ["s-maxage=60"], after: 5),
        Row("§5.2.2.10 s-maxage in a shared cache", "serve", ["max-age=1, s-maxage=60"], mode: .shared, after: 5),
        Row("§5.2.2.10 s-maxage=1 in a shared cache", "ask", ["max-age=60, s-maxage=1"], mode: .shared, after: 5),
        Row("§1.2.2 an overflowing max-age", "serve", ["max-age=99999999999999999999"], after: 1_000_000),
        // §4.2.3
        Row("§4.2.3 Age counts", "ask", fresh("Age: 60")),
        Row("§4.2.3 Age and time here", "ask", fresh("Age: 30"), after: 30),
        Row("§4.2.3 Age and less time here", "serve", fresh("Age: 30"), after: 29),
        Row("§4.2.3 a Date in the past", "ask", fresh("Date: \(date(-60))")),
        Row("§4.2.3 a Date in the future counts for nothing", "serve", fresh("Date: \(date(600))"), after: 59),
        Row("§4.2.3 no Date", "serve", fresh(), after: 5),
        Row("§4.2.3 an invalid Date", "serve", fresh("Date: foo"), after: 5),
        Row("§4.2.3 the way here takes time", "ask", fresh("Age: 30"), delay: 20, after: 10),
        Row("§5.1 an invalid Age", "serve", fresh("Age: -100"), after: 5),
        Row("a clock that was set back a little", "serve", fresh(), after: -10),
        Row("a clock that was set back a lot", "ask", fresh(), after: -3600),
        // §4.2.2
        Row("§4.2.2 a tenth of the time since the last change", "serve", ["Last-Modified: \(date(-1000))"], after: 99),
        Row("§4.2.2 and no longer", "validate", ["Last-Modified: \(date(-1000))"], after: 100),
        Row("§4.2.2 and no longer than a day", "validate", ["Last-Modified: \(date(-100_000_000))"], after: 86_400),
        Row("§4.2.2 just below a day", "serve", ["Last-Modified: \(date(-100_000_000))"], after: 86_399),
        Row("§4.2.2 a change in the future", "validate", ["Last-Modified: \(date(1000))"]),
        Row(
            "§4.2.2 not beside an explicit time",
            "validate",
            ["max-age=1", "Last-Modified: \(date(-1000))"],
            after: 5
        ),
        Row("§4.2.2 not for 302", "not stored", ["Last-Modified: \(date(-1000))"], status: 302),
        Row("§4.2.2 for 302 with public", "serve", ["public", "Last-Modified: \(date(-1000))"], status: 302, after: 5),
        Row("§4.2.2 for 599 with public", "serve", ["public", "Last-Modified: \(date(-1000))"], status: 599),
        // RFC 9213
        Row(
            "RFC 9213 §2.2 max-age before Cache-Control",
            "serve",
            ["max-age=1", "CDN-Cache-Control: max-age=60"],
            mode: .shared,
            after: 5
        ),
        Row(
            "RFC 9213 §2.2 before s-maxage and Expires",
            "ask",
            ["s-maxage=60", "Expires: \(date(60))", "CDN-Cache-Control: max-age=1"],
            mode: .shared,
            after: 5
        ),
        Row(
            "RFC 9213 §2.2 nothing for a private cache",
            "ask",
            ["max-age=1", "CDN-Cache-Control: max-age=60"],
            after: 5
        ),
    ]

    static let client: [Row] = [
        Row(
            "exactly: fresh for as long as the client says",
            "serve",
            ["no-cache, max-age=1, must-revalidate"],
            after: 59
        ) { $0.settings.lifetime = .exactly(.seconds(60)) },
        Row("exactly: and no longer", "ask", ["max-age=600"], after: 60) {
            $0.settings.lifetime = .exactly(.seconds(60))
        },
        Row("exactly counts from when the response came", "serve", ["max-age=0", "Age: 1000"], after: 59) {
            $0.settings.lifetime = .exactly(.seconds(60))
        },
        Row("atMost shortens", "ask", fresh(), after: 30) { $0.settings.lifetime = .atMost(.seconds(30)) },
        Row("atMost does not lengthen", "ask", fresh(), after: 60) { $0.settings.lifetime = .atMost(.seconds(90)) },
        Row("whenUnspecified where the server says nothing", "serve", after: 89) {
            $0.settings.lifetime = .whenUnspecified(.seconds(90))
        },
        Row("whenUnspecified where it does", "ask", fresh(), after: 60) {
            $0.settings.lifetime = .whenUnspecified(.seconds(90))
        },
        Row("the call that asks has the last word", "serve", fresh(), after: 500) {
            $0.askSettings.lifetime = .exactly(.seconds(600))
        },
        Row("off", "forward", fresh()) { $0.askSettings.use = .off },
        Row("refresh", "validate", fresh(tag)) { $0.askSettings.use = .refresh },
        Row("only stored, stale", "serve", fresh(), after: 9999) { $0.askSettings.use = .onlyStored },
        Row("only stored, POST", "504", fresh(), askMethod: .post) { $0.askSettings.use = .onlyStored },
        Row("only stored, must-revalidate", "504", ["max-age=60, must-revalidate"], after: 61) {
            $0.askSettings.use = .onlyStored
        },
        Row("only stored, no-cache", "504", ["no-cache", tag]) { $0.askSettings.use = .onlyStored },
    ]

    @Test("Each row about freshness has its decision", arguments: freshness)
    func freshnessRows(row: Row) { #expect(row.situation.outcome == row.expected) }

    @Test("Each directive has its decision", arguments: directives)
    func directiveRows(row: Row) { #expect(row.situation.outcome == row.expected) }

    @Test("Each row about selection, conditions and ranges has its decision", arguments: selection)
    func selectionRows(row: Row) { #expect(row.situation.outcome == row.expected) }

    @Test("Each setting of the client has its decision", arguments: client)
    func clientRows(row: Row) { #expect(row.situation.outcome == row.expected) }

    @Test(
        "A request for which nothing is stored is forwarded, or gets a 504 if it is only-if-cached",
        arguments: [("", "forward"), ("only-if-cached", "504")]
    )
    func nothingStored(directive: String, expected: String) {
        let situation = Situation()
        let question = situation.question(.get, ["Cache-Control: \(directive)"], CacheSettings(), at: 0)
        #expect(CacheRules().decide(question, among: []).word == expected)
    }

    @Test("Stored first asks no server where the request is only-if-cached")
    func storedFirstAlone() {
        var situation = Situation()
        situation.response = ["Cache-Control: max-age=60", Self.tag]
        situation.askSettings.use = .storedFirst
        #expect(situation.outcome == "serve and validate")
        situation.ask = ["Cache-Control: only-if-cached"]
        #expect(situation.outcome == "serve")
        situation.askMethod = .head
        situation.ask = []
        #expect(situation.outcome == "serve")
    }

    @Test("What was made invalid is not served to a call that takes only what is stored, fresh or not")
    func onlyStoredInvalidated() throws {
        var situation = Situation()
        situation.response = ["Cache-Control: max-age=60", Self.tag]
        let stored = try #require(situation.entry)
        var metadata = stored.response.metadata
        for (isInvalidated, expected) in [(false, "serve"), (true, "504")] {
            metadata.isInvalidated = isInvalidated
            let entry = CacheEntry(id: stored.id, key: stored.key, response: stored.response.with(metadata))
            let question = situation.question(.get, [], CacheSettings(use: .onlyStored), at: 10)
            #expect(CacheRules().decide(question, among: [entry]).word == expected)
        }
    }

    @Test("The rest of what was made invalid is not asked for")
    func restOfInvalidated() throws {
        var situation = Situation()
        situation.status = 206
        situation.response = ["Cache-Control: max-age=60", Self.tag, "Content-Range: bytes 0-3/10"]
        let stored = try #require(situation.entry)
        var metadata = stored.response.metadata
        for (isInvalidated, expected) in [(false, "complete from 4"), (true, "forward")] {
            metadata.isInvalidated = isInvalidated
            let entry = CacheEntry(id: stored.id, key: stored.key, response: stored.response.with(metadata))
            let question = situation.question(.get, [], CacheSettings(), at: 10)
            #expect(CacheRules().decide(question, among: [entry]).word == expected)
        }
    }

    @Test("A max-stale without a number accepts what is stale since a century")
    func maxStale() {
        var situation = Situation()
        situation.response = ["Cache-Control: max-age=1", Self.tag]
        situation.after = 3.2e9
        situation.ask = ["Cache-Control: max-stale"]
        #expect(situation.outcome == "serve")
        situation.ask = ["Cache-Control: max-stale=60"]
        #expect(situation.outcome == "validate")
    }

    @Test("A request that no key is made of is sent as it is, and the reason says why")
    func withoutKey() {
        func reason(_ method: HTTPRequest.Method, _ scheme: String?, _ authority: String?) -> CacheReason? {
            let request = HTTPRequest(method: method, scheme: scheme, authority: authority, path: "/a")
            guard
                case .forward(let reason) = CacheRules().decide(
                    CacheQuestion(request, key: nil, time: start),
                    among: []
                )
            else { return nil }
            return reason
        }
        #expect(reason(.get, nil, "example.com") == .noURL)
        #expect(reason(.get, "https", nil) == .noURL)
        #expect(reason(.post, "https", "example.com") == .method)
    }

    @Test("Several ranges of what is stored in part, and one that is missing, are two reasons")
    func missingParts() {
        var situation = Situation()
        situation.status = 206
        situation.response = ["Cache-Control: max-age=60", "Content-Range: bytes 0-3/10"]
        for (range, expected) in [("bytes=0-1,4-5", CacheReason.severalRanges), ("bytes=4-5", .incomplete)] {
            situation.ask = ["Range: \(range)"]
            guard case .forward(let reason) = situation.decision else {
                Issue.record("\(range): \(situation.decision)")
                continue
            }
            #expect(reason == expected)
        }
    }

    @Test(
        "Of a part of something whose length nobody knows, what lies within it is served",
        arguments: [
            ("2-5", "serve 2-5/*"), ("3-4", "serve 3-4/*"), ("2-2", "serve 2-2/*"), ("1-5", "forward"),
            ("2-6", "forward"),
            ("3-", "forward"), ("-1", "forward"), ("3-9223372036854775807", "forward"), ("3-4,5-5", "forward"),
        ]
    )
    func partOfUnknown(range: String, expected: String) {
        var situation = Situation()
        situation.status = 206
        situation.length = 4
        situation.response = ["Cache-Control: max-age=60", "Content-Range: bytes 2-5/*"]
        situation.ask = ["Range: bytes=\(range)"]
        #expect(situation.outcome == expected)
    }

    @Test("Every reason has words and a section")
    func reasons() {
        for reason in CacheReason.allCases {
            #expect(!reason.words.isEmpty && !reason.section.isEmpty)
        }
        #expect(CacheReason.fresh.words == "fresh")
        #expect(CacheReason.stale.words == "stale")
        #expect(CacheReason.invalidated.words == "invalidated")
        for (reason, setting) in [(CacheReason.storedFirst, "storedFirst"), (.onlyStored, "onlyStored"), (.off, "off")]
        {
            #expect(reason.section == "CacheSettings.Use.\(setting)")
        }
    }

    @Test(
        "A decision explains itself",
        arguments: [
            (
                10.0, ["Cache-Control: max-age=60", tag],
                "fresh for 50 s by max-age; served from the store; RFC 9111 §4.2"
            ),
            (72.0, ["Cache-Control: max-age=60", tag], "stale since 12 s; validated with ETag; RFC 9111 §4.3.1"),
            (72.0, ["Cache-Control: max-age=60"], "stale since 12 s; sent unchanged; RFC 9111 §4.2"),
        ]
    )
    func explanation(after: Double, response: [String], expected: String) {
        var situation = Situation()
        situation.response = response
        situation.after = after
        #expect(situation.decision.explanation == expected)
    }
}

extension Row {
    /// The same situation has a validator, so that the server is asked with a condition.
    var validating: Row { Row(name, "validate") { $0 = situation } }
}
#endif
