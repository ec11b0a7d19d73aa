#if AllTests && Tracing
import Foundation
import HTTPChainAuth
import HTTPChainCache
import HTTPChainCoalescing
import HTTPChainCore
import HTTPChainHedging
import HTTPChainInMemory
import HTTPChainRedirect
import HTTPChainRetry
import HTTPChainTesting
import HTTPChainTimeout
import HTTPChainTracing
import HTTPChainURLBuilder
import HTTPTypes
import InMemoryTracing
import TestSupport
import Testing
import Tracing

@Suite("Tracing among other stages", .timeLimit(.minutes(10)))
struct ChainTests {
    private let tracer = InMemoryTracer()
    private var stage: TracingMiddleware { TracingMiddleware(tracer: tracer) }

    private var resendCounts: [String?] { tracer.finishedSpans.map { $0.texts["http.request.resend_count"] } }

    @Test("Each retry has a span, a sibling of the first, and counts up")
    func retry() async throws {
        let transport = InMemoryTransport()
        transport.enqueue([.status(.serviceUnavailable), .status(.serviceUnavailable), .status(.ok)])
        let chain = try Chain(transport: transport) {
            RetryMiddleware()
            stage
        }
        let outer = tracer.startSpan("outer")
        try await InstrumentationContext.withValue(outer.context) {
            _ = try await chain.send(.get(url).on(.automatic()))
        }
        let spans = tracer.finishedSpans
        #expect(resendCounts == [nil, "1", "2"])
        #expect(spans.map(\.parentSpanID) == Array(repeating: outer.spanID, count: 3))
        #expect(spans.map { $0.texts["error.type"] } == ["503", "503", nil])
        #expect(Set(spans.map(\.spanID)).count == 3)
    }

    @Test("Redirects count up, and the template of the first URL does not stand for the second")
    func redirect() async throws {
        let transport = InMemoryTransport()
        transport.enqueue([
            .status(.movedPermanently, headers: [.location: "/elsewhere"]), .status(.ok),
        ])
        let chain = try Chain(transport: transport) {
            URLBuilderMiddleware(base: "https://api.example.com/v2")
            RedirectMiddleware()
            stage
        }
        _ = try await chain.send(.get("users/{id}", path: ["id": 42]))
        #expect(resendCounts == [nil, "1"])
        #expect(tracer.finishedSpans.map(\.operationName) == ["GET /v2/users/{id}", "GET"])
        #expect(tracer.finishedSpans.map { $0.texts["url.template"] } == ["/v2/users/{id}", nil])
        #expect(tracer.finishedSpans.last?.texts["url.full"] == "https://api.example.com/elsewhere")
    }

    @Test("The answer to a challenge counts up, and the challenge is an error of its attempt")
    func challenge() async throws {
        let transport = InMemoryTransport { request in
            request.headers[.authorization] == nil
                ? Response(.unauthorized, headers: [.wwwAuthenticate: "Basic realm=\"a\""]) : Response(.ok)
        }
        let chain = try Chain(transport: transport) {
            BasicAuthMiddleware(
                .fixed(user: "ada", password: "lovelace", for: "https://api.example.com")
            )
            stage
        }
        #expect(try await chain.send(.get(url)).status == .ok)
        #expect(resendCounts == [nil, "1"])
        #expect(tracer.finishedSpans.map { $0.texts["error.type"] } == ["401", nil])
    }

    @Test("Retries of redirects of challenges have one count")
    func together() async throws {
        let transport = InMemoryTransport { request in
            switch (request.head.path, request.headers[.authorization], request.attempt) {
            case ("/plants", _, 1): return Response(.serviceUnavailable)
            case ("/plants", _, _): return Response(.found, headers: [.location: "/new"])
            case (_, nil, _): return Response(.unauthorized, headers: [.wwwAuthenticate: "Basic realm=\"a\""])
            default: return Response(.ok)
            }
        }
        let chain = try Chain(transport: transport) {
            RedirectMiddleware()
            RetryMiddleware()
            BasicAuthMiddleware(
                .fixed(user: "ada", password: "lovelace", for: "https://api.example.com")
            )
            stage
        }
        #expect(try await chain.send(.get(url).on(.automatic())).status == .ok)
        #expect(resendCounts == [nil, "1", "2", "3"])
    }

