#if AllTests
import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPTypes
import Testing

@Suite("Parsing of what caches read")
struct ParsingTests {
    @Test(
        "The directive max-age is read as RFC 9111 §5.2 and §4.2.1 have recipients read it",
        arguments: [
            (["max-age=3600"], DeltaSeconds.seconds(3600)),
            (["Max-Age=3600"], .seconds(3600)),
            (["MAX-AGE=3600"], .seconds(3600)),
            (["max-age=\"3600\""], .seconds(3600)),
            (["max-age=\"36\\00\""], .seconds(3600)),
            (["max-age=003600"], .seconds(3600)),
            (["max-age=0"], .seconds(0)),
            (["max-age=2147483647"], .seconds(2_147_483_647)),
            (["max-age=2147483648"], .seconds(2_147_483_648)),
            (["max-age=4294967296"], .seconds(2_147_483_648)),
            (["max-age=99999999999999999999"], .seconds(2_147_483_648)),
            (["max-age='3600'"], .invalid),
            (["max-age = 1"], .invalid),
            (["max-age =1"], .invalid),
            (["max-age= 1"], .invalid),
            (["max-age=1.5"], .invalid),
            (["max-age=3600.0"], .invalid),
            (["max-age=-1"], .invalid),
            (["max-age=+1"], .invalid),
            (["max-age=1s"], .invalid),
            (["max-age=a1"], .invalid),
            (["max-age=1 2"], .invalid),
            (["max-age=0x10"], .invalid),
            (["max-age=\"36"], .invalid),
            (["max-age=\"36\"00"], .invalid),
            (["max-age=\" 36\""], .invalid),
            (["max-age="], .invalid),
            (["max-age"], .invalid),
            (["max-age=\u{FF11}"], .invalid),
            (["max-age=3600, max-age=1"], .seconds(3600)),
            (["max-age=1, max-age=3600"], .seconds(1)),
            (["max-age=3600", "max-age=1"], .seconds(3600)),
            (["max-age=x, max-age=1"], .invalid),
            (["public", "max-age=5"], .seconds(5)),
            (["public,max-age=5"], .seconds(5)),
            (["public\t,\tmax-age=5\t"], .seconds(5)),
            ([",,, ,max-age=5,,"], .seconds(5)),
            (["foo=\"max-age=1\", max-age=5"], .seconds(5)),
            (["foo=\"a, max-age=1\", max-age=5"], .seconds(5)),
            (["foo=\"a\\\", max-age=1\", max-age=5"], .seconds(5)),
            (["max-age=5, foo=\"max-age=1\""], .seconds(5)),
            (["foo=\"max-age=5\""], .absent),
            (["foo max-age=5"], .absent),
            (["x-max-age=5"], .absent),
            (["max-age2=5"], .absent),
            (["(){}, @@, max-age=5, =3, ;"], .seconds(5)),
            (["foo;max-age=5"], .absent),
            (["foo=bar;baz, max-age=5"], .seconds(5)),
            (["\u{E9}, max-age=5"], .seconds(5)),
            (["foo=\"unterminated", "max-age=5"], .seconds(5)),
            ([""], .absent),
        ] as [([String], DeltaSeconds)]
    )
    func maxAge(lines: [String], expected: DeltaSeconds) {
        #expect(ResponseDirectives(fields(lines.map { "Cache-Control: " + $0 })).maxAge == expected)
    }

    @Test(
        "A limiting directive limits, whatever its argument",
        arguments: ["no-store", "no-store=1", "NO-STORE=", "no-store x"]
    )
    func limiting(text: String) {
        #expect(ResponseDirectives(fields(["Cache-Control: \(text)"])).noStore)
    }

