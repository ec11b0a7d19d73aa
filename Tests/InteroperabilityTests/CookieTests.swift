import Foundation
import HTTPChain
import TestSupport
import Testing

@Suite("Cookies, against httpbin and curl", .timeLimit(.minutes(10)))
struct CookieTests {
    private struct Cookies: Decodable, Sendable {
        var cookies: [String: String]
    }

    private func chain(_ carrier: Carrier, _ jar: CookieJar) throws -> Chain {
        try Chain(transport: carrier.transport) {
            RedirectMiddleware()
            CookieMiddleware(jar)
        }
    }

    @Test(
        "A login that sets a cookie and redirects ends at the page, and a logout removes it",
        arguments: Carrier.allCases
    )
    func loginAndLogout(carrier: Carrier) async throws {
        guard let base = Server.httpbin.base() else { return }
        let jar = CookieJar()
        let chain = try chain(carrier, jar)
        let page = try await chain.send(.get("\(base)/cookies/set?session=abc&theme=dark"), as: Cookies.self)
        #expect(page.cookies == ["session": "abc", "theme": "dark"])
        let out = try await chain.send(.get("\(base)/cookies/delete?session"), as: Cookies.self)
        #expect(out.cookies == ["theme": "dark"])
        #expect(await jar.cookies().map(\.name) == ["theme"])
    }

    @Test("curl sends the cookies of a cookies.txt that was written here, and its own is read here")
    func curl() async throws {
        guard let base = Server.httpbin.base() else { return }
        guard let curl = Programs.find("curl") else {
            Issue.record("NOT RUN: there is no curl")
            return
        }
        let scratch = try ScratchDirectory.created()
        let jar = CookieJar()
        let chain = try chain(.urlSession, jar)
        _ = try await chain.send(.get("\(base)/cookies/set?ours=1"), as: Cookies.self)
        let text = NetscapeCookies.text(for: await jar.cookies()).revealed
        let ours = try scratch.file("ours.txt", Data(text.utf8))
        let theirs = scratch.file("theirs.txt")
        let outcome = try await runProgram(
            curl,
            [
                "--silent", "--max-time", "30", "--location", "--cookie", ours.path, "--cookie-jar", theirs.path,
                "\(base)/cookies/set?theirs=2",
            ]
        )
        let seen = try JSONDecoder().decode(Cookies.self, from: outcome.standardOutput)
        #expect(seen.cookies == ["ours": "1", "theirs": "2"])
        let back = try NetscapeCookies.parse(String(contentsOf: theirs, encoding: .utf8))
        #expect(Set(back.map(\.name)) == ["ours", "theirs"])
        let other = CookieJar()
        try await other.set(back)
        let echo = try await self.chain(.urlSession, other).send(.get("\(base)/cookies"), as: Cookies.self)
        #expect(echo.cookies == ["ours": "1", "theirs": "2"])
    }
}
