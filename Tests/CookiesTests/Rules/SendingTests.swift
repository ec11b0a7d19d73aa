#if AllTests
import Foundation
import HTTPChainCookies
import HTTPChainCore
import HTTPTypes
import Testing

@Suite("A request carries the cookies that RFC 6265bis §5.8.3 gives it")
struct SendingTests {
    @Test("A request has the cookies of its path and those above it, the longest path first, then the oldest")
    func paths() {
        var browser = Browser()
        browser.receive("root=1; Path=/")
        browser.receive("b=1; Path=/a/b")
        browser.receive("a=1; Path=/a")
        browser.receive("slash=1; Path=/a/")
        #expect(browser.field(for: "https://www.example.com/") == "root=1")
        #expect(browser.field(for: "https://www.example.com/a") == "a=1; root=1")
        #expect(browser.field(for: "https://www.example.com/ab") == "root=1")
        #expect(browser.field(for: "https://www.example.com/a/b/c?d=/x") == "b=1; slash=1; a=1; root=1")
        #expect(browser.field(for: "https://www.example.com/a?/b") == "a=1; root=1")
    }

    @Test("A cookie that names no path has the directory of the request as its path")
    func defaultPath() {
        for (path, expected) in [
            ("/", "/"), ("/a", "/"), ("/a/", "/a"), ("/a/b", "/a"), ("/a/b/c?x=/y/z", "/a/b"), ("", "/"),
        ] {
            var browser = Browser()
            browser.receive("a=b", from: "https://www.example.com\(path)")
            #expect(browser.storage.cookies.map(\.path) == [expected], "\(path)")
        }
    }

    @Test("A request has the cookies of all the domains above the host, in one order")
    func domains() {
        var browser = Browser()
        browser.receive("old=1; Domain=example.com")
        browser.receive("host=1")
        browser.receive("deep=1; Domain=example.com; Path=/x")
        browser.receive("new=1; Domain=example.com")
        #expect(browser.field(for: "https://www.example.com/x") == "deep=1; old=1; host=1; new=1")
    }

    @Test("Secure cookies are sent over secure connections alone, and to this machine")
    func secure() {
        var browser = Browser()
        browser.receive("s=1; Secure")
        browser.receive("l=1; Secure", from: "https://localhost/")
        #expect(browser.field(for: "https://www.example.com/") == "s=1")
        #expect(browser.field(for: "http://www.example.com/") == nil)
        #expect(browser.field(for: "http://localhost:99/") == "l=1")
    }

    @Test("A request from another site has the cookies that SameSite lets through")
    func sameSite() throws {
        var browser = Browser()
        for kind in ["None; Secure", "Lax", "Strict", "odd"] {
            browser.receive("\(kind.prefix(3))=1; SameSite=\(kind)")
        }
        browser.receive("no=1")
        func names(_ site: SiteContext, method: HTTPRequest.Method = .get) throws -> [String] {
            let target = try #require(
                CookieTarget("https://www.example.com/", method: method, site: site)
            )
            return browser.storage.judgement(of: target, at: now).sent.map(\.name)
        }
        #expect(try names(.sameSite) == ["Non", "Lax", "Str", "odd", "no"])
        #expect(try names(.page("https://shop.example.com/")) == ["Non", "Lax", "Str", "odd", "no"])
        #expect(try names(.page("https://other.example/")) == ["Non"])
        #expect(try names(.page("https://other.example/", isNavigation: true)) == ["Non", "Lax", "odd", "no"])
        #expect(try names(.page("https://other.example/", isNavigation: true), method: .post) == ["Non"])
        #expect(try names(.page("not a URL")) == ["Non"])
    }

    @Test("Partitioned cookies are sent under the page that they were set under")
    func partitions() {
        let shop = SiteContext.page("https://shop.example/")
        let news = SiteContext.page("https://news.example/")
        var browser = Browser()
        let field = "a=\(1); SameSite=None; Secure; Partitioned"
        browser.receive(field, site: shop)
        #expect(browser.field(site: shop) == "a=1")
        #expect(browser.field(site: news) == nil)
        #expect(browser.field() == nil)
        browser.receive("a=2; SameSite=None; Secure; Partitioned", site: news)
        #expect(browser.field(site: shop) == "a=1")
        #expect(browser.field(site: news) == "a=2")
    }

    @Test("A request has the cookies that have not ended")
    func expiry() {
        var browser = Browser()
        browser.receive("a=b; Max-Age=10")
        browser.now += 9.5
        #expect(browser.field() == "a=b")
        browser.now += 0.5
        #expect(browser.field() == nil)
    }

    @Test("A request has 150 cookies at most, and 8,190 bytes")
    func limits() {
        var browser = Browser()
        for index in 0..<160 {
            let domain = ["example.com", "b.example.com", "a.b.example.com", "c.a.b.example.com"][index % 4]
            browser.receive("c\(index)=1; Domain=\(domain)", from: "https://c.a.b.example.com/")
        }
        #expect(browser.field(for: "https://c.a.b.example.com/")?.split(separator: ";").count == 150)
        var long = Browser()
        for index in 0..<3 { long.receive("c\(index)=" + String(repeating: "x", count: 4_000)) }
        #expect(long.field()?.utf8.count == 2 * 4_003 + 2)
    }

    @Test("The judgement of a request says what is sent and why the rest is not, and agrees with the field")
    func judgement() throws {
        var browser = Browser()
        browser.receive("sent=1")
        browser.receive("path=1; Path=/x")
        browser.receive("secure=1; Secure")
        browser.receive("ended=1; Max-Age=1")
        browser.receive("host=1", from: "https://example.com/")
        browser.now += 5
        let target = try #require(CookieTarget("http://www.example.com/"))
        let (sent, withheld) = browser.storage.judgement(of: target, at: browser.now)
        #expect(sent.map(\.name) == ["sent"])
        let reasons = Dictionary(uniqueKeysWithValues: withheld.map { ($0.0.name, $0.1) })
        #expect(
            reasons == ["path": .otherPath, "secure": .needsSecureConnection, "ended": .expired, "host": .otherHost]
        )
        #expect(browser.field(for: "http://www.example.com/") == "sent=1")
    }
}
#endif
