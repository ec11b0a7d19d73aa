#if AllTests
import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPTypes

extension DecisionRuleTests {
    private static let tag = "ETag: \"a\""
    private static func fresh(_ more: String...) -> [String] { ["Cache-Control: max-age=60"] + more }

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
        Row("RFC 5861 §3 a window of zero, as soon as it is stale", "ask") {
            $0.response = ["Cache-Control: max-age=60, stale-while-revalidate=0"]
            $0.after = 60
        },
        Row("RFC 5861 §3 an invalid window, as soon as it is stale", "ask") {
            $0.response = ["Cache-Control: max-age=60, stale-while-revalidate=x"]
            $0.after = 60
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
}
#endif
