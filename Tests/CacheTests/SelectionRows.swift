#if AllTests
import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPTypes

extension DecisionRuleTests {
    private static let tag = "ETag: \"a\""
    private static func fresh(_ more: String...) -> [String] { ["Cache-Control: max-age=60"] + more }

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
                $0.response = fresh("Last-Modified: \(date(-90))")
                $0.ask = ["Range: bytes=0-1", "If-Range: \(date(-90))"]
            },
            Row("RFC 9110 §13.1.5 If-Range, a later date", "serve") {
                $0.response = fresh("Last-Modified: \(date(-90))")
                $0.ask = ["Range: bytes=0-1", "If-Range: \(date(-89))"]
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
}
#endif
