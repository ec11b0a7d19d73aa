#if AllTests
import Foundation
import HTTPChainCookies
import HTTPChainCore
import HTTPTypes
import Testing

@Suite("A cookie is stored, or not, as RFC 6265bis §5.7 says")
struct StoringTests {
    @Test("A cookie is stored for its domain only where the host lies in it and it is no public suffix")
    func domains() {
        let cases: [(String, String, CookieReason?)] = [
            ("www.example.com", "example.com", nil), ("www.example.com", ".example.com", nil),
            ("www.example.com", "EXAMPLE.com", nil), ("www.example.com", "www.example.com", nil),
            ("www.example.com", "a.www.example.com", .foreignDomain), ("www.example.com", "ample.com", .foreignDomain),
            ("www.example.com", "example.org", .foreignDomain), ("www.example.com", "com", .publicSuffix),
            ("www.example.co.uk", "co.uk", .publicSuffix), ("co.uk", "co.uk", nil), ("localhost", "localhost", nil),
            ("me.github.io", "github.io", .publicSuffix), ("a.me.github.io", "me.github.io", nil),
            ("127.0.0.1", "127.0.0.1", nil), ("127.0.0.1", "0.0.1", .foreignDomain), ("[::1]", "[::1]", nil),
            ("xn--85x722f.com.cn", "食狮.com.cn", .domainNotASCII), ("x.ck", "ck", .publicSuffix),
            ("a.www.ck", "www.ck", nil), ("www.example.com", "..example.com", .foreignDomain),
            ("www.example.com", "example.com.", .foreignDomain),
        ]
        for (host, domain, reason) in cases {
            var browser = Browser()
            #expect(browser.receive("a=b; Domain=\(domain)", from: "http://\(host)/") == reason, "\(host) \(domain)")
        }
    }

