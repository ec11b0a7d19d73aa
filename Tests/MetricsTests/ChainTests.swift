#if AllTests
import Foundation
import HTTPChainAuth
import HTTPChainCache
import HTTPChainCoalescing
import HTTPChainCore
import HTTPChainGzip
import HTTPChainHedging
import HTTPChainInMemory
import HTTPChainMetrics
import HTTPChainRedirect
import HTTPChainRetry
import HTTPChainTesting
import HTTPChainTimeout
import HTTPChainURLBuilder
import HTTPTypes
import TestSupport
import Testing

@Suite("Metrics among other stages", .timeLimit(.minutes(10)))
struct ChainTests {
    private let calls = MetricsRecorder()
    private let attempts = MetricsRecorder()

    private var ofCalls: MetricsMiddleware { MetricsMiddleware(each: .call, factory: calls) }
    private var ofAttempts: MetricsMiddleware { MetricsMiddleware(factory: attempts) }

    @Test("A call that was retried is one call and three attempts, with two retries")
    func retry() async throws {
        let transport = InMemoryTransport()
        transport.enqueue([.status(.serviceUnavailable), .status(.serviceUnavailable), .status(.ok)])
        let chain = try Chain(transport: transport) {
            ofCalls
            RetryMiddleware()
            ofAttempts
        }
        _ = try await chain.send(.get(url).on(.automatic()))
        #expect(calls.samples(of: "httpchain.client.call.duration").map { $0["http.response.status_code"] } == ["200"])
        #expect(calls.values(of: "httpchain.client.call.retries") == [2])
        #expect(calls.values(of: "httpchain.client.call.redirects").isEmpty)
        let durations = attempts.samples(of: "http.client.request.duration")
        #expect(durations.map { $0["http.response.status_code"] } == ["503", "200"])
        #expect(durations.map(\.values.count) == [2, 1])
        #expect(attempts.values(of: "http.client.active_requests") == [0])
        #expect(calls.values(of: "httpchain.client.active_calls") == [0])
    }