    @Test("A chain inside another counts with it, and two calls count apart")
    func nested() async throws {
        let inner = try Chain(transport: InMemoryTransport { _ in Response(.serviceUnavailable) }) { stage }
        let outer = try Chain(transport: inner) { RetryMiddleware(RetryPolicy(maximumAttempts: 2)) }
        for _ in 1...2 { _ = try await outer.send(.get(url).on(.automatic())) }
        #expect(resendCounts == [nil, "1", nil, "1"])
    }

    @Test("An answer of the cache has no span")
    func cache() async throws {
        let transport = InMemoryTransport { _ in Response(.ok, headers: [.cacheControl: "max-age=60"], body: "stored") }
        let chain = try Chain(transport: transport) {
            CacheMiddleware(store: .memory(limit: .megabytes(1)))
            stage
        }
        let clock = VirtualClock()
        for _ in 1...3 { #expect(try await chain.send(.get(url).on(clock)).body.text() == "stored") }
        #expect(tracer.finishedSpans.count == 1)
    }

    @Test("Of hedged attempts the loser, which was cancelled, is no error")
    func hedging() async throws {
        let clock = VirtualClock()
        let transport = ClosureTransport.delayed(by: .seconds(60)) { $0.attempt == 1 }
        let chain = try Chain(transport: transport) {
            HedgingMiddleware(HedgingPolicy(after: .fixed(.milliseconds(100))), budget: nil)
            stage
        }
        async let answer = chain.send(.get(url).on(clock))
        try await clock.waitForSleepers(count: 2)
        clock.advance(by: .milliseconds(100))
        #expect(try await answer.status == .ok)
        #expect(tracer.finishedSpans.allSatisfy { $0.status == nil })
        #expect(Set(resendCounts) == [nil, "1"])
    }

    @Test("Calls that share a transfer share its span, the child of the one that began it")
    func coalescing() async throws {
        let mayAnswer = Rendezvous()
        let transport = ClosureTransport { _ in
            try await mayAnswer.wait()
            return Response(.ok, body: .chunks(["shared"]))
        }
        let coalescing = CoalescingMiddleware()
        let chain = try Chain(transport: transport) {
            coalescing
            stage
        }
        let outer = tracer.startSpan("outer")
        async let first = InstrumentationContext.withValue(outer.context) {
            try await chain.send(.get(url)).body.text()
        }
        try await until("the first call to wait") { coalescing.transfers.waiterCount == 1 }
        async let second = chain.send(.get(url)).body.text()
        try await until("both calls to wait") { coalescing.transfers.waiterCount == 2 }
        mayAnswer.reach()
        #expect(try await [first, second] == ["shared", "shared"])
        try await until("the span has ended") { !tracer.finishedSpans.isEmpty }
        #expect(tracer.finishedSpans.map { $0.texts["http.response.status_code"] } == ["200"])
        #expect(tracer.finishedSpans.first?.parentSpanID == outer.spanID)
    }

    @Test("A call whose time is up has timed out, and was not cancelled")
    func deadline() async throws {
        let clock = VirtualClock()
        let transport = ClosureTransport.delayed(by: .seconds(60))
        let chain = try Chain(transport: transport) {
            TimeoutMiddleware(.seconds(5))
            stage
        }
        let call = Task { try await chain.send(.get(url).on(clock)) }
        try await clock.waitForDeadline(.seconds(5))
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(5))
        await #expect(throws: TimeoutError.self) { try await call.value }
        try await until("the span has ended") { !tracer.finishedSpans.isEmpty }
        #expect(tracer.finishedSpans.first?.texts["error.type"] == "timeout")
        #expect(tracer.finishedSpans.first?.status?.code == .error)
    }

    @Test("An attempt that was cancelled because its own time was up has timed out")
    func attemptTimeout() async throws {
        let clock = VirtualClock()
        let transport = ClosureTransport.delayed(by: .seconds(60))
        let chain = try Chain(transport: transport) {
            AttemptTimeoutMiddleware(.seconds(5))
            stage
        }
        let call = Task { try await chain.send(.get(url).on(clock)) }
        try await clock.waitForSleepers()
        try await clock.waitForDeadline(.seconds(5))
        clock.advance(by: .seconds(5))
        await #expect(throws: TimeoutError.self) { try await call.value }
        try await until("the span has ended") { !tracer.finishedSpans.isEmpty }
        #expect(tracer.finishedSpans.map { $0.texts["error.type"] } == ["timeout"])
    }

