#if AllTests
import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPTypes

extension DecisionRuleTests {
    static let directives: [Row] = [
        // §5.2.2
        Row("§5.2.2.4 no-cache", "validate", ["no-cache, max-age=60", tag]),
        Row("§5.2.2.4 no-cache with fields", "serve", ["no-cache=\"foo\", max-age=60", tag]),
        Row("§5.2.2.2 must-revalidate while fresh", "serve", ["must-revalidate, max-age=60"]),
        Row(
            "§5.2.2.2 must-revalidate when stale",
            "validate",
            ["must-revalidate, max-age=60", tag],
            ask: ["max-stale"],
            after: 61
        ),
        Row(
            "§5.2.2.8 proxy-revalidate, private cache",
            "serve",
            ["proxy-revalidate, max-age=60", tag],
            ask: ["max-stale"],
            after: 61
        ),
        Row(
            "§5.2.2.8 proxy-revalidate, shared cache",
            "validate",
            ["proxy-revalidate, max-age=60", tag],
            ask: ["max-stale"],
            mode: .shared,
            after: 61
        ),
        Row(
            "§5.2.2.10 s-maxage when stale, shared cache",
            "validate",
            ["s-maxage=60", tag],
            ask: ["max-stale"],
            mode: .shared,
            after: 61
        ),
        Row("§5.4 Pragma in a response means nothing", "serve", fresh("Pragma: no-cache")),
        // §5.2.1
        Row("§5.2.1.1 max-age", "serve", fresh(), ask: ["max-age=30"], after: 30),
        Row("§5.2.1.1 older than max-age", "validate", fresh(tag), ask: ["max-age=30"], after: 31),
        Row("§5.2.1.1 max-age=0", "validate", fresh(tag), ask: ["max-age=0"]),
        Row("§5.2.1.1 max-age counts the Age field", "validate", fresh(tag, "Age: 31"), ask: ["max-age=30"]),
        Row("§5.2.1.2 max-stale", "serve", fresh(), ask: ["max-stale"], after: 9999),
        Row("§5.2.1.2 max-stale=10", "serve", fresh(), ask: ["max-stale=10"], after: 70),
        Row("§5.2.1.2 staler than that", "ask", fresh(), ask: ["max-stale=10"], after: 71),
        Row("§5.2.1.2 max-stale and no-cache in the response", "validate", ["no-cache", tag], ask: ["max-stale"]),
        Row("§5.2.1.3 min-fresh", "serve", fresh(), ask: ["min-fresh=30"], after: 30),
        Row("§5.2.1.3 not fresh for so long", "ask", fresh(), ask: ["min-fresh=30"], after: 31),
        Row("§5.2.1.4 no-cache", "validate", fresh(tag), ask: ["no-cache"]),
        Row("§5.4 Pragma: no-cache", "validate", fresh(tag), ask: ["Pragma: no-cache"]),
        Row("§5.4 Pragma beside Cache-Control", "serve", fresh(), ask: ["Pragma: no-cache", "foo"]),
        Row("§5.2.1.5 no-store does not forbid to answer", "serve", fresh(), ask: ["no-store"]),
        Row("§5.2.1.6 no-transform says nothing about it", "serve", fresh(), ask: ["no-transform"]),
        Row("§5.2.1.7 only-if-cached, fresh", "serve", fresh(), ask: ["only-if-cached"]),
        Row("§5.2.1.7 only-if-cached, stale", "504", fresh(), ask: ["only-if-cached"], after: 61),
        Row("§5.2.1.7 only-if-cached and max-stale", "serve", fresh(), ask: ["only-if-cached, max-stale"], after: 61),
        // RFC 5861, RFC 8246
        Row(
            "RFC 5861 §3 stale-while-revalidate",
            "serve and validate",
            ["max-age=60, stale-while-revalidate=10"],
            after: 70
        ),
        Row("RFC 5861 §3 beyond its window", "ask", ["max-age=60, stale-while-revalidate=10"], after: 71),
        Row(
            "RFC 5861 §3 a window of zero, as soon as it is stale",
            "ask",
            ["max-age=60, stale-while-revalidate=0"],
            after: 60
        ),
        Row(
            "RFC 5861 §3 an invalid window, as soon as it is stale",
            "ask",
            ["max-age=60, stale-while-revalidate=x"],
            after: 60
        ),
        Row(
            "RFC 5861 §3 not with must-revalidate",
            "ask",
            ["max-age=60, stale-while-revalidate=10, must-revalidate"],
            after: 65
        ),
        Row(
            "RFC 5861 §3 not when the caller wants it newer",
            "ask",
            ["max-age=60, stale-while-revalidate=10"],
            ask: ["max-age=90"],
            after: 65
        ),
        Row("RFC 8246 §2 immutable, reloaded", "serve", ["max-age=60, immutable", tag], ask: ["max-age=0"]),
        Row("RFC 8246 §2 immutable, forced", "validate", ["max-age=60, immutable", tag], ask: ["no-cache"]),
        Row("RFC 8246 §2 immutable, stale", "validate", ["max-age=60, immutable", tag], after: 61),
    ]
}
#endif
