#if AllTests && Tracing
import HTTPChainAuth
import HTTPChainCache
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainRedirect
import HTTPChainRetry
import HTTPChainTesting
import HTTPChainTracing
import HTTPTypes
import InMemoryTracing
import TestSupport
import Testing
import Tracing

@Suite("What stages did before an attempt", .timeLimit(.minutes(10)))
struct StageEventTests {
    private let tracer = InMemoryTracer()

    /// The names of the events of each attempt.
    private var names: [[String]] { tracer.finishedSpans.map { $0.events.map(\.name) } }

    @Test("The wait before a retry is on the attempt after it, with its length, and began before it")
    func backoff() async throws {
        let transport = InMemoryTransport()
        transport.enqueue([.status(.serviceUnavailable, headers: [.retryAfter: "3"]), .status(.ok)])
        let chain = try Chain(transport: transport) {
            RetryMiddleware()
            TracingMiddleware(tracer: tracer)
        }
        _ = try await chain.send(.get(url).on(.automatic()))
        #expect(names == [[], ["httpchain.retry.backoff"]])
        let span = try #require(tracer.finishedSpans.last)
        let event = try #require(span.events.first)
        guard case .double(let delay)? = event.attributes["httpchain.delay"]?.toSpanAttribute() else {
            Issue.record("the delay is no number: \(event.attributes)")
            return
        }
        #expect(delay >= 3)
        let waited = Double(span.startInstant.nanosecondsSinceEpoch - event.nanosecondsSinceEpoch) / 1e9
        #expect(abs(waited - delay) < 0.001)
    }

    @Test("A redirect is on the attempt that follows it")
    func redirect() async throws {
        let transport = InMemoryTransport()
        transport.enqueue([.status(.found, headers: [.location: "/elsewhere"]), .status(.ok)])
        let chain = try Chain(transport: transport) {
            RedirectMiddleware()
            TracingMiddleware(tracer: tracer)
        }
        _ = try await chain.send(.get(url))
        #expect(names == [[], ["httpchain.redirect"]])
    }

    @Test("Why the cache asked the server is on the attempt")
    func cache() async throws {
        let transport = InMemoryTransport()
        let fields: HTTPFields = [.cacheControl: "max-age=60", .eTag: "\"1\""]
        transport.enqueue([.status(.ok, headers: fields, body: "stored"), .status(.notModified, headers: fields)])
        let chain = try Chain(transport: transport) {
            CacheMiddleware(store: .memory(limit: .megabytes(1)))
            TracingMiddleware(tracer: tracer)
        }
        let clock = VirtualClock()
        for _ in 1...2 {
            _ = try await chain.send(.get(url).on(clock)).body.collect()
            clock.advance(by: .seconds(100))
        }
        #expect(names == [["httpchain.cache.forward"], ["httpchain.cache.forward"]])
        let reasons = tracer.finishedSpans.map { span in
            span.events.first?.attributes["httpchain.cache.reason"]?.toSpanAttribute()
        }
        #expect(reasons == [SpanAttribute.string("uri-miss"), SpanAttribute.string("stale")])
    }

    @Test("A token that was refreshed is on the attempt that has it, and the token is not")
    func refresh() async throws {
        let transport = InMemoryTransport { request in
            request.headers[.authorization] == "Bearer s3cret-two"
                ? Response(.ok) : Response(.unauthorized, headers: [.wwwAuthenticate: "Bearer error=\"invalid_token\""])
        }
        let tokens = Locked(["s3cret-two", "s3cret-one"])
        let chain = try Chain(transport: transport) {
            BearerAuthMiddleware(
                ClosureAccessTokenProvider { _, _ in
                    AccessToken(Secret(tokens.withLock { $0.popLast() } ?? "none"))
                },
                for: "https://api.example.com"
            )
            TracingMiddleware(tracer: tracer)
        }
        #expect(try await chain.send(.get(url)).status == .ok)
        #expect(names == [["httpchain.auth.refresh"], ["httpchain.auth.refresh"]])
        for span in tracer.finishedSpans { #expect(!"\(span.events)".contains("s3cret")) }
    }

    @Test("Without a tracer nothing is kept, and no more than a few dozen events with one")
    func bounded() async throws {
        var request = Request.get(url)
        request.noteEvent("nobody", [("n", 1)])
        #expect(request.callRecord == nil)
        let record = request.recordCall()
        for _ in 0..<1000 { request.noteEvent("again") }
        #expect(record.takeEvents().count == 32)
        #expect(record.takeEvents().isEmpty)
    }
}
#endif
