#if AllTests
import Foundation
import HTTPChain
import TestSupport
import Testing

/// The system's clock, and a calendar that a test sets ahead.
private struct CalendarAhead: TimeSource {
    let seconds = Locked(0.0)

    var elapsed: Duration { SystemTime().elapsed }
    var date: Date { Date() + seconds.withLock { $0 } }
    func sleep(for duration: Duration) async throws { try await SystemTime().sleep(for: duration) }
}

/// A chain that follows redirects and keeps cookies.
private func jarChain(_ carrier: Carrier, _ jar: CookieJar, _ time: any TimeSource = SystemTime()) throws -> Chain {
    try Chain(transport: carrier.transport, environment: ChainEnvironment(time: time)) {
        RedirectMiddleware()
        CookieMiddleware(jar)
    }
}

@Suite("Cookies, against nginx and curl", .timeLimit(.minutes(10)))
struct NginxCookieTests {
    @Test(
        "A login that redirects is at the account with its cookie alone, until the logout",
        arguments: Carrier.allCases
    )
    func login(carrier: Carrier) async throws {
        guard let base = Server.nginx.base() else { return }
        let jar = CookieJar()
        let chain = try jarChain(carrier, jar)
        #expect(try await chain.send(.get("\(base)/cookies/login")).body.text() == "sid=abc")
        #expect(try await chain.send(.get("\(base)/cookies/account")).body.text() == "sid=abc")
        #expect(try await chain.send(.get("\(base)/stored/none.txt")).status == .notFound)
        #expect(await jar.cookies().map(\.name) == ["sid"])
        #expect(try await chain.send(.get("\(base)/cookies/logout")).body.text().isEmpty)
        #expect(jar.count == 0)
    }

    @Test("A cookie is sent to the last second that its Max-Age or Expires gives it", arguments: Carrier.allCases)
    func expiry(carrier: Carrier) async throws {
        guard let base = Server.nginx.base() else { return }
        let time = CalendarAhead()
        let jar = CookieJar()
        let chain = try jarChain(carrier, jar, time)
        func account() async throws -> String {
            try await chain.send(.get("\(base)/cookies/account")).body.text()
        }
        func visitor() async throws -> String {
            try await chain.send(.get("\(base)/cookies/visitor")).body.text()
        }
        _ = try await chain.send(.get("\(base)/cookies/login"))
        #expect(try await visitor().isEmpty)
        let uid = try await visitor()
        #expect(uid.hasPrefix("visitor="))
        // A minute to spare for a machine that is slow.
        time.seconds.withLock { $0 = 540 }
        #expect(try await account().contains("sid=abc"))
        time.seconds.withLock { $0 = 601 }
        #expect(try await account().contains("sid") == false)
        time.seconds.withLock { $0 = 3540 }
        #expect(try await visitor() == uid)
        time.seconds.withLock { $0 = 3661 }
        #expect(try await visitor().isEmpty)
    }

    @Test("curl's cookies of a login are read here, and ours by curl")
    func curl() async throws {
        guard let base = Server.nginx.base() else { return }
        let scratch = try ScratchDirectory.created()
        let theirs = scratch.file("theirs.txt")
        let arguments = ["--location", "--cookie-jar", theirs.path, "\(base)/cookies/login"]
        guard let login = try await Curl.run(arguments) else { return }
        #expect(String(decoding: login, as: UTF8.self) == "sid=abc")
        let jar = CookieJar()
        try await jar.set(NetscapeCookies.parse(String(contentsOf: theirs, encoding: .utf8)))
        let chain = try jarChain(.urlSession, jar)
        #expect(try await chain.send(.get("\(base)/cookies/account")).body.text() == "sid=abc")
        #expect(try await chain.send(.get("\(base)/cookies/visitor")).body.text().isEmpty)

        let text = NetscapeCookies.text(for: await jar.cookies()).revealed
        let ours = try scratch.file("ours.txt", Data(text.utf8))
        let visit = try #require(try await Curl.run(["--cookie", ours.path, "\(base)/cookies/account"]))
        let names = String(decoding: visit, as: UTF8.self).split(separator: "; ").map { $0.prefix(3) }
        #expect(Set(names) == ["sid", "vis"])
    }
}

@Suite("Cookies, against httpbin and curl", .timeLimit(.minutes(10)))
struct CookieTests {
    private struct Cookies: Decodable, Sendable {
        var cookies: [String: String]
    }

    @Test(
        "A login that sets a cookie and redirects ends at the page, and a logout removes it",
        arguments: Carrier.allCases
    )
    func loginAndLogout(carrier: Carrier) async throws {
        guard let base = Server.httpbin.base() else { return }
        let jar = CookieJar()
        let chain = try jarChain(carrier, jar)
        let page = try await chain.send(.get("\(base)/cookies/set?session=abc&theme=dark"), as: Cookies.self)
        #expect(page.cookies == ["session": "abc", "theme": "dark"])
        let out = try await chain.send(.get("\(base)/cookies/delete?session"), as: Cookies.self)
        #expect(out.cookies == ["theme": "dark"])
        #expect(await jar.cookies().map(\.name) == ["theme"])
    }

    @Test("curl sends the cookies of a cookies.txt that was written here, and its own is read here")
    func curl() async throws {
        guard let base = Server.httpbin.base() else { return }
        let scratch = try ScratchDirectory.created()
        let jar = CookieJar()
        let chain = try jarChain(.urlSession, jar)
        _ = try await chain.send(.get("\(base)/cookies/set?ours=1"), as: Cookies.self)
        let text = NetscapeCookies.text(for: await jar.cookies()).revealed
        let ours = try scratch.file("ours.txt", Data(text.utf8))
        let theirs = scratch.file("theirs.txt")
        let arguments = [
            "--location", "--cookie", ours.path, "--cookie-jar", theirs.path, "\(base)/cookies/set?theirs=2",
        ]
        guard let outcome = try await Curl.run(arguments) else { return }
        let seen = try JSONDecoder().decode(Cookies.self, from: outcome)
        #expect(seen.cookies == ["ours": "1", "theirs": "2"])
        let back = try NetscapeCookies.parse(String(contentsOf: theirs, encoding: .utf8))
        #expect(Set(back.map(\.name)) == ["ours", "theirs"])
        let other = CookieJar()
        try await other.set(back)
        let echo = try await jarChain(.urlSession, other).send(.get("\(base)/cookies"), as: Cookies.self)
        #expect(echo.cookies == ["ours": "1", "theirs": "2"])
    }
}
#endif
