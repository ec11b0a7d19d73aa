#if AllTests
import Foundation
import HTTPChainCookies
import HTTPChainCookiesFoundation
import HTTPChainCore
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Cookies of Foundation")
struct FoundationTests {
    private static let end = Date(timeIntervalSince1970: 1_900_000_000)
    private static let cookies = [
        Cookie("sid", "a=b", domain: "www.example.com", path: "/app", isSecure: true, isHTTPOnly: true, created: now),
        Cookie("theme", "dark", domain: "example.com", isHostOnly: false, expires: end, created: now),
    ]

    @Test("Cookies of Foundation are the jar's, there and back", arguments: cookies)
    func roundTrip(cookie: Cookie) throws {
        let copy = try #require(HTTPCookie(cookie))
        #expect(copy.domain == (cookie.isHostOnly ? "www.example.com" : ".example.com"))
        #expect(copy.expiresDate == cookie.expires && copy.isSessionOnly == !cookie.isPersistent)
        #expect(copy.isSecure == cookie.isSecure && copy.isHTTPOnly == cookie.isHTTPOnly)
        #expect(Cookie(copy, created: now) == cookie)
    }

    @Test("Cookies move from a storage into a jar, and from a jar into a storage")
    func storages() async throws {
        let storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
        let partitioned = Cookie("p", "1", domain: "example.com", partition: "https://example.org", created: now)
        let jar = CookieJar()
        try await jar.set(Self.cookies + [partitioned], at: now)
        #expect(await jar.copy(to: storage, at: now) == [partitioned])
        #expect(Set((storage.cookies ?? []).map(\.name)) == ["sid", "theme"])

        let other = CookieJar()
        #expect(try await other.set(from: storage, at: now) == 2)
        #expect(await other.cookies(for: "https://www.example.com/app", at: now).map(\.name) == ["sid", "theme"])
        #expect(await other.cookies(for: "https://other.example.com/app", at: now).map(\.name) == ["theme"])
        #expect(await Set(other.cookies(at: now)) == Set(Self.cookies))
        // What has ended stays behind.
        #expect(try await CookieJar().set(from: storage, at: Self.end) == 1)
    }

    @Test("Cookies of Foundation are those that Foundation reads from a response")
    func fromResponse() throws {
        let url = try #require(URL(string: "https://www.example.com/a/b"))
        let fields = ["Set-Cookie": "sid=1; Path=/; HttpOnly; Secure"]
        let cookie = try #require(HTTPCookie.cookies(withResponseHeaderFields: fields, for: url).first)
        let ours = Cookie(cookie, created: now)
        #expect(try ours == Cookie(setCookie: "sid=1; Path=/; HttpOnly; Secure", from: url.absoluteString, at: now))
    }
}
#endif