    @Test("What a transport throws because the caller has cancelled is no error")
    func cancelledOtherwise() async throws {
        let started = Counter()
        let transport = ClosureTransport { request in
            started.add()
            do {
                try await request.environment.time.sleep(for: .seconds(60))
            } catch {
                throw TransportError(.connectionLost, sent: .maybe, stage: "test")
            }
            return Response(.ok)
        }
        let chain = try Chain(transport: transport) { stage }
        let call = Task { try await chain.send(.get(url).on(VirtualClock())) }
        try await started.wait(until: 1)
        call.cancel()
        _ = await call.result
        #expect(tracer.finishedSpans.map { $0.texts["error.type"] } == [nil])
    }

    static let templates: [(reference: String, arguments: URLArguments, name: String)] = [
        ("users/{id}", URLArguments(path: ["id": 42]), "GET /v2/users/{id}"),
        ("/users/:id", URLArguments(path: ["id": 42]), "GET /v2/users/:id"),
        ("search{?q}", URLArguments(path: ["q": "x"]), "GET /v2/search{?q}"),
        ("users/42", URLArguments(), "GET"), ("at/12:30", URLArguments(), "GET"),
        ("users/{id}", URLArguments(path: ["id": 42], query: ["page": 2]), "GET /v2/users/{id}"),
        ("https://other.example.com/a/{id}", URLArguments(path: ["id": 42]), "GET /a/{id}"),
        ("https://{host}.example.com/a/{id}", URLArguments(path: ["id": 42, "host": "x"]), "GET /a/{id}"),
    ]

    @Test("The name has the template of a reference with variables, and never the path", arguments: 0..<templates.count)
    func template(index: Int) async throws {
        let (reference, arguments, name) = Self.templates[index]
        let chain = try Chain(transport: InMemoryTransport { _ in Response(.ok) }) {
            URLBuilderMiddleware(base: "https://api.example.com/v2")
            stage
        }
        var request = Request.get(reference)
        request.urlArguments = arguments
        _ = try await chain.send(request)
        #expect(tracer.finishedSpans.map(\.operationName) == [name])
    }

    @Test("A call can name its template itself")
    func ownTemplate() async throws {
        let chain = try Chain(transport: InMemoryTransport { _ in Response(.ok) }) { stage }
        _ = try await chain.send(.get("https://api.example.com/users/42").urlTemplate("/users/{id}"))
        #expect(tracer.finishedSpans.map(\.operationName) == ["GET /users/{id}"])
    }

    @Test("A chain without the stage refuses a parent for the spans of a call, and accepts a call without spans")
    func unread() async throws {
        let transport = InMemoryTransport { _ in Response(.ok) }
        let chain = try Chain(transport: transport)
        let context = tracer.startSpan("outer").context
        for request in [Request.get(url).tracing(childOf: context), .get(url).tracing(true)] {
            let error = await #expect(throws: UnreadOptionError.self) { try await chain.send(request) }
            #expect(error?.description.contains(".tracing(_:childOf:)") == true)
            #expect(error?.description.contains("TracingMiddleware()") == true)
        }
        #expect(transport.requests.isEmpty)
        #expect(try await chain.send(.get(url).tracing(false)).status == .ok)
        let traced = try Chain(transport: transport) { stage }
        #expect(try await traced.send(.get(url).tracing(childOf: context)).status == .ok)
    }

    @Test("Two stages in one chain, or in a chain inside, are refused; and so is one outside retries")
    func order() throws {
        #expect(throws: ChainOrderError.self) {
            try Chain(transport: InMemoryTransport()) {
                stage
                stage
            }
        }
        let inner = try Chain(transport: InMemoryTransport()) { stage }
        #expect(throws: ChainOrderError.self) { try Chain(transport: inner) { stage } }
        #expect(throws: ChainOrderError.self) {
            try Chain(transport: InMemoryTransport()) {
                stage
                RetryMiddleware()
            }
        }
    }

    @Test("10,000 calls at once, a third of them cancelled: every span ends, and none of the cancelled is an error")
    func cancellation() async throws {
        let transport = ClosureTransport { request in
            try await request.environment.time.sleep(for: .seconds(1))
            return Response(.ok, body: .chunks(["a"]))
        }
        let chain = try Chain(transport: transport) { stage }
        await chain.sendMany(.get(url), count: 10_000)
        try await until("every span has ended") { tracer.activeSpans.isEmpty }
        #expect(tracer.finishedSpans.allSatisfy { $0.status == nil })
    }
}
#endif
