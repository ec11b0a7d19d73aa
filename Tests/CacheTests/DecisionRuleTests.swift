import Foundation
import HTTPChainCore
import HTTPTypes
import Testing

@testable import HTTPChainCache

@Suite("What a request is answered with, RFC 9111 §4 and §5")
struct DecisionRuleTests {
    private static let tag = "ETag: \"a\""
    private static func fresh(_ more: String...) -> [String] { ["Cache-Control: max-age=60"] + more }

    static let freshness: [Row] = [
        Row("§4.2.1 fresh by max-age", "serve") {
            $0.response = fresh(); $0.after = 59
        },
        Row("§4.2 stale at the very second", "ask") {
            $0.response = fresh(); $0.after = 60
        },
        Row("§4.2.1 fresh by Expires", "serve") {
            $0.response = ["Expires: \(date(60))"]; $0.after = 59
        },
        Row("§4.2.1 stale by Expires", "ask") {
            $0.response = ["Expires: \(date(60))"]; $0.after = 60
        },
        Row("§4.2.1 Expires is compared with Date, not with the clock here", "ask") {
            $0.response = ["Date: \(date(1000))", "Expires: \(date(1060))"]
            $0.after = 60
        },
        Row("§4.2.1 Expires after Date by the server's clock", "serve") {
            $0.response = ["Date: \(date(1000))", "Expires: \(date(1060))"]
            $0.after = 59
        },
        Row("§4.2.1 max-age before Expires", "serve") {
            $0.response = fresh("Expires: \(date(-60))"); $0.after = 5
        },
        Row("§4.2.1 max-age=0 before Expires", "ask") {
            $0.response = ["Cache-Control: max-age=0", "Expires: \(date(60))"]
        },
        Row("§5.3 Expires: 0", "ask") { $0.response = ["Expires: 0", "Last-Modified: \(date(-9999))"] }.validating,
        Row("§4.2.1 an invalid max-age is stale", "ask") {
            $0.response = ["Cache-Control: max-age=x", "Expires: \(date(60))"]
        },
        Row("§5.2.2.10 s-maxage in a private cache", "ask") {
            $0.response = ["Cache-Control: s-maxage=60"]; $0.after = 5
        },
        Row("§5.2.2.10 s-maxage in a shared cache", "serve") {
            $0.mode = .shared
            $0.response = ["Cache-Control: max-age=1, s-maxage=60"]
            $0.after = 5
        },
        Row("§5.2.2.10 s-maxage=1 in a shared cache", "ask") {
            $0.mode = .shared
            $0.response = ["Cache-Control: max-age=60, s-maxage=1"]
            $0.after = 5
        },
        Row("§1.2.2 an overflowing max-age", "serve") {
            $0.response = ["Cache-Control: max-age=99999999999999999999"]
            $0.after = 1_000_000
        },
        // §4.2.3
        Row("§4.2.3 Age counts", "ask") { $0.response = fresh("Age: 60") },
        Row("§4.2.3 Age and time here", "ask") {
            $0.response = fresh("Age: 30"); $0.after = 30
        },
        Row("§4.2.3 Age and less time here", "serve") {
            $0.response = fresh("Age: 30"); $0.after = 29
        },
        Row("§4.2.3 a Date in the past", "ask") { $0.response = fresh("Date: \(date(-60))") },
        Row("§4.2.3 a Date in the future counts for nothing", "serve") {
            $0.response = fresh("Date: \(date(600))"); $0.after = 59
        },
        Row("§4.2.3 no Date", "serve") {
            $0.response = fresh(); $0.after = 5
        },
        Row("§4.2.3 an invalid Date", "serve") {
            $0.response = fresh("Date: foo"); $0.after = 5
        },
        Row("§4.2.3 the way here takes time", "ask") {
            $0.response = fresh("Age: 30"); $0.delay = 20; $0.after = 10
        },
        Row("§5.1 an invalid Age", "serve") {
            $0.response = fresh("Age: -100"); $0.after = 5
        },
        Row("a clock that was set back a little", "serve") {
            $0.response = fresh(); $0.after = -10
        },
        Row("a clock that was set back a lot", "ask") {
            $0.response = fresh(); $0.after = -3600
        },
        // §4.2.2
        Row("§4.2.2 a tenth of the time since the last change", "serve") {
            $0.response = ["Last-Modified: \(date(-1000))"]
            $0.after = 99
        },
        Row("§4.2.2 and no longer", "validate") {
            $0.response = ["Last-Modified: \(date(-1000))"]; $0.after = 100
        },
        Row("§4.2.2 and no longer than a day", "validate") {
            $0.response = ["Last-Modified: \(date(-100_000_000))"]
            $0.after = 86_400
        },
        Row("§4.2.2 just below a day", "serve") {
            $0.response = ["Last-Modified: \(date(-100_000_000))"]
            $0.after = 86_399
        },
        Row("§4.2.2 a change in the future", "validate") { $0.response = ["Last-Modified: \(date(1000))"] },
        Row("§4.2.2 not beside an explicit time", "validate") {
            $0.response = ["Cache-Control: max-age=1", "Last-Modified: \(date(-1000))"]
            $0.after = 5
        },
        Row("§4.2.2 not for 302", "not stored") {
            $0.status = 302; $0.response = ["Last-Modified: \(date(-1000))"]
        },
        Row("§4.2.2 for 302 with public", "serve") {
            $0.status = 302
            $0.response = ["Cache-Control: public", "Last-Modified: \(date(-1000))"]
            $0.after = 5
        },
        Row("§4.2.2 for 599 with public", "serve") {
            $0.status = 599
            $0.response = ["Cache-Control: public", "Last-Modified: \(date(-1000))"]
        },
        // RFC 9213
        Row("RFC 9213 §2.2 max-age before Cache-Control", "serve") {
            $0.mode = .shared
            $0.response = ["Cache-Control: max-age=1", "CDN-Cache-Control: max-age=60"]
            $0.after = 5
        },
        Row("RFC 9213 §2.2 before s-maxage and Expires", "ask") {
            $0.mode = .shared
            $0.response = ["Cache-Control: s-maxage=60", "Expires: \(date(60))", "CDN-Cache-Control: max-age=1"]
            $0.after = 5
        },
        Row("RFC 9213 §2.2 nothing for a private cache", "ask") {
            $0.response = ["Cache-Control: max-age=1", "CDN-Cache-Control: max-age=60"]
            $0.after = 5
        },
    ]

