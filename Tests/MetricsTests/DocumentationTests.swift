#if AllTests
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainMetrics
import HTTPChainRetry
import HTTPTypes
import Metrics
import Testing

/// The code of the documentation page, which compiles here.
private enum Page {
    static func use(_ transport: some Transport) async throws -> Response {
        // begin
        let chain = try Chain(transport: transport) {
            MetricsMiddleware(each: .call)
            RetryMiddleware()
            MetricsMiddleware()
        }
        // end
        return try await chain.send(.get(url))
    }

    static func own(_ factory: some MetricsFactory) -> MetricsMiddleware {
        // begin
        MetricsMiddleware(
            factory: factory,
            telling: [.urlTemplate, .protocolVersion],
            limits: MetricsLimits(servers: 20)
        )
        // end
    }

    static func buckets() -> [String: [Double]] {
        // begin
        let buckets = MetricsMiddleware.buckets  // ["http.client.request.duration": [0.005, 0.01, …], …]
        // end
        return buckets
    }
}

@Suite("The documentation page", .timeLimit(.minutes(10)))
struct DocumentationTests {
    @Test("Both stages measure with the factory of the task")
    func both() async throws {
        let recorder = MetricsRecorder()
        try await withMetricsFactory(recorder) { _ = try await Page.use(InMemoryTransport { _ in Response(.ok) }) }
        #expect(recorder.values(of: "http.client.request.duration").count == 1)
        #expect(recorder.values(of: "httpchain.client.call.duration").count == 1)
    }

    @Test("The list of buckets has those that OpenTelemetry advises")
    func buckets() {
        #expect(Page.buckets()["http.client.request.duration"]?.first == 0.005)
        #expect(Page.buckets().count == 7)
        #expect(Page.own(MetricsRecorder()).summary.settings.contains { $0.value.hasPrefix("20 servers") })
    }
}
#endif