    @Test("Redirects and challenges are no retries, and a call belongs to the server that it was sent to first")
    func redirect() async throws {
        let transport = InMemoryTransport { request in
            if request.head.authority == "api.example.com" {
                return Response(.found, headers: [.location: "https://other.example.com/new"])
            }
            return request.headers[.authorization] == nil
                ? Response(.unauthorized, headers: [.wwwAuthenticate: "Basic realm=\"a\""]) : Response(.ok)
        }
        let chain = try Chain(transport: transport) {
            ofCalls
            URLBuilderMiddleware(base: "https://api.example.com/v2")
            RedirectMiddleware()
            RetryMiddleware()
            BasicAuthMiddleware(
                .fixed(user: "ada", password: "lovelace", for: "https://other.example.com")
            )
            ofAttempts
        }
        #expect(try await chain.send(.get("plants").on(.automatic())).status == .ok)
        #expect(calls.values(of: "httpchain.client.call.redirects") == [1])
        #expect(calls.values(of: "httpchain.client.call.retries").isEmpty)
        let call = try #require(calls.samples(of: "httpchain.client.call.duration").first)
        #expect(call["server.address"] == "api.example.com")
        #expect(
            attempts.samples(of: "http.client.request.duration").map { $0["server.address"] }
                == ["api.example.com", "other.example.com", "other.example.com"]
        )
    }

    @Test("What the cache did is counted, and its hits are no attempts")
    func cache() async throws {
        let transport = InMemoryTransport { _ in Response(.ok, headers: [.cacheControl: "max-age=60"], body: "stored") }
        let chain = try Chain(transport: transport) {
            ofCalls
            CacheMiddleware(store: .memory(limit: .megabytes(1)))
            ofAttempts
        }
        let clock = VirtualClock()
        for _ in 1...3 { #expect(try await chain.send(.get(url).on(clock)).body.text() == "stored") }
        clock.advance(by: .seconds(90))
        #expect(try await chain.send(.get(url).on(clock)).body.text() == "stored")
        let results = calls.samples(of: "httpchain.client.call.cache")
        #expect(results.map { $0["httpchain.cache.result"] } == ["uri-miss", "hit", "stale"])
        #expect(results.map(\.values) == [[1], [2], [1]])
        #expect(attempts.values(of: "http.client.request.duration").count == 2)
        #expect(calls.values(of: "httpchain.client.call.duration").count == 4)
    }

    @Test("A call's size is that of the content, an attempt's that of what is sent")
    func sizes() async throws {
        let text = String(repeating: "what is said again and again, ", count: 200)
        let transport = InMemoryTransport { request in
            Response(.ok, headers: [.contentEncoding: "gzip"], body: HTTPBody(try await request.body.collect()))
        }
        let chain = try Chain(transport: transport) {
            ofCalls
            GzipMiddleware(requests: CompressionSettings(minimumSize: 1))
            ofAttempts
        }
        let response = try await chain.send(.post(url, headers: [.contentType: "text/plain"], body: HTTPBody(text)))
        #expect(try await response.body.text() == text)
        let size = Double(text.utf8.count)
        #expect(calls.values(of: "httpchain.client.call.request.size") == [size])
        #expect(calls.values(of: "httpchain.client.call.response.size") == [size])
        let sent = try #require(attempts.values(of: "http.client.request.body.size").first)
        let received = try #require(attempts.values(of: "http.client.response.body.size").first)
        #expect(sent == received && sent > 0 && sent < size / 10)
    }

    @Test("The losing hedged attempt isn't an error, and none stays in flight")
    func hedging() async throws {
        let clock = VirtualClock()
        let transport = ClosureTransport.delayed(by: .seconds(60)) { $0.attempt == 1 }
        let chain = try Chain(transport: transport) {
            HedgingMiddleware(HedgingPolicy(after: .fixed(.milliseconds(100))), budget: nil)
            ofAttempts
        }
        async let answer = chain.send(.get(url).on(clock))
        try await clock.waitForSleepers(count: 2)
        clock.advance(by: .milliseconds(100))
        #expect(try await answer.status == .ok)
        let durations = attempts.samples(of: "http.client.request.duration")
        #expect(durations.allSatisfy { $0["error.type"] == nil })
        #expect(durations.flatMap(\.values).count == 2)
        #expect(attempts.values(of: "http.client.active_requests") == [0])
    }

    @Test("Calls that share a transfer are two calls and one attempt")
    func coalescing() async throws {
        let mayAnswer = Rendezvous()
        let transport = ClosureTransport { _ in
            try await mayAnswer.wait()
            return Response(.ok, body: .chunks(["shared"]))
        }
        let coalescing = CoalescingMiddleware()
        let chain = try Chain(transport: transport) {
            ofCalls
            coalescing
            ofAttempts
        }
        async let first = chain.send(.get(url)).body.text()
        async let second = chain.send(.get(url)).body.text()
        try await until("both calls to wait") { coalescing.transfers.waiterCount == 2 }
        #expect(calls.values(of: "httpchain.client.active_calls") == [2])
        mayAnswer.reach()
        #expect(try await [first, second] == ["shared", "shared"])
        try await until("both calls have ended") { calls.values(of: "httpchain.client.call.duration").count == 2 }
        #expect(calls.values(of: "httpchain.client.active_calls") == [0])
        #expect(calls.values(of: "httpchain.client.call.response.size") == [6, 6])
        #expect(attempts.values(of: "http.client.request.duration").count == 1)
    }

    @Test("A call whose time is up has timed out, and so has its attempt")
    func deadline() async throws {
        let clock = VirtualClock()
        let transport = ClosureTransport.delayed(by: .seconds(60))
        let chain = try Chain(transport: transport) {
            ofCalls
            TimeoutMiddleware(.seconds(5))
            ofAttempts
        }
        let call = Task { try await chain.send(.get(url).on(clock)) }
        try await clock.waitForDeadline(.seconds(5))
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(5))
        await #expect(throws: TimeoutError.self) { try await call.value }
        #expect(calls.samples(of: "httpchain.client.call.duration").map { $0["error.type"] } == ["timeout"])
        try await until("the attempt has ended") { !attempts.values(of: "http.client.request.duration").isEmpty }
        #expect(attempts.samples(of: "http.client.request.duration").map { $0["error.type"] } == ["timeout"])
    }

    @Test("The template is that of the URL builder, for calls and attempts, and not for another path")
    func template() async throws {
        let transport = InMemoryTransport { request in
            request.head.path == "/new" ? Response(.ok) : Response(.found, headers: [.location: "/new"])
        }
        let chain = try Chain(transport: transport) {
            MetricsMiddleware(each: .call, factory: calls, telling: [.urlTemplate])
            URLBuilderMiddleware(base: "https://api.example.com/v2")
            RedirectMiddleware()
            MetricsMiddleware(factory: attempts, telling: [.urlTemplate])
        }
        for id in 1...3 { _ = try await chain.send(.get("users/{id}", path: ["id": .init(id)])) }
        #expect(calls.samples(of: "httpchain.client.call.duration").map { $0["url.template"] } == ["/v2/users/{id}"])
        #expect(
            attempts.samples(of: "http.client.request.duration").map { $0["url.template"] } == ["/v2/users/{id}", nil]
        )
    }

    @Test("Two stages that measure the same are warned of, and the wrong order is refused")
    func order() throws {
        let twice = try Chain(transport: InMemoryTransport()) {
            ofAttempts
            ofAttempts
        }
        #expect(twice.warnings.count == 1)
        let once = try Chain(transport: InMemoryTransport()) {
            ofCalls
            ofAttempts
        }
        #expect(once.warnings.isEmpty)
        #expect(throws: ChainOrderError.self) {
            try Chain(transport: InMemoryTransport()) {
                ofAttempts
                RetryMiddleware()
            }
        }
    }

    @Test(
        "10,000 calls at once, a third of them cancelled: nothing stays in flight, and none of the cancelled is an error"
    )
    func cancellation() async throws {
        let transport = ClosureTransport { request in
            try await request.environment.time.sleep(for: .seconds(1))
            return Response(.ok, body: .chunks(["a"]))
        }
        let chain = try Chain(transport: transport) {
            ofCalls
            ofAttempts
        }
        let count = 10_000
        await chain.sendMany(.get(url), count: count)
        try await until("nothing is in flight") {
            attempts.values(of: "http.client.active_requests") == [0]
                && calls.values(of: "httpchain.client.active_calls") == [0]
        }
        let durations = attempts.samples(of: "http.client.request.duration")
        #expect(durations.flatMap(\.values).count == count)
        #expect(durations.allSatisfy { $0["error.type"] == nil })
    }
}
#endif