    static let directives: [Row] = [
        // §5.2.2
        Row("§5.2.2.4 no-cache", "validate") { $0.response = ["Cache-Control: no-cache, max-age=60", tag] },
        Row("§5.2.2.4 no-cache with fields", "serve") {
            $0.response = ["Cache-Control: no-cache=\"foo\", max-age=60", tag]
        },
        Row("§5.2.2.2 must-revalidate while fresh", "serve") {
            $0.response = ["Cache-Control: must-revalidate, max-age=60"]
        },
        Row("§5.2.2.2 must-revalidate when stale", "validate") {
            $0.response = ["Cache-Control: must-revalidate, max-age=60", tag]
            $0.ask = ["Cache-Control: max-stale"]
            $0.after = 61
        },
        Row("§5.2.2.8 proxy-revalidate, private cache", "serve") {
            $0.response = ["Cache-Control: proxy-revalidate, max-age=60", tag]
            $0.ask = ["Cache-Control: max-stale"]
            $0.after = 61
        },
        Row("§5.2.2.8 proxy-revalidate, shared cache", "validate") {
            $0.mode = .shared
            $0.response = ["Cache-Control: proxy-revalidate, max-age=60", tag]
            $0.ask = ["Cache-Control: max-stale"]
            $0.after = 61
        },
        Row("§5.2.2.10 s-maxage when stale, shared cache", "validate") {
            $0.mode = .shared
            $0.response = ["Cache-Control: s-maxage=60", tag]
            $0.ask = ["Cache-Control: max-stale"]
            $0.after = 61
        },
        Row("§5.4 Pragma in a response means nothing", "serve") { $0.response = fresh("Pragma: no-cache") },
        // §5.2.1
        Row("§5.2.1.1 max-age", "serve") {
            $0.response = fresh(); $0.ask = ["Cache-Control: max-age=30"]; $0.after = 30
        },
        Row("§5.2.1.1 older than max-age", "validate") {
            $0.response = fresh(tag)
            $0.ask = ["Cache-Control: max-age=30"]
            $0.after = 31
        },
        Row("§5.2.1.1 max-age=0", "validate") {
            $0.response = fresh(tag); $0.ask = ["Cache-Control: max-age=0"]
        },
        Row("§5.2.1.1 max-age counts the Age field", "validate") {
            $0.response = fresh(tag, "Age: 31")
            $0.ask = ["Cache-Control: max-age=30"]
        },
        Row("§5.2.1.2 max-stale", "serve") {
            $0.response = fresh(); $0.ask = ["Cache-Control: max-stale"]; $0.after = 9999
        },
        Row("§5.2.1.2 max-stale=10", "serve") {
            $0.response = fresh(); $0.ask = ["Cache-Control: max-stale=10"]; $0.after = 70
        },
        Row("§5.2.1.2 staler than that", "ask") {
            $0.response = fresh(); $0.ask = ["Cache-Control: max-stale=10"]; $0.after = 71
        },
        Row("§5.2.1.2 max-stale and no-cache in the response", "validate") {
            $0.response = ["Cache-Control: no-cache", tag]
            $0.ask = ["Cache-Control: max-stale"]
        },
        Row("§5.2.1.3 min-fresh", "serve") {
            $0.response = fresh(); $0.ask = ["Cache-Control: min-fresh=30"]; $0.after = 30
        },
        Row("§5.2.1.3 not fresh for so long", "ask") {
            $0.response = fresh()
            $0.ask = ["Cache-Control: min-fresh=30"]
            $0.after = 31
        },
        Row("§5.2.1.4 no-cache", "validate") {
            $0.response = fresh(tag); $0.ask = ["Cache-Control: no-cache"]
        },
        Row("§5.4 Pragma: no-cache", "validate") {
            $0.response = fresh(tag); $0.ask = ["Pragma: no-cache"]
        },
        Row("§5.4 Pragma beside Cache-Control", "serve") {
            $0.response = fresh()
            $0.ask = ["Pragma: no-cache", "Cache-Control: foo"]
        },
        Row("§5.2.1.5 no-store does not forbid to answer", "serve") {
            $0.response = fresh(); $0.ask = ["Cache-Control: no-store"]
        },
        Row("§5.2.1.6 no-transform says nothing about it", "serve") {
            $0.response = fresh(); $0.ask = ["Cache-Control: no-transform"]
        },
        Row("§5.2.1.7 only-if-cached, fresh", "serve") {
            $0.response = fresh(); $0.ask = ["Cache-Control: only-if-cached"]
        },
        Row("§5.2.1.7 only-if-cached, stale", "504") {
            $0.response = fresh()
            $0.ask = ["Cache-Control: only-if-cached"]
            $0.after = 61
        },
        Row("§5.2.1.7 only-if-cached and max-stale", "serve") {
            $0.response = fresh()
            $0.ask = ["Cache-Control: only-if-cached, max-stale"]
            $0.after = 61
        },
        // RFC 5861, RFC 8246
        Row("RFC 5861 §3 stale-while-revalidate", "serve and validate") {
            $0.response = ["Cache-Control: max-age=60, stale-while-revalidate=10"]
            $0.after = 70
        },
        Row("RFC 5861 §3 beyond its window", "ask") {
            $0.response = ["Cache-Control: max-age=60, stale-while-revalidate=10"]
            $0.after = 71
        },
        Row("RFC 5861 §3 not with must-revalidate", "ask") {
            $0.response = ["Cache-Control: max-age=60, stale-while-revalidate=10, must-revalidate"]
            $0.after = 65
        },
        Row("RFC 5861 §3 not when the caller wants it newer", "ask") {
            $0.response = ["Cache-Control: max-age=60, stale-while-revalidate=10"]
            $0.ask = ["Cache-Control: max-age=90"]
            $0.after = 65
        },
        Row("RFC 8246 §2 immutable, reloaded", "serve") {
            $0.response = ["Cache-Control: max-age=60, immutable", tag]
            $0.ask = ["Cache-Control: max-age=0"]
        },
        Row("RFC 8246 §2 immutable, forced", "validate") {
            $0.response = ["Cache-Control: max-age=60, immutable", tag]
            $0.ask = ["Cache-Control: no-cache"]
        },
        Row("RFC 8246 §2 immutable, stale", "validate") {
            $0.response = ["Cache-Control: max-age=60, immutable", tag]
            $0.after = 61
        },
    ]

