import Foundation
import HTTPChain
import HTTPChainAuthDigest
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainSupport
import HTTPChainTesting
import HTTPTypes
import TestSupport
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

    @Test("A jar for each user needs a cache and coalescing that tell users apart")
    func jarsOfUsers() async throws {
        let jars = ["ada": CookieJar(), "ben": CookieJar()]
        func chain(_ sharing: any Middleware, isNested: Bool) throws -> Chain {
            let cookies = CookieMiddleware { request in jars[request.headers[.from] ?? ""] }
            guard isNested else { return try Chain([cookies, sharing], transport: InMemoryTransport()) }
            let inner = try Chain([sharing], transport: InMemoryTransport())
            return try Chain([cookies], transport: inner)
        }
        let store = MemoryCacheStore(bounds: CacheBounds(totalBytes: .megabytes(1)))
        let stages: [(UserPartition) -> any Middleware] = [
            { CacheMiddleware(store: store, partition: $0) }, { CoalescingMiddleware(partition: $0) },
        ]
        for stage in stages {
            for isNested in [false, true] {
                let error = #expect(throws: ChainOrderError.self) { try chain(stage(.none), isNested: isNested) }
                #expect(error?.reason.contains("has a jar for each user") == true)
                #expect(error?.recoverySuggestion?.contains("partition: .by { … }") == true)
                for partition in [UserPartition.shared, .byCredentials, .by { (_: Request) -> String? in "ada" }] {
                    _ = try chain(stage(partition), isNested: isNested)
                }
            }
        }
        _ = try Chain([CookieMiddleware(CookieJar()), stages[1](.none)], transport: InMemoryTransport())
    }

    @Test("A cookie that is set for one caller does not go into the jar of another who waits for the same response")
    func sharedResponse() async throws {
        let transport = InMemoryTransport()
        let gate = Rendezvous()
        let count = Locked(0)
        transport.on(.get, "*") { _ in
            try await gate.wait()
            let number = count.withLock { count in
                count += 1
                return count
            }
            return Response(.ok, headers: [.setCookie: "sid=\(number)"], body: "text")
        }
        let jars = ["ada": CookieJar(), "ben": CookieJar()]
        let chosen = Locked(0)
        let chain = try Chain(transport: transport) {
            CookieMiddleware { request in
                chosen.withLock { $0 += 1 }
                return jars[request.headers[.from] ?? ""]
            }
            CoalescingMiddleware(partition: .shared, ignoring: CoalescingMiddleware.callFields + [.from])
        }
        let calls = ["ada", "ben"].map { name in
            Task { try await chain.send(.get("https://a.example/", headers: [.from: name])) }
        }
        try await until { transport.requestCount == 1 && chosen.withLock { $0 } == 2 }
        gate.reach()
        for call in calls { _ = try await call.value }
        let ids = [await jars["ada"]?.cookies(), await jars["ben"]?.cookies()].map { $0?.map(\.value.revealed) }
        #expect(Set(ids) == [["1"], ["2"]])
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
        try await jar.set([Cookie("n", "0", domain: "a.example", isSecure: true)])
        let hit = try await chain.send(.get(url))
        #expect(try await hit.body.text() == "n=0")
        #expect(hit.cookieOutcomes.isEmpty)
        #expect(transport.requests.count == 2)
        #expect(await jar.cookies().map(\.isSecure) == [true])
    }

    enum Comeback: CaseIterable {
        case validated, validatedWithCookie, staleAfterError, staleAfterErrorWithCookie, staleWithoutConnection
        case validatedInBackground
    }

    @Test(
        "A stored response does not set its cookies again after a sign-out, and fields received for the call do",
        arguments: Comeback.allCases
    )
    func signedOut(comeback: Comeback) async throws {
        let transport = InMemoryTransport()
        let clock = VirtualClock()
        let jar = CookieJar()
        let revalidator = CacheRevalidator()
        let chain = try Chain(transport: transport, environment: .virtual(clock)) {
            CookieMiddleware(jar)
            CacheMiddleware(
                store: .memory(limit: .megabytes(1)),
                partition: .by { _ in "ada" },
                revalidator: revalidator
            )
        }
        let request = Request.get("https://a.example/")
        let lifetime = comeback == .validatedInBackground ? "stale-while-revalidate=600" : "stale-if-error=600"
        transport.enqueue(
            ScriptedReply(
                .ok,
                headers: [.cacheControl: "max-age=1, \(lifetime)", .eTag: "\"1\"", .setCookie: "sid=old"],
                body: "text"
            )
        )
        #expect(try await chain.send(request).body.text() == "text")
        #expect(await jar.cookies().map(\.value.revealed) == ["old"])
        try await jar.removeAll()
        clock.advance(by: .seconds(5))
        let expected: [String]
        switch comeback {
        case .validated:
            transport.enqueue(ScriptedReply(.notModified, headers: [.eTag: "\"1\""]))
            expected = []
        case .validatedWithCookie, .validatedInBackground:
            transport.enqueue(ScriptedReply(.notModified, headers: [.eTag: "\"1\"", .setCookie: "sid=new"]))
            expected = ["new"]
        case .staleAfterError:
            transport.enqueue(ScriptedReply(.serviceUnavailable))
            expected = []
        case .staleAfterErrorWithCookie:
            transport.enqueue(ScriptedReply(.serviceUnavailable, headers: [.setCookie: "wait=1"]))
            expected = ["1"]
        case .staleWithoutConnection:
            transport.enqueue(.failure(.beforeHead()))
            expected = []
        }
        #expect(try await chain.send(request).body.text() == "text")
        try await revalidator.waitUntilIdle()
        #expect(transport.requests.count == 2)
        #expect(await jar.cookies().map(\.value.revealed) == expected)
    }

    @Test(
        "Cookies of a response that a stage discards are stored, and sent with the next attempt",
        arguments: [(503, nil), (401, nil), (415, nil), (503, "own=1")]
    )
    func discarded(code: Int, own: String?) async throws {
        let transport = InMemoryTransport()
        let digest = #"Digest realm="a", nonce="n", qop="auth", algorithm=SHA-256"#
        transport.enqueue(
            ScriptedReply(
                HTTPResponse.Status(code: code),
                headers: [.setCookie: "session=s1", .wwwAuthenticate: digest, .acceptEncoding: "identity"]
            )
        )
        transport.enqueue(.text("welcome"))
        let jar = CookieJar()
        try await jar.set([Cookie("kept", "1", domain: "a.example"), Cookie("session", "s0", domain: "a.example")])
        let chain = try Chain(transport: transport, environment: .virtual(.init(isAutomatic: true))) {
            CookieMiddleware(jar)
            GzipMiddleware(requests: CompressionSettings(minimumSize: .bytes(1)))
            RetryMiddleware()
            DigestAuthMiddleware(user: "ada", password: "hunter2", for: ["https://a.example"])
        }
        var request = Request.put("https://a.example/", body: HTTPBody(String(repeating: "text", count: 100)))
        request.headers[.contentType] = "text/plain"
        request.headers[.cookie] = own
        #expect(try await chain.send(request).body.text() == "welcome")
        let sent = transport.requests.map { $0.headers[values: .cookie].joined(separator: "; ") }
        #expect(sent == (own.map { [$0, $0] } ?? ["kept=1; session=s0", "kept=1; session=s1"]))
        #expect(await jar.cookies().map(\.value.revealed).sorted() == ["1", "s1"])
    }

    @Test("No value of a cookie shows in a trace")
    func trace() async throws {
        let transport = InMemoryTransport()
        transport.on(.get, "/*", reply: .init(.ok, headers: [.setCookie: "sid=hunter2; Domain=com"]))
        let jar = CookieJar()
        try await jar.set([Cookie("sid", "hunter2", domain: "a.example")])
        let traced = try await chain(transport, jar: jar).trace(.get("https://a.example/").cookies(["b": "hunter2"]))
        #expect(transport.requests.first?.headers[.cookie] == "b=hunter2; sid=hunter2")
        #expect(!"\(traced)".contains("hunter2"))
        #expect(!traced.trace.html().contains("hunter2"))
        #expect("\(traced.trace)".contains("Set-Cookie"))
    }
}