    @Test("A cookie is stored for no public suffix, however that or the host is written")
    func suffixes() {
        let cases: [(String, String, CookieReason?)] = [
            ("evil.com.", "com.", .publicSuffix), ("evil.co.uk.", "co.uk.", .publicSuffix),
            ("evil.github.io.", "github.io.", .publicSuffix), ("evil.github.io.", ".GitHub.io.", .publicSuffix),
            ("evil.com", "com.", .publicSuffix), ("evil.com.", "com", .publicSuffix),
            ("a.x.ck.", "x.ck.", .publicSuffix),
            ("evil.xn--fiqs8s.", "xn--fiqs8s.", .publicSuffix), ("evil.com..", "com..", .foreignDomain),
            ("a..", ".", nil), ("a..", "..", .foreignDomain), ("evil.com.", "..com.", .foreignDomain),
            ("evil.com", "%63om", .foreignDomain), ("evil.com.", "co%6D.", .foreignDomain),
            ("evil.co.uk", "co。uk", .domainNotASCII),
            // By RFC 6265 §5.1.3 a name with the dot and one without it are two hosts.
            ("www.example.com.", "example.com.", nil), ("www.example.com.", "example.com", .foreignDomain),
            ("www.example.com", "example.com.", .foreignDomain), ("co.uk.", "co.uk.", nil),
            ("0x7f.1", "127.0.0.1", nil), ("127.0.0.1.", "1", .foreignDomain), ("127.0.0.1", "1.", .foreignDomain),
        ]
        for (host, domain, reason) in cases {
            var browser = Browser()
            let result = browser.receive("a=b; Domain=\(domain)", from: "http://\(host)/")
            #expect(result == reason, "\(host) \(domain)")
        }
        for (host, others) in [
            ("evil.com.", ["https://bank.com.", "https://bank.com", "https://evil.com"]),
            ("example.com", ["https://example.com.", "https://www.example.com."]),
        ] {
            var browser = Browser()
            for domain in [host, "\(host).", "com.", "com", "."] {
                browser.receive("a=b; Domain=\(domain)", from: "https://\(host)/")
            }
            browser.receive("c=d", from: "https://\(host)/")
            for other in others { #expect(browser.field(for: other) == nil, "\(host) \(other)") }
            #expect(browser.field(for: "https://\(host)/")?.contains("c=d") == true)
        }
    }

    @Test("A cookie is stored once for a host, however its address is written")
    func addresses() {
        for url in ["http://0x7f.1/", "http://2130706433/", "http://0177.0.0.1/", "http://127.0.0.1./"] {
            var browser = Browser()
            browser.receive("a=b", from: "http://127.0.0.1/")
            browser.receive("c=d; Secure", from: url)
            #expect(browser.field(for: url) == "a=b; c=d")
            for authority in ["127.0.0.1:80", "0x7f.1", "2130706433:8080", "127.1.", "0x7f.1.:80"] {
                #expect(browser.storage.mayHaveCookies(forAuthority: authority), "\(authority)")
            }
            #expect(!browser.storage.mayHaveCookies(forAuthority: "127.0.0.2"))
            #expect(!browser.storage.mayHaveCookies(forAuthority: "[::1]:8080"))
        }
    }

    @Test("A cookie is stored until Expires by the server's clock", arguments: [-86_400.0, -600, 0, 600, 86_400])
    func serverTime(offset: Double) throws {
        let local = now.addingTimeInterval(offset)
        var target = try #require(CookieTarget("https://www.example.com/"))
        target.serverTime = ServerTime([.date: HTTPDate(now).description], now: local)
        for (seconds, isStored) in [(300.0, true), (0, false), (-300, false)] {
            var storage = CookieStorage()
            let expires = HTTPDate(now.addingTimeInterval(seconds))
            _ = storage.store(["a=b; Expires=\(expires)"], from: target, at: local)
            #expect(storage.cookies.map(\.expires) == (isStored ? [local.addingTimeInterval(seconds)] : []))
        }
    }

    @Test("A cookie is stored for its host alone without a Domain, and where the Domain is that host, a public suffix")
    func hostOnly() {
        for field in ["a=b", "a=b; Domain=", "a=b; Domain=github.io"] {
            var browser = Browser()
            #expect(browser.receive(field, from: "https://github.io/") == nil)
            #expect(browser.field(for: "https://github.io/") == "a=b")
            #expect(browser.field(for: "https://me.github.io/") == nil)
        }
        var browser = Browser()
        browser.receive("a=b; Domain=example.com")
        #expect(browser.field(for: "https://x.y.example.com/") == "a=b")
        #expect(browser.field(for: "https://example.com/") == "a=b")
        #expect(browser.field(for: "https://anexample.com/") == nil)
    }

    @Test("A cookie is stored as Secure only over a secure connection, which one to this machine is")
    func secure() {
        for (url, isStored) in [
            ("https://example.com/", true), ("http://example.com/", false), ("http://localhost:8080/", true),
            ("http://a.localhost/", true), ("http://127.0.0.1/", true), ("http://[::1]/", true),
            ("http://localhost.example.com/", false), ("http://127.0.0.1.example.com/", false),
        ] {
            var browser = Browser()
            #expect(browser.receive("a=b; Secure", from: url) == (isStored ? nil : .insecureOrigin), "\(url)")
        }
    }

    @Test("A cookie is not stored over a secure cookie, from an insecure connection")
    func overlay() {
        let secure = "sid=1; Secure; Path=/account"
        for (field, url, reason) in [
            ("sid=2; Path=/account", "http://www.example.com/", CookieReason.overlaysSecureCookie),
            ("sid=2; Path=/account/here", "http://www.example.com/", .overlaysSecureCookie),
            ("sid=2; Domain=example.com; Path=/account", "http://www.example.com/", .overlaysSecureCookie),
            ("sid=2; Path=/account", "http://a.www.example.com/", nil),
            ("sid=2; Path=/", "http://www.example.com/", nil),
            ("sid2=2; Path=/account", "http://www.example.com/", nil),
            ("sid=2; Path=/account", "https://www.example.com/", nil),
        ] {
            var browser = Browser()
            browser.receive(secure)
            // A host-only cookie of www.example.com does not reach a.www.example.com, but its domain is matched.
            let expected = url.contains("a.www") ? CookieReason.overlaysSecureCookie : reason
            #expect(browser.receive(field, from: url) == expected, "\(field) \(url)")
        }
    }

    @Test("A cookie is stored with a prefix only where it keeps what the prefix promises, in any letter case")
    func prefixes() {
        let cases: [(String, Bool)] = [
            ("__Secure-a=b", false), ("__Secure-a=b; Secure", true), ("__SeCuRe-a=b", false),
            ("__Host-a=b; Secure; Path=/", true), ("__Host-a=b; Secure", false), ("__Host-a=b; Path=/", false),
            ("__Host-a=b; Secure; Path=/; Domain=www.example.com", false), ("__host-a=b", false),
            ("__Host-a=b; Secure; Path=/; Path=/x", false), ("__Host-a=b; Secure; Path=/; Domain=", true),
            ("__Http-a=b; Secure; HttpOnly", true), ("__Http-a=b; Secure", false), ("__Http-a=b; HttpOnly", false),
            ("__Host-Http-a=b; Secure; HttpOnly; Path=/", true), ("__Host-Http-a=b; Secure; Path=/", false),
            ("__HOST-HTTP-a=b; Secure; HttpOnly", false), ("=__Host-a=b; Secure; Path=/", false),
            ("__Secure-\u{301}=b", false), ("__Secure-a", false), ("__Secur-a=b", true), ("_Secure-a=b", true),
        ]
        for (field, isStored) in cases {
            var browser = Browser()
            #expect(browser.receive(field) == (isStored ? nil : .prefix), "\(field)")
        }
    }

    @Test("A cookie is stored with SameSite=None or Partitioned only as Secure")
    func secureAttributes() {
        var browser = Browser()
        #expect(browser.receive("a=b; SameSite=None") == .sameSiteNoneNeedsSecure)
        #expect(browser.receive("a=b; SameSite=None; Secure") == nil)
        #expect(browser.receive("a=b; Partitioned") == .partitionedNeedsSecure)
        #expect(browser.receive("c=d; Partitioned; Secure") == nil)
        #expect(browser.storage.cookies.map(\.partition) == [nil, "https://example.com"])
    }

    @Test("A cookie is stored from another site's request only as SameSite=None, or if the response replaces the page")
    func crossSite() {
        let page = SiteContext.page("https://other.example/")
        let navigation = SiteContext.page("https://other.example/", isNavigation: true)
        var browser = Browser()
        #expect(browser.receive("a=b", site: page) == .crossSite)
        #expect(browser.receive("a=b; SameSite=Strict", site: page) == .crossSite)
        #expect(browser.receive("a=b; SameSite=None; Secure", site: page) == nil)
        #expect(browser.receive("c=d; SameSite=Strict", site: navigation) == nil)
        #expect(browser.receive("e=f", site: .page("https://api.example.com/")) == nil)
        #expect(browser.receive("e=f", site: .page("http://www.example.com/")) == .crossSite)
    }

    @Test("A cookie is stored in the place of the one with its name, domain and path, whose age it keeps")
    func replacing() {
        var browser = Browser()
        browser.receive("first=1")
        browser.now += 1
        browser.receive("second=2")
        browser.now += 1
        browser.receive("first=3; HttpOnly")
        #expect(browser.field() == "first=3; second=2")
        #expect(browser.storage.cookies.first?.created == now)
        browser.receive("first=4; Path=/x")
        browser.receive("first=5; Domain=www.example.com")
        #expect(browser.storage.count == 4)
        #expect(browser.field(for: "https://www.example.com/x") == "first=4; first=3; second=2; first=5")
    }

    @Test("A cookie is stored in a jar that has room: 50 a domain and 3,000 in all, the least recently used goes first")
    func eviction() {
        var browser = Browser()
        browser.receive("secure=1; Secure")
        for index in 1...50 {
            browser.now += 1
            browser.receive("c\(index)=1; Path=/\(index)")
        }
        // The oldest that is not secure went.
        #expect(browser.storage.count == 50)
        #expect(!browser.storage.cookies.contains { $0.name == "c1" })
        // One that is used stays.
        browser.now += 1
        #expect(browser.field(for: "https://www.example.com/2")?.hasPrefix("c2=1") == true)
        browser.receive("more=1")
        #expect(browser.storage.cookies.contains { $0.name == "c2" })
        #expect(!browser.storage.cookies.contains { $0.name == "c3" })

        var crowd = Browser()
        for index in 0..<3_000 {
            crowd.now += 1
            crowd.receive("a=\(index)", from: "https://host-\(index).example.com/")
        }
        #expect(crowd.storage.count == 3_000)
        crowd.now += 1
        crowd.receive("a=b", from: "https://host-3000.example.com/")
        #expect(crowd.storage.count == 3_000)
        #expect(crowd.field(for: "https://host-0.example.com/") == nil)
        #expect(crowd.field(for: "https://host-1.example.com/") == "a=1")
    }

    @Test("A cookie is stored among the first 50 fields of a response")
    func manyFields() throws {
        var storage = CookieStorage()
        let target = try #require(CookieTarget("https://example.com/"))
        let result = storage.store((0..<60).map { "c\($0)=1" }, from: target, at: now)
        let reasons: [CookieReason?] = Array(repeating: nil, count: 50) + Array(repeating: .tooManyFields, count: 10)
        #expect(result.outcomes.map(\.reason) == reasons)
        #expect(result.effects.count == 50)
    }

    @Test("A cookie is stored among as many fields of a response as the limit says, and each response begins anew")
    func fieldsPerResponse() throws {
        var limits = CookieLimits()
        limits.fieldsPerResponse = 2
        var storage = CookieStorage(limits: limits)
        let target = try #require(CookieTarget("https://example.com/"))
        let first = storage.store(["a=1", "b=2", "c=3"], from: target, at: now)
        #expect(first.outcomes.map(\.reason) == [nil, nil, .tooManyFields])
        let second = storage.store(["d=4"], from: target, at: now)
        #expect(second.outcomes.map(\.reason) == [nil])
        #expect(storage.cookies.map(\.name) == ["a", "b", "d"])
    }
}
#endif