    static let selection: [Row] =
        [
            // §4.1
            Row("§4.1 the same value", "serve") {
                $0.response = fresh("Vary: Foo")
                $0.firstRequest = ["Foo: 1"]
                $0.ask = ["Foo: 1"]
            },
            Row("§4.1 another value", "ask") {
                $0.response = fresh("Vary: Foo")
                $0.firstRequest = ["Foo: 1"]
                $0.ask = ["Foo: 2"]
            },
            Row("§4.1 missing in one", "ask") {
                $0.response = fresh("Vary: Foo"); $0.firstRequest = ["Foo: 1"]
            },
            Row("§4.1 empty is not missing", "ask") {
                $0.response = fresh("Vary: Foo"); $0.firstRequest = ["Foo:"]
            },
            Row("§4.1 missing in both", "serve") {
                $0.response = fresh("Vary: Foo"); $0.ask = ["Bar: 1"]
            },
            Row("§4.1 names in any case", "serve") {
                $0.response = fresh("Vary: fOO")
                $0.firstRequest = ["Foo: 1"]
                $0.ask = ["foo: 1"]
            },
            Row("§4.1 values in another case", "ask") {
                $0.response = fresh("Vary: Foo")
                $0.firstRequest = ["Foo: a"]
                $0.ask = ["Foo: A"]
            },
            Row("§4.1 several names, one differs", "ask") {
                $0.response = fresh("Vary: Foo, Bar", "Vary: Baz")
                $0.firstRequest = ["Foo: 1", "Bar: 1", "Baz: 1"]
                $0.ask = ["Foo: 1", "Bar: 1", "Baz: 2"]
            },
            Row("§4.1 several names, fields in another order", "serve") {
                $0.response = fresh("Vary: Foo, Bar", "Vary: Baz")
                $0.firstRequest = ["Foo: 1", "Bar: 1", "Baz: 1"]
                $0.ask = ["Baz: 1", "Bar: 1", "Foo: 1"]
            },
            Row("§4.1 field lines combined", "serve") {
                $0.response = fresh("Vary: Foo")
                $0.firstRequest = ["Foo: 1", "Foo: 2"]
                $0.ask = ["Foo: 1, 2"]
            },
            Row("§4.1 white space between members", "serve") {
                $0.response = fresh("Vary: Foo")
                $0.firstRequest = ["Foo: 1,2"]
                $0.ask = ["Foo: 1 ,  2"]
            },
            Row("§4.1 order of other fields' members", "ask") {
                $0.response = fresh("Vary: Foo")
                $0.firstRequest = ["Foo: 1, 2"]
                $0.ask = ["Foo: 2, 1"]
            },
            Row("§4.1 commas in quotes", "ask") {
                $0.response = fresh("Vary: Foo")
                $0.firstRequest = ["Foo: \"1,2\""]
                $0.ask = ["Foo: \"1, 2\""]
            },
            Row("§4.1 order of languages", "serve") {
                $0.response = fresh("Vary: Accept-Language")
                $0.firstRequest = ["Accept-Language: en, de;q=0.5"]
                $0.ask = ["Accept-Language: de; q=0.5,EN"]
            },
            Row("§4.1 other weights", "ask") {
                $0.response = fresh("Vary: Accept-Language")
                $0.firstRequest = ["Accept-Language: en, de;q=0.5"]
                $0.ask = ["Accept-Language: en, de;q=0.6"]
            },
            // §4
            Row("§4 HEAD is answered from GET", "serve") {
                $0.response = fresh(); $0.askMethod = .head
            },
            Row("§4 POST is not", "forward") {
                $0.response = fresh(); $0.askMethod = .post
            },
            // §4.3.2
            Row("§4.3.2 If-None-Match, the same tag", "serve 304") {
                $0.response = fresh(tag); $0.ask = ["If-None-Match: \"a\""]
            },
            Row("§4.3.2 If-None-Match, compared weakly", "serve 304") {
                $0.response = fresh(tag); $0.ask = ["If-None-Match: W/\"a\""]
            },
            Row("§4.3.2 If-None-Match, a weak tag stored", "serve 304") {
                $0.response = fresh("ETag: W/\"a\"")
                $0.ask = ["If-None-Match: \"a\""]
            },
            Row("§4.3.2 If-None-Match, one of a list", "serve 304") {
                $0.response = fresh(tag)
                $0.ask = ["If-None-Match: \"x\", \"a\"", "If-None-Match: \"b\""]
            },
            Row("§4.3.2 If-None-Match, another tag", "serve") {
                $0.response = fresh(tag); $0.ask = ["If-None-Match: \"b\""]
            },
            Row("§4.3.2 If-None-Match: *", "serve 304") {
                $0.response = fresh(); $0.ask = ["If-None-Match: *"]
            },
            Row("§4.3.2 If-None-Match, nothing to compare", "serve") {
                $0.response = fresh(); $0.ask = ["If-None-Match: \"a\""]
            },
            Row("§4.3.2 If-None-Match before If-Modified-Since", "serve") {
                $0.response = fresh(tag, "Last-Modified: \(date(-100))")
                $0.ask = ["If-None-Match: \"b\"", "If-Modified-Since: \(date(0))"]
            },
            Row("§4.3.2 If-Modified-Since, not modified", "serve 304") {
                $0.response = fresh("Last-Modified: \(date(-100))")
                $0.ask = ["If-Modified-Since: \(date(-100))"]
            },
            Row("§4.3.2 If-Modified-Since, modified", "serve") {
                $0.response = fresh("Last-Modified: \(date(-100))")
                $0.ask = ["If-Modified-Since: \(date(-101))"]
            },
            Row("§4.3.2 If-Modified-Since against Date", "serve 304") {
                $0.response = fresh("Date: \(date(-1))")
                $0.ask = ["If-Modified-Since: \(date(-1))"]
            },
            Row("§4.3.2 If-Modified-Since, no date", "serve") {
                $0.response = fresh("Last-Modified: \(date(-100))")
                $0.ask = ["If-Modified-Since: foo"]
            },
            Row("§4.3.2 If-Match is for the server", "forward") {
                $0.response = fresh(tag); $0.ask = ["If-Match: \"a\""]
            },
            Row("§4.3.2 If-Unmodified-Since is too", "forward") {
                $0.response = fresh(tag); $0.ask = ["If-Unmodified-Since: \(date(0))"]
            },
            Row("§4.3.2 conditions apply to 200 alone", "serve") {
                $0.status = 404
                $0.response = fresh(tag)
                $0.ask = ["If-None-Match: \"a\""]
            },
            // Ranges of complete responses
            Row("RFC 9110 §14.2 a range", "serve 2-4/10") {
                $0.response = fresh(); $0.ask = ["Range: bytes=2-4"]
            },
            Row("RFC 9110 §14.2 the rest", "serve 2-9/10") {
                $0.response = fresh(); $0.ask = ["Range: bytes=2-"]
            },
            Row("RFC 9110 §14.2 the end", "serve 8-9/10") {
                $0.response = fresh(); $0.ask = ["Range: bytes=-2"]
            },
            Row("RFC 9110 §14.2 outside", "serve 416") {
                $0.response = fresh(); $0.ask = ["Range: bytes=10-"]
            },
            Row("RFC 9110 §14.2 nonsense", "serve") {
                $0.response = fresh(); $0.ask = ["Range: bytes=x"]
            },
            Row("RFC 9110 §14.2 another unit", "serve") {
                $0.response = fresh(); $0.ask = ["Range: lines=0-1"]
            },
            Row("RFC 9110 §14.2 several", "forward") {
                $0.response = fresh(); $0.ask = ["Range: bytes=0-1,4-5"]
            },
            Row("RFC 9110 §14.2 HEAD has none", "serve") {
                $0.response = fresh()
                $0.askMethod = .head
                $0.ask = ["Range: bytes=0-1"]
            },
            Row("RFC 9110 §13.1.5 If-Range, the same tag", "serve 0-1/10") {
                $0.response = fresh(tag)
                $0.ask = ["Range: bytes=0-1", "If-Range: \"a\""]
            },
            Row("RFC 9110 §13.1.5 If-Range, another tag", "serve") {
                $0.response = fresh(tag)
                $0.ask = ["Range: bytes=0-1", "If-Range: \"b\""]
            },
            Row("RFC 9110 §13.1.5 If-Range, a weak tag", "serve") {
                $0.response = fresh("ETag: W/\"a\"")
                $0.ask = ["Range: bytes=0-1", "If-Range: W/\"a\""]
            },
            Row("RFC 9110 §13.1.5 If-Range, the same date", "serve 0-1/10") {
                $0.response = fresh("Last-Modified: \(date(-9))")
                $0.ask = ["Range: bytes=0-1", "If-Range: \(date(-9))"]
            },
            Row("RFC 9110 §13.1.5 If-Range, a later date", "serve") {
                $0.response = fresh("Last-Modified: \(date(-9))")
                $0.ask = ["Range: bytes=0-1", "If-Range: \(date(-8))"]
            },
        ] + partial

