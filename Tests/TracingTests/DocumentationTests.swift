#if AllTests && Tracing
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainRetry
import HTTPChainTesting
import HTTPChainTracing
import HTTPChainURLBuilder
import HTTPTypes
import InMemoryTracing
import Testing
import Tracing

/// The code of the documentation pages, which compiles here.
private enum Page {
    static func use(_ transport: some Transport) async throws -> Response {
        // begin
        let chain = try Chain(transport: transport) {
            URLBuilderMiddleware(base: "https://api.example.com/v2")
            RetryMiddleware()
            TracingMiddleware()
        }
        return try await chain.send(.get("users/{id}", path: ["id": 42]))  // the span "GET /v2/users/{id}"
        // end
    }

    static var own: TracingMiddleware {
        // begin
        TracingMiddleware(propagatingTo: .origins(["https://api.example.com", "https://*.internal.example.com"]))
        // end
    }

    static func forward(_ incoming: HTTPRequest, over chain: Chain) async throws -> Response {
        // begin
        var context = InstrumentationContext.topLevel
        W3CPropagator().extract(incoming.headerFields, into: &context)
        return try await InstrumentationContext.withValue(context) {
            try await chain.send(.get("https://api.example.com/plants"))
        }
        // end
    }

    static func quiet(_ chain: Chain) async throws -> Response {
        // begin
        try await chain.send(.get("https://api.example.com/health").tracing(false))
        // end
    }
}

@Suite("The documentation page", .timeLimit(.minutes(10)))
struct DocumentationTests {
    @Test("The span has the name that the page says")
    func name() async throws {
        let tracer = InMemoryTracer()
        try await withTracer(tracer) { _ = try await Page.use(InMemoryTransport { _ in Response(.ok) }) }
        #expect(tracer.finishedSpans.map(\.operationName) == ["GET /v2/users/{id}"])
    }

    @Test("The list allows what the page says")
    func list() {
        #expect(
            Page.own.summary.settings.contains { $0.value == "https://api.example.com, https://*.internal.example.com" }
        )
    }

    @Test("A server's trace goes on, and a health check is none")
    func forwarding() async throws {
        let transport = InMemoryTransport { _ in Response(.ok) }
        let chain = try Chain(transport: transport) { TracingMiddleware() }
        var incoming = HTTPRequest(method: .get, scheme: "https", authority: "me.example.com", path: "/")
        let name = try #require(HTTPField.Name("traceparent"))
        incoming.headerFields[name] = "00-12345678901234567890123456789012-1234567890123456-01"
        _ = try await Page.forward(incoming, over: chain)
        #expect(
            transport.requests.first?.head.headerFields[name]?.hasPrefix("00-12345678901234567890123456789012-") == true
        )
        let tracer = InMemoryTracer()
        try await withTracer(tracer) { _ = try await Page.quiet(chain) }
        #expect(tracer.finishedSpans.isEmpty)
    }
}
#endif
