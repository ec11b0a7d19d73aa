#if AllTests
import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPTypes

extension DecisionRuleTests {
    static let selection: [Row] = variants + methods + conditions + ranges + partial

    /// §4.1: the field lines of `Vary`, of the request whose response is stored, and of the one that is answered.
    private static let variants: [Row] = [
        ("the same value", "serve", ["Foo"], ["Foo: 1"], ["Foo: 1"]),
        ("another value", "ask", ["Foo"], ["Foo: 1"], ["Foo: 2"]),
        ("missing in one", "ask", ["Foo"], ["Foo: 1"], []),
        ("empty is not missing", "ask", ["Foo"], ["Foo:"], []),
        ("missing in both", "serve", ["Foo"], [], ["Bar: 1"]),
        ("names in any case", "serve", ["fOO"], ["Foo: 1"], ["foo: 1"]),
        ("values in another case", "ask", ["Foo"], ["Foo: a"], ["Foo: A"]),
        ("several names, one differs", "ask", ["Foo, Bar", "Baz"], several, ["Foo: 1", "Bar: 1", "Baz: 2"]),
        ("several names, fields in another order", "serve", ["Foo, Bar", "Baz"], several, several.reversed()),
        ("field lines combined", "serve", ["Foo"], ["Foo: 1", "Foo: 2"], ["Foo: 1, 2"]),
        ("white space between members", "serve", ["Foo"], ["Foo: 1,2"], ["Foo: 1 ,  2"]),
        ("order of other fields' members", "ask", ["Foo"], ["Foo: 1, 2"], ["Foo: 2, 1"]),
        ("commas in quotes", "ask", ["Foo"], ["Foo: \"1,2\""], ["Foo: \"1, 2\""]),
        ("order of languages", "serve", ["Accept-Language"], languages, ["Accept-Language: de; q=0.5,EN"]),
        ("other weights", "ask", ["Accept-Language"], languages, ["Accept-Language: en, de;q=0.6"]),
    ].map { (name: String, expected: String, names: [String], first: [String], ask: [String]) in
        let response = ["max-age=60"] + names.map { "Vary: \($0)" }
        return Row("§4.1 \(name)", expected, response, firstRequest: first, ask: ask)
    }
    private static let several = ["Foo: 1", "Bar: 1", "Baz: 1"]
    private static let languages = ["Accept-Language: en, de;q=0.5"]

    /// §4.
    private static let methods: [Row] = [
        Row("§4 HEAD is answered from GET", "serve", fresh(), askMethod: .head),
        Row("§4 POST is not", "forward", fresh(), askMethod: .post),
    ]

    /// §4.3.2: the validators that are stored, and the conditions of the request.
    private static let conditions: [Row] = [
        Row("§4.3.2 If-None-Match, the same tag", "serve 304", fresh(tag), ask: ["If-None-Match: \"a\""]),
        Row("§4.3.2 If-None-Match, compared weakly", "serve 304", fresh(tag), ask: ["If-None-Match: W/\"a\""]),
        Row(
            "§4.3.2 If-None-Match, a weak tag stored",
            "serve 304",
            fresh("ETag: W/\"a\""),
            ask: ["If-None-Match: \"a\""]
        ),
        Row(
            "§4.3.2 If-None-Match, one of a list",
            "serve 304",
            fresh(tag),
            ask: ["If-None-Match: \"x\", \"a\"", "If-None-Match: \"b\""]
        ),
        Row("§4.3.2 If-None-Match, another tag", "serve", fresh(tag), ask: ["If-None-Match: \"b\""]),
        Row("§4.3.2 If-None-Match: *", "serve 304", fresh(), ask: ["If-None-Match: *"]),
        Row("§4.3.2 If-None-Match, nothing to compare", "serve", fresh(), ask: ["If-None-Match: \"a\""]),
        Row(
            "§4.3.2 If-None-Match before If-Modified-Since",
            "serve",
            fresh(tag, "Last-Modified: \(date(-100))"),
            ask: ["If-None-Match: \"b\"", "If-Modified-Since: \(date(0))"]
        ),
        Row(
            "§4.3.2 If-Modified-Since, not modified",
            "serve 304",
            fresh("Last-Modified: \(date(-100))"),
            ask: ["If-Modified-Since: \(date(-100))"]
        ),
        Row(
            "§4.3.2 If-Modified-Since, modified",
            "serve",
            fresh("Last-Modified: \(date(-100))"),
            ask: ["If-Modified-Since: \(date(-101))"]
        ),
        Row(
            "§4.3.2 If-Modified-Since against Date",
            "serve 304",
            fresh("Date: \(date(-1))"),
            ask: ["If-Modified-Since: \(date(-1))"]
        ),
        Row(
            "§4.3.2 If-Modified-Since, no date",
            "serve",
            fresh("Last-Modified: \(date(-100))"),
            ask: ["If-Modified-Since: foo"]
        ),
        Row("§4.3.2 If-Match is for the server", "forward", fresh(tag), ask: ["If-Match: \"a\""]),
        Row("§4.3.2 If-Unmodified-Since is too", "forward", fresh(tag), ask: ["If-Unmodified-Since: \(date(0))"]),
        Row(
            "§4.3.2 conditions apply to 200 alone",
            "serve",
            fresh(tag),
            ask: ["If-None-Match: \"a\""],
            status: 404
        ),
    ]