    /// §3.3: bytes 2 to 6 of 10 are stored.
    private static let partial: [Row] = [
        ([], "forward"), (["Range: bytes=2-6"], "serve 2-6/10"), (["Range: bytes=3-4"], "serve 3-4/10"),
        (["Range: bytes=0-4"], "forward"), (["Range: bytes=5-"], "forward"), (["Range: bytes=-4"], "forward"),
        (["Range: bytes=2-6", "If-Range: \"b\""], "forward"),
        (["Range: bytes=2-6", "If-Range: \"a\""], "serve 2-6/10"),
        (["Range: bytes=10-"], "serve 416"), (["Range: bytes=2-3,5-6"], "forward"),
    ].map { ask, expected in
        Row("§3.3 a part is stored: \(ask)", expected) {
            $0.status = 206
            $0.response = fresh(tag, "Content-Range: bytes 2-6/10")
            $0.length = 5
            $0.ask = ask
        }
    }

    static let client: [Row] = [
        Row("exactly: fresh for as long as the client says", "serve") {
            $0.response = ["Cache-Control: no-cache, max-age=1, must-revalidate"]
            $0.settings.lifetime = .exactly(.seconds(60))
            $0.after = 59
        },
        Row("exactly: and no longer", "ask") {
            $0.response = ["Cache-Control: max-age=600"]
            $0.settings.lifetime = .exactly(.seconds(60))
            $0.after = 60
        },
        Row("exactly counts from when the response came", "serve") {
            $0.response = ["Cache-Control: max-age=0", "Age: 1000"]
            $0.settings.lifetime = .exactly(.seconds(60))
            $0.after = 59
        },
        Row("atMost shortens", "ask") {
            $0.response = fresh()
            $0.settings.lifetime = .atMost(.seconds(30))
            $0.after = 30
        },
        Row("atMost does not lengthen", "ask") {
            $0.response = fresh()
            $0.settings.lifetime = .atMost(.seconds(90))
            $0.after = 60
        },
        Row("whenUnspecified where the server says nothing", "serve") {
            $0.settings.lifetime = .whenUnspecified(.seconds(90))
            $0.after = 89
        },
        Row("whenUnspecified where it does", "ask") {
            $0.response = fresh()
            $0.settings.lifetime = .whenUnspecified(.seconds(90))
            $0.after = 60
        },
        Row("the call that asks has the last word", "serve") {
            $0.response = fresh()
            $0.askSettings.lifetime = .exactly(.seconds(600))
            $0.after = 500
        },
        Row("off", "forward") {
            $0.response = fresh(); $0.askSettings.use = .off
        },
        Row("refresh", "validate") {
            $0.response = fresh(tag); $0.askSettings.use = .refresh
        },
        Row("only stored, stale", "serve") {
            $0.response = fresh(); $0.askSettings.use = .onlyStored; $0.after = 9999
        },
        Row("only stored, must-revalidate", "504") {
            $0.response = ["Cache-Control: max-age=60, must-revalidate"]
            $0.askSettings.use = .onlyStored
            $0.after = 61
        },
        Row("only stored, no-cache", "504") {
            $0.response = ["Cache-Control: no-cache", tag]
            $0.askSettings.use = .onlyStored
        },
    ]