    @Test(
        "The directives no-cache and private name fields, or limit everything, RFC 9111 §5.2.2.4 and §5.2.2.7",
        arguments: [
            ("no-cache", true, []), ("no-cache=\"Set-Cookie, Foo\"", false, ["set-cookie", "foo"]),
            ("no-cache=single", false, ["single"]), ("no-cache=\"\"", true, []),
            ("no-cache=\"a\", no-cache", true, ["a"]),
            ("no-cache='a'", false, ["'a'"]), ("no-cache=(", true, []),
        ] as [(String, Bool, [String])]
    )
    func qualified(text: String, isUnqualified: Bool, names: [String]) {
        let directives = ResponseDirectives(fields(["Cache-Control: \(text)"]))
        #expect(directives.noCache == isUnqualified)
        #expect(directives.noCacheFields == names)
    }

    @Test(
        "Age is its first member, and ignored when that is no number, RFC 9111 §5.1",
        arguments: [
            (["60"], 60), (["0"], 0), (["007"], 7), (["60, 0"], 60), (["0, 60"], 0), (["60", "0"], 60),
            (["0", "60"], 0),
            (["-60"], 0), (["60.5"], 0), (["abc"], 0), (["60;foo=bar"], 0), ([""], 0), ([" 60 "], 60), (["a, 60"], 0),
            (["2147483648"], 2_147_483_648), (["99999999999999999999"], 2_147_483_648), (["\"60\""], 0), (["6 0"], 0),
        ] as [([String], Int64)]
    )
    func age(lines: [String], expected: Int64) {
        let facts = ResponseFacts(fields(lines.map { "Age: " + $0 }), status: 200, receivedAt: start)
        #expect(facts.age == expected)
    }

