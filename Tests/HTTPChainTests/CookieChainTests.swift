import Foundation
import HTTPChain
import HTTPChainInMemory
import HTTPChainTesting
import Testing

@Suite("Cookies between redirects and the cache", .timeLimit(.minutes(10)))
struct CookieChainTests {
    private func chain(_ transport: InMemoryTransport, jar: CookieJar, cache: Bool = false) throws -> Chain {
        try Chain(transport: transport) {
            RedirectMiddleware()
            CookieMiddleware(jar)
            if cache { CacheMiddleware(store: .memory(limit: .megabytes(1)), partition: .by { _ in "ada" }) }
        }
    }

    @Test("A site that sets a cookie and redirects to itself is no loop")
    func setAndRedirect() async throws {
        let transport = InMemoryTransport()
        transport.on(.get, "https://a.example/page") { request in
            request.headers[.cookie] == "seen=1"
                ? .init(.ok, body: "welcome")
                : .init(.found, headers: [.location: "/page", .setCookie: "seen=1"])
        }
        let response = try await chain(transport, jar: CookieJar()).send(.get("https://a.example/page"))
        #expect(try await response.body.text() == "welcome")
        #expect(transport.requests.count == 2)
    }

    @Test("Each hop sends the cookies of its own host, and a call's own cookies stay with the first")
    func hops() async throws {
        let transport = InMemoryTransport()
        transport.on(.get, "https://a.example/", reply: .init(.found, headers: [.location: "https://b.example/"]))
        transport.on(.get, "https://b.example/", reply: .init(.found, headers: [.location: "https://a.example/end"]))
        transport.on(.get, "https://a.example/end", reply: .text("end"))
        let jar = CookieJar()
        try await jar.set([Cookie("a", "1", domain: "a.example"), Cookie("b", "2", domain: "b.example")])
        _ = try await chain(transport, jar: jar).send(.get("https://a.example/").cookies(["own": "x"]))
        #expect(transport.requests.map { $0.headers[.cookie] } == ["own=x; a=1", "b=2", "a=1"])
    }

    @Test("The cache sees the cookies that are sent, and what it answers sets none")
    func cache() async throws {
        let transport = InMemoryTransport()
        transport.on(.get, "/*") { request in
            .init(
                .ok,
                headers: [.cacheControl: "max-age=60", .vary: "Cookie", .setCookie: "n=0"],
                body: .init(request.headers[.cookie] ?? "none")
            )
        }
        let jar = CookieJar()
        let chain = try chain(transport, jar: jar, cache: true)
        let url = "https://a.example/"
        #expect(try await chain.send(.get(url)).body.text() == "none")
        #expect(try await chain.send(.get(url)).body.text() == "n=0")
        #expect(transport.requests.count == 2)
        // From here on the jar's cookie is the application's; a stored response must not bring the old one back.
        try await jar.set(Cookie("n", "0", domain: "a.example", isSecure: true))
        let hit = try await chain.send(.get(url))
        #expect(try await hit.body.text() == "n=0")
        #expect(hit.cookieOutcomes.isEmpty)
        #expect(transport.requests.count == 2)
        #expect(await jar.cookies().map(\.isSecure) == [true])
    }

    @Test("No value of a cookie shows in a trace")
    func trace() async throws {
        let transport = InMemoryTransport()
        transport.on(.get, "/*", reply: .init(.ok, headers: [.setCookie: "sid=hunter2; Domain=com"]))
        let jar = CookieJar()
        try await jar.set(Cookie("sid", "hunter2", domain: "a.example"))
        let traced = try await chain(transport, jar: jar).trace(.get("https://a.example/").cookies(["b": "hunter2"]))
        #expect(transport.requests.first?.headers[.cookie] == "b=hunter2; sid=hunter2")
        #expect(!"\(traced)".contains("hunter2"))
        #expect(!traced.trace.html().contains("hunter2"))
        #expect("\(traced.trace)".contains("Set-Cookie"))
    }
}
