import Foundation
import HTTPChain
import HTTPChainContentDigest
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import Testing

@Suite("Stages inside the limit of a call", .timeLimit(.minutes(10)))
struct DeadlineKeepingTests {
    private static let url = "https://api.example.com/items"
    private let clock = VirtualClock.automatic()

    private func request(_ method: HTTPRequest.Method, _ body: HTTPBody = .empty) -> Request {
        var request = Request(method, Self.url, body: body)
        request.environment.time = clock
        return request
    }

    /// The stages that stand inside a limit of the whole call.
    static let stages: [any Middleware] = [
        AttemptTimeoutMiddleware(), BearerAuthMiddleware(token: "secret", for: url),
        CacheMiddleware(store: .memory(limit: .megabytes(1)), partition: .shared), CircuitBreakerMiddleware(),
        CoalescingMiddleware(partition: .shared), ConcurrencyLimitMiddleware(.fixed(1)), ContentDigestMiddleware(),
        CookieMiddleware(), FallbackMiddleware(.response(Response(.ok))), GzipMiddleware(), HeadersMiddleware(),
        HedgingMiddleware(), LoadSheddingMiddleware(), RateLimitMiddleware(RateLimit(1, per: .seconds(1))),
        RedirectMiddleware(),
        RequestProcessorMiddleware(), RetryMiddleware(), SerializerMiddleware(.json), StatusValidationMiddleware(),
        URLBuilderMiddleware(base: url),
    ]

    @Test("No stage of the package needs a task that cancels it at the deadline", arguments: stages.indices)
    func noTask(index: Int) throws {
        let stage = Self.stages[index]
        let chain = try Chain(transport: InMemoryTransport(), order: .unchecked) { stage }
        #expect(chain.capabilities.contains(.keepsDeadlines), "\(stage.summary.name)")
    }

    @Test("A fallback that hangs ends at the deadline, and the call fails with its own error")
    func hangingFallback() async throws {
        let transport = InMemoryTransport()
        transport.enqueue(.init(.internalServerError))
        let time = clock
        let fallback = Fallback.perform("hangs") { _, _ in
            try await time.sleep(for: .seconds(600))
            return nil
        }
        let chain = try Chain(transport: transport) {
            TimeoutMiddleware(.seconds(30))
            FallbackMiddleware(fallback)
        }
        let response = try await chain.send(request(.get))
        #expect(response.status == .internalServerError)
        #expect(clock.elapsed == .seconds(30))
    }

    @Test("A body that keeps a digest waiting ends the call at the deadline")
    func hangingBody() async throws {
        let time = clock
        let body = HTTPBody.replayable(chunks: {
            try await time.sleep(for: .seconds(600))
            return AsyncStream<Data> { $0.finish() }
        })
        let chain = try Chain(transport: InMemoryTransport()) {
            TimeoutMiddleware(.seconds(30))
            ContentDigestMiddleware(requests: [.contentDigest(.sha256)])
        }
        let error = await #expect(throws: TimeoutError.self) {
            try await chain.send(request(.post, body))
        }
        #expect(error?.scope == .call)
        #expect(clock.elapsed == .seconds(30))
    }
}