    @Test("Freshness", arguments: freshness)
    func freshnessRows(row: Row) { #expect(row.situation.outcome == row.expected) }

    @Test("Directives", arguments: directives)
    func directiveRows(row: Row) { #expect(row.situation.outcome == row.expected) }

    @Test("Selection, conditions and ranges", arguments: selection)
    func selectionRows(row: Row) { #expect(row.situation.outcome == row.expected) }

    @Test("What the client decides", arguments: client)
    func clientRows(row: Row) { #expect(row.situation.outcome == row.expected) }

    @Test(
        "Nothing stored: asked, or 504 where that is all the caller wants",
        arguments: [("", "forward"), ("only-if-cached", "504")]
    )
    func nothingStored(directive: String, expected: String) {
        let situation = Situation()
        let question = situation.question(.get, ["Cache-Control: \(directive)"], CacheSettings(), at: 0)
        #expect(CacheRules().decide(question, among: []).word == expected)
    }

    @Test("Every reason has words and a section")
    func reasons() {
        for reason in CacheReason.allCases {
            #expect(!reason.words.isEmpty && !reason.section.isEmpty)
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
            (72.0, ["Cache-Control: max-age=60"], "stale since 12 s; sent as it is; RFC 9111 §4.2"),
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
    var validating: Row { Row(name, "validate") { [situation] in $0 = situation } }
}
