#if AllTests
import Foundation
import HTTPChainAuth
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import Testing

@testable import HTTPChainAuthDigest

private let base = "https://plants.example"
private let proxyURL = "http://proxy.example:3128"

@Suite("Where an answer is sent preemptively", .timeLimit(.minutes(10)))
struct SpaceTests {
    /// How many of the requests went out without an answer.
    private func unanswered(
        _ urls: [String],
        domain: String?,
        for origins: OriginSet = ["https://plants.example", "https://trees.example", "http://plants.example"]
    ) async throws -> [Bool] {
        let server = DigestServer { $0.domain = domain }
        let chain = try server.chain(DigestAuthMiddleware(user: "ada", password: "lovelace", for: origins))
        var result: [Bool] = []
        for url in urls {
            let before = server.unanswered
            _ = try await chain.send(.get(url))
            result.append(server.unanswered > before)
        }
        return result
    }

    @Test(
        "The domain says where, and without one it is the whole origin",
        arguments: [
            (nil, "/x", false), ("", "/x", false), ("/a", "/a/b", false), ("/a", "/a?q", false), ("/a", "/b", true),
            ("/b /a", "/b/c", false), ("https://plants.example/b", "/b/c", false),
            ("https://plants.example:443", "/b", false), ("https://plants.example:8443/", "/b", true),
            ("//plants.example/b", "/b", false), ("http://plants.example/", "/b", true), ("b", "/b", true),
            ("*", "/b", true), ("https://plants.example.evil.example/", "/b", true),
        ]
    )
    func domain(domain: String?, path: String, isAsked: Bool) async throws {
        #expect(
            try await unanswered(["\(base)/a", base + path], domain: domain) == [true, isAsked],
            "\(domain ?? "")"
        )
    }

    @Test("Another origin in the domain counts only where the provider is bound to it")
    func otherOrigins() async throws {
        let urls = ["\(base)/a", "https://trees.example/t/1", "https://evil.example/t/1", "https://trees.example/u"]
        let domain = "/ https://trees.example/t https://evil.example/"
        #expect(try await unanswered(urls, domain: domain) == [true, false, true, true])
        #expect(try await unanswered(urls, domain: domain, for: "https://plants.example") == [true, true, true, true])
    }

    @Test("A provider that does not say what it is bound to keeps answers at their origin")
    func unbound() async throws {
        let server = DigestServer { $0.domain = "/ https://trees.example/" }
        let chain = try server.chain(DigestAuthMiddleware(CountingProvider("lovelace")))
        for url in ["\(base)/a", "https://trees.example/t"] { #expect(try await chain.send(.get(url)).status == .ok) }
        #expect(server.unanswered == 2)
    }

    @Test("Of two realms at one origin each keeps its own part, so that neither is asked twice")
    func twoRealms() async throws {
        let one = DigestServer { $0.realm = "one" }
        let two = DigestServer { $0.realm = "two" }
        let transport = InMemoryTransport { request in
            try await (request.head.path?.hasPrefix("/one/") == true ? one : two).handle(request)
        }
        let chain = try Chain(transport: transport) { DigestAuthMiddleware(CountingProvider("lovelace")) }
        for path in ["/one/a", "/two/a", "/one/b", "/two/b", "/one/c?x", "/two/c/d"] {
            #expect(try await chain.send(.get(base + path)).status == .ok)
        }
        // The first request to /two/ carries an answer for the realm "one".
        #expect(one.unanswered == 1 && one.refused.isEmpty)
        #expect(two.unanswered == 0 && two.refused == ["incomplete"])
        #expect(one.accepted.map(\.count) == [1, 3, 4])
        #expect(two.accepted.map(\.count) == [1, 2, 3])
    }

    @Test("Only so many spaces are remembered, those used last")
    func capacity() async throws {
        let servers = Locked<[String: DigestServer]>([:])
        let transport = InMemoryTransport { request in
            let host = request.head.authority ?? ""
            let server = servers.withLock { servers in
                let server = servers[host] ?? DigestServer()
                servers[host] = server
                return server
            }
            return try await server.handle(request)
        }
        let authenticator = DigestAuthenticator(CountingProvider("lovelace"), rememberedSpaces: 2)
        let chain = try Chain(transport: transport) { DigestAuthMiddleware(authenticator) }
        for host in ["a", "b", "a", "c", "a", "b"] {
            #expect(try await chain.send(.get("https://\(host).example/")).status == .ok)
        }
        #expect(authenticator.spaces.known.withLock { $0.count } == 2)
        let asked = servers.withLock { servers in servers.mapValues(\.unanswered) }
        #expect(asked == ["a.example": 1, "b.example": 2, "c.example": 1])
    }
}

@Suite("Proxies", .timeLimit(.minutes(10)))
struct ProxyTests {
    @Test("A proxy's 407 is answered with the whole URL, and proves itself in a field of its own")
    func proxy() async throws {
        let server = DigestServer {
            $0.target = .proxy
            $0.proof = .right
            $0.givesNextNonce = true
        }
        let stage = DigestAuthMiddleware(.fixed(user: "ada", password: "lovelace", for: proxyURL), proxy: proxyURL)
        let chain = try server.chain(stage)
        for url in ["http://plants.example/a?b", "http://trees.example/"] {
            let response = try await chain.send(.get(url))
            #expect(response.status == .ok)
            #expect(response.serverProof == .verified)
        }
        #expect(server.accepted.map(\.uri) == ["http://plants.example/a?b", "http://trees.example/"])
        #expect(server.unanswered == 1)
    }

    @Test("Proxy and server each get their own answer")
    func both() async throws {
        let proxy = DigestServer {
            $0.target = .proxy
            $0.realm = "proxy"
        }
        let server = DigestServer()
        let transport = InMemoryTransport { request in
            let response = try await proxy.handle(request)
            return response.status == .ok ? try await server.handle(request) : response
        }
        let chain = try Chain(transport: transport) {
            DigestAuthMiddleware(user: "ada", password: "lovelace", for: "http://plants.example")
            DigestAuthMiddleware(.fixed(user: "ada", password: "lovelace", for: proxyURL), proxy: proxyURL)
        }
        for _ in 0..<2 { #expect(try await chain.send(.get("http://plants.example/a")).status == .ok) }
        #expect(server.unanswered == 1 && proxy.unanswered == 1)
        #expect(server.refused.isEmpty && proxy.refused.isEmpty)
    }

    @Test("A 401 of a proxy's stage and a 407 of a server's stage pass")
    func others() async throws {
        let server = DigestAuthMiddleware(user: "ada", password: "lovelace", for: "http://plants.example")
        let headers: HTTPFields = [.proxyAuthenticate: "Digest realm=r, nonce=n"]
        let outcome = await StageHarness(server).send(
            .get("http://plants.example/"),
            answering: .status(.proxyAuthenticationRequired, headers: headers)
        )
        #expect(outcome.requests.count == 1)
        let proxy = DigestAuthMiddleware(.fixed(user: "ada", password: "lovelace", for: proxyURL), proxy: proxyURL)
        let second = await StageHarness(proxy).send(
            .get("http://plants.example/"),
            answering: .status(.unauthorized, headers: [.wwwAuthenticate: "Digest realm=r, nonce=n"])
        )
        #expect(second.requests.count == 1)
    }
}
#endif