    @Test("The first of two Expires counts, even if a transport joined them")
    func expires() {
        for lines in [["Expires: \(date(60))", "Expires: 0"], ["Expires: \(date(60)), \(date(-60))"]] {
            #expect(ResponseFacts(fields(lines), status: 200, receivedAt: start).expires == .at(784_111_837))
        }
        #expect(
            ResponseFacts(fields(["Expires: 0", "Expires: \(date(60))"]), status: 200, receivedAt: start).expires
                == .invalid
        )
    }

    @Test(
        "A targeted field is a dictionary of RFC 9651, and as good as absent when it is not one, RFC 9213 §2.2",
        arguments: [
            (["max-age=60"], .seconds(60)), (["max-age=60, max-age=5"], .seconds(5)),
            (["max-age=60;a=b"], .seconds(60)),
            (["public", "max-age=60"], .seconds(60)), (["max-age=\"60\""], .invalid), (["max-age=60.0"], .invalid),
            (["max-age=-1"], .invalid), (["max-age"], .invalid), (["max-age=?0"], .absent), (["no-store"], .absent),
            (["MAX-AGE=60"], nil), (["max-age =60"], nil), (["max-age= 60"], nil), ([""], nil), (["max-age=60,"], nil),
            (["max-age=60 &&&"], nil), (["max-age=9999999999999999"], nil),
        ] as [([String], DeltaSeconds?)]
    )
    func targeted(lines: [String], expected: DeltaSeconds?) {
        #expect(ResponseDirectives(targeted: lines)?.maxAge == expected)
    }

    @Test("Counts in a targeted field are integers, and arguments of other directives strings or tokens")
    func targetedArguments() throws {
        let strings = try #require(
            ResponseDirectives(targeted: [
                "s-maxage=\"60\", stale-while-revalidate=\"60\", stale-if-error=\"60\", no-cache=\"a, b\", private=foo"
            ])
        )
        #expect(strings.sMaxAge == .invalid && strings.staleWhileRevalidate == 0 && strings.staleIfError == 0)
        #expect(strings.noCacheFields == ["a", "b"] && !strings.noCache)
        #expect(strings.privateFields == ["foo"] && !strings.isPrivate)
        let counts = try #require(
            ResponseDirectives(targeted: ["s-maxage=60, stale-while-revalidate=61, stale-if-error=62, max-age=a1"])
        )
        #expect(counts.sMaxAge == .seconds(60) && counts.staleWhileRevalidate == 61 && counts.staleIfError == 62)
        #expect(counts.maxAge == .invalid)
        let others = try #require(ResponseDirectives(targeted: ["no-cache=1.5, no-store=?0, public, immutable=(a b)"]))
        #expect(others.noCache && !others.noStore && others.isPublic && !others.immutable)
    }

    @Test("A window that is no number of seconds is none, and the first of two counts")
    func windows() {
        let said = ResponseDirectives(
            fields([
                "Cache-Control: stale-while-revalidate=x, stale-if-error, stale-while-revalidate=5, stale-if-error=5"
            ])
        )
        #expect(said.staleWhileRevalidate == 0 && said.staleIfError == 0)
    }

    @Test("An absurd number of seconds is the nearest that is none, and what is no number is 0")
    func absurdSeconds() {
        #expect(Int64(clampingSeconds: .nan) == 0)
        #expect(Int64(clampingSeconds: .infinity) == 9_000_000_000_000_000)
        #expect(Int64(clampingSeconds: -.infinity) == -9_000_000_000_000_000)
        #expect(Int64(clampingSeconds: -1.5) == -1)
    }

    @Test(
        "The directives of a request are read, RFC 9111 §5.2.1 and §5.4",
        arguments: [
            (["Cache-Control: no-cache"], "no-cache"), (["Pragma: no-cache"], "no-cache"),
            (["Pragma: No-Cache, foo"], "no-cache"), (["Pragma: foo"], ""),
            (["Pragma: no-cache", "Pragma: foo"], "no-cache"),
            (["Pragma: no-cache", "Cache-Control: max-age=5"], "max-age 5"), (["Cache-Control: no-store"], "no-store"),
            (["Cache-Control: only-if-cached"], "only-if-cached"), (["Cache-Control: max-age=x"], "max-age 0"),
            (["Cache-Control: min-fresh=x, max-stale=x"], ""), (["Cache-Control: min-fresh=5"], "min-fresh 5"),
            (["Cache-Control: max-stale"], "max-stale 2147483648"), (["Cache-Control: max-stale=5"], "max-stale 5"),
            (["Cache-Control: stale-if-error=5"], "stale-if-error 5"),
        ] as [([String], String)]
    )
    func request(lines: [String], expected: String) {
        let said = RequestDirectives(fields(lines))
        let words = [
            said.noCache ? "no-cache" : nil, said.noStore ? "no-store" : nil,
            said.onlyIfCached ? "only-if-cached" : nil, said.maxAge.map { "max-age \($0)" },
            said.minFresh.map { "min-fresh \($0)" }, said.maxStale.map { "max-stale \($0)" },
            said.staleIfError.map { "stale-if-error \($0)" },
        ]
        #expect(words.compactMap { $0 }.joined(separator: " ") == expected)
        #expect(said.limitsFreshness == (said.noCache || said.maxAge != nil || said.minFresh != nil))
    }

    @Test("A caller who wants something newer than freshness gives does not get what is stored first")
    func wantsNewer() {
        for (directive, isLimit) in [
            ("no-cache", true), ("max-age=1000", true), ("min-fresh=1", true), ("max-stale=1", false),
            ("no-store", false),
        ] {
            let lines = ["Cache-Control: \(directive)"]
            #expect(RequestDirectives(fields(lines)).limitsFreshness == isLimit)
            var situation = Situation()
            situation.response = ["Cache-Control: max-age=10", "ETag: \"a\""]
            situation.after = 20
            situation.ask = lines
            situation.askSettings.use = .storedFirst
            #expect(situation.outcome == (isLimit ? "validate" : "serve and validate"), "\(directive)")
        }
    }

    @Test("A target without a slash has one; no bytes are the last ones of nothing; two Content-Range fields are none")
    func edges() {
        for (path, expected) in [(nil, "/"), ("", "/"), ("?q", "/?q"), ("/a", "/a")] {
            let head = HTTPRequest(method: .get, scheme: "http", authority: "h", path: path)
            #expect(CacheKey.url(of: head) == "http://h" + expected)
        }
    }

    @Test(
        "URLs are normalised, RFC 3986 §6.2.2 and §6.2.3",
        arguments: [
            ("https://example.com/a?b=c", "https://example.com/a?b=c"), ("HTTPS://EXAMPLE.com", "https://example.com/"),
            ("https://example.com:443/a", "https://example.com/a"), ("http://example.com:80/", "http://example.com/"),
            ("http://example.com:8080/", "http://example.com:8080/"),
            ("https://example.com/%7ea", "https://example.com/~a"),
            ("https://example.com/%2fa", "https://example.com/%2Fa"),
            ("https://example.com/A", "https://example.com/A"),
            ("https://example.com/%zz%2", "https://example.com/%zz%2"),
            ("https://example.com?q", "https://example.com/?q"), ("https://example.com/a%7e", "https://example.com/a~"),
            ("https://example.com/cafe12%41", "https://example.com/cafe12A"),
            ("https://[::1]:443/a", "https://[::1]/a"),
            ("https://[::1]/[a]?b[c]=%5bd", "https://[::1]/%5Ba%5D?b%5Bc%5D=%5Bd"),
        ]
    )
    func urls(text: String, expected: String) {
        #expect(CacheKey.url(of: Situation().head(.get, []).with(text)) == expected)
    }

    @Test(
        "Scheme and authority are those of the origin, however they are written",
        arguments: [
            "example.com", "EXAMPLE.com", "example.com:80", "example.com:443", "example.com:8080", "example.com:08080",
            "example.com:0", "example.com:", "example.com:65535", "example.com:65536", "example.com:123456", ":81", "",
            "user@example.com:81", "127.0.0.1:8099", "[::1]:81", "a:b", "example.com:8x", "ex_ample.com:81",
            "example.com:99999999999999999999", "example.com:8:1", "example.com:+81", "exa{mple.com", "exa`mple.com",
            "a/b", "b-1.example", "é.example",
        ]
    )
    func authorities(authority: String) {
        for scheme in ["http", "https", "HTTP", "ftp"] {
            let head = HTTPRequest(method: .get, scheme: scheme, authority: authority, path: "/a")
            #expect(CacheKey.url(of: head) == Origin(scheme: scheme, authority: authority).map { "\($0)/a" })
        }
    }

    @Test("Ignored query parameters are no part of the key")
    func ignoredQuery() {
        let head = Situation().head(.get, []).with("https://example.com/a?x=1&t=2&y&t=3&%74=4&tt=5")
        #expect(CacheKey.url(of: head, ignoring: .all) == "https://example.com/a")
        #expect(CacheKey.url(of: head, ignoring: .named(["t"])) == "https://example.com/a?x=1&y&tt=5")
        #expect(CacheKey.url(of: head, ignoring: .named(["x", "t", "y", "tt"])) == "https://example.com/a")
        #expect(CacheKey.url(of: head) == "https://example.com/a?x=1&t=2&y&t=3&t=4&tt=5")
        let odd = Situation().head(.get, []).with("https://example.com/a?x=1&&y&t&%74&")
        #expect(CacheKey.url(of: odd, ignoring: .named(["t"])) == "https://example.com/a?x=1&&y&")
        #expect(CacheKey.url(of: odd, ignoring: .named(["%74"])) == "https://example.com/a?x=1&&y&t&")
    }

    @Test("A checksum depends on the bytes, not on how they are divided, and finds a changed bit")
    func checksum() {
        let bytes = Data((0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        for size in [1, 3, 7, 8, 64, 999] {
            var checksum = ContentChecksum()
            for index in stride(from: 0, to: bytes.count, by: size) {
                checksum.update(bytes[index..<min(index + size, bytes.count)])
            }
            #expect(checksum == ContentChecksum(of: bytes))
        }
        for bit in 0..<8000 {
            var damaged = bytes
            damaged[bit / 8] ^= 1 << (bit % 8)
            #expect(ContentChecksum(of: damaged) != ContentChecksum(of: bytes))
        }
        #expect(ContentChecksum(of: bytes) != ContentChecksum(of: bytes + [0]))
        #expect(ContentChecksum(of: Data()) != ContentChecksum(of: Data([0])))
    }
}

extension HTTPRequest {
    fileprivate func with(_ url: String) -> HTTPRequest {
        var request = Request(head: self)
        request.url = url
        return request.head
    }
}
#endif
