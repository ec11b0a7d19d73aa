#if AllTests
import Foundation
import HTTPChainCache
import HTTPTypes
import Testing

@Suite("For how long a response is fresh")
struct FreshnessTests {
    private func response(
        _ lines: [String],
        status: Int = 200,
        lifetime: CacheLifetime = .server
    ) -> StoredResponse {
        let head = HTTPResponse(
            status: .init(code: status),
            headerFields: fields(["Date: \(date(0))"] + lines)
        )
        let metadata = CacheMetadata(head: head, requestTime: start, responseTime: start, lifetime: lifetime)
        return StoredResponse(metadata, bodyLength: 0, bodyChecksum: ContentChecksum())
    }

    private func freshness(_ lines: [String], _ lifetime: CacheLifetime, after seconds: Double = 0) -> CacheFreshness {
        CacheRules().freshness(of: response(lines, lifetime: lifetime), at: start.addingTimeInterval(seconds))
    }

    @Test("A clock that was set back by more than a minute tells nothing, and the response is stale")
    func clockSetBack() {
        for seconds in [-60.0, -1, 0, 59] {
            #expect(freshness(["Cache-Control: max-age=60"], .server, after: seconds).isFresh)
        }
        for seconds in [-60.5, -61, -100_000, 60] {
            #expect(!freshness(["Cache-Control: max-age=60"], .server, after: seconds).isFresh)
        }
        #expect(freshness(["Cache-Control: max-age=60"], .server, after: -60).age == 0)
    }

    @Test("What the client says where the server says nothing goes before a guess, and after what the server says")
    func whenUnspecified() {
        let lifetime = CacheLifetime.whenUnspecified(.seconds(5))
        for lines in [[], ["Last-Modified: \(date(-1000))"]] {
            let freshness = freshness(lines, lifetime)
            #expect(freshness.lifetime == 5 && freshness.source == .client)
        }
        let stated = freshness(["Cache-Control: max-age=60"], lifetime)
        #expect(stated.lifetime == 60 && stated.source == .maxAge)
    }

    @Test("At most so long shortens what the server says, and is not what counts where that is no longer")
    func atMost() {
        #expect(freshness(["Cache-Control: max-age=60"], .atMost(.seconds(59))).source == .client)
        #expect(freshness(["Cache-Control: max-age=60"], .atMost(.seconds(60))).source == .maxAge)
        #expect(freshness(["Cache-Control: max-age=60"], .atMost(.seconds(61))).lifetime == 60)
    }

    @Test(
        "A lifetime is guessed for what was changed before, of statuses that allow it or with public, RFC 9111 §4.2.2",
        arguments: [
            (200, ["Last-Modified: \(date(-1000))"], 100), (404, ["Last-Modified: \(date(-1000))"], 100),
            (201, ["Last-Modified: \(date(-1000))"], nil), (500, ["Last-Modified: \(date(-1000))"], nil),
            (201, ["Last-Modified: \(date(-1000))", "Cache-Control: public"], 100),
            (200, ["Last-Modified: \(date(0))"], nil), (200, ["Last-Modified: \(date(1000))"], nil), (200, [], nil),
        ] as [(Int, [String], Double?)]
    )
    func guessed(status: Int, lines: [String], expected: Double?) {
        let (lifetime, source) = CacheRules().serverLifetime(response(lines, status: status).facts)
        #expect(source == (expected == nil ? .none : .heuristic))
        #expect(lifetime == expected ?? 0)
        #expect(CacheRules(heuristicFraction: 0).serverLifetime(response(lines).facts).source == .none)
    }

    @Test(
        "A store that forgets by itself keeps a response until it is stale and of no use, in either kind of cache",
        arguments: [
            ("max-age=60", 70), ("max-age=60, s-maxage=100", 110), ("s-maxage=10, max-age=60", 70), ("no-store", 10),
            ("max-age=60, stale-while-revalidate=5", 70), ("max-age=60, stale-while-revalidate=1000", 1060),
            ("max-age=60, stale-if-error=500, stale-while-revalidate=20", 560),
            ("max-age=99999999999, stale-if-error=99999999999", 3_200_000_000),
        ] as [(String, Double)]
    )
    func retention(directives: String, expected: Double) {
        let response = response(["Cache-Control: \(directives)"])
        #expect(CacheRules.retention(of: response, stale: .seconds(10)) == .seconds(expected))
        #expect(CacheRules.retention(of: self.response(["Cache-Control: max-age=60"]), stale: .zero) == .seconds(60))
    }

    @Test("Where the client says exactly how long, no directive forbids what is stale")
    func exactly() {
        for directive in ["no-cache", "must-revalidate"] {
            let lines = ["Cache-Control: \(directive)"]
            #expect(CacheRules().forbidsStale(response(lines)))
            #expect(!CacheRules().forbidsStale(response(lines, lifetime: .exactly(.seconds(1)))))
            #expect(!CacheRules().forbidsStale(response(lines), lifetime: .exactly(.seconds(1))))
        }
        #expect(!CacheRules().forbidsStale(response(["Cache-Control: max-age=1"])))
        #expect(!CacheRules().requiresRevalidation(response(["Cache-Control: no-cache"])))
        for directive in ["proxy-revalidate", "s-maxage=1"] {
            let response = response(["Cache-Control: \(directive)"])
            #expect(!CacheRules().requiresRevalidation(response))
            #expect(CacheRules(mode: .shared).requiresRevalidation(response))
        }
    }
}
#endif