    /// Ranges of complete responses.
    private static let ranges: [Row] = [
        Row("RFC 9110 §14.2 a range", "serve 2-4/10", fresh(), ask: ["Range: bytes=2-4"]),
        Row("RFC 9110 §14.2 the rest", "serve 2-9/10", fresh(), ask: ["Range: bytes=2-"]),
        Row("RFC 9110 §14.2 the end", "serve 8-9/10", fresh(), ask: ["Range: bytes=-2"]),
        Row("RFC 9110 §14.2 outside", "serve 416", fresh(), ask: ["Range: bytes=10-"]),
        Row("RFC 9110 §14.2 nonsense", "serve", fresh(), ask: ["Range: bytes=x"]),
        Row("RFC 9110 §14.2 another unit", "serve", fresh(), ask: ["Range: lines=0-1"]),
        Row("RFC 9110 §14.2 several", "forward", fresh(), ask: ["Range: bytes=0-1,4-5"]),
        Row("RFC 9110 §14.2 HEAD has none", "serve", fresh(), ask: ["Range: bytes=0-1"], askMethod: .head),
        Row(
            "RFC 9110 §13.1.5 If-Range, the same tag",
            "serve 0-1/10",
            fresh(tag),
            ask: ["Range: bytes=0-1", "If-Range: \"a\""]
        ),
        Row(
            "RFC 9110 §13.1.5 If-Range, another tag",
            "serve",
            fresh(tag),
            ask: ["Range: bytes=0-1", "If-Range: \"b\""]
        ),
        Row(
            "RFC 9110 §13.1.5 If-Range, a weak tag",
            "serve",
            fresh("ETag: W/\"a\""),
            ask: ["Range: bytes=0-1", "If-Range: W/\"a\""]
        ),
        Row(
            "RFC 9110 §13.1.5 If-Range, the same date",
            "serve 0-1/10",
            fresh("Last-Modified: \(date(-90))"),
            ask: ["Range: bytes=0-1", "If-Range: \(date(-90))"]
        ),
        Row(
            "RFC 9110 §13.1.5 If-Range, a later date",
            "serve",
            fresh("Last-Modified: \(date(-90))"),
            ask: ["Range: bytes=0-1", "If-Range: \(date(-89))"]
        ),
    ]

    /// §3.3: bytes 2 to 6 of 10 are stored.
    private static let partial: [Row] = [
        ([], "forward"), (["Range: bytes=2-6"], "serve 2-6/10"), (["Range: bytes=3-4"], "serve 3-4/10"),
        (["Range: bytes=0-4"], "forward"), (["Range: bytes=5-"], "forward"), (["Range: bytes=-4"], "forward"),
        (["Range: bytes=2-6", "If-Range: \"b\""], "forward"),
        (["Range: bytes=2-6", "If-Range: \"a\""], "serve 2-6/10"),
        (["Range: bytes=10-"], "serve 416"), (["Range: bytes=2-3,5-6"], "forward"),
    ].map { (ask: [String], expected: String) in
        let response = fresh(tag, "Content-Range: bytes 2-6/10")
        return Row("§3.3 a part is stored: \(ask)", expected, response, ask: ask, status: 206) { $0.length = 5 }
    }
}
#endif
