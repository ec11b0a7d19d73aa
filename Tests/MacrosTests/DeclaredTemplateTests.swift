#if AllTests && Macros && Tracing
import Foundation
import HTTPChainInMemory
import HTTPChainMacros
import HTTPChainMetrics
import HTTPChainTesting
import HTTPChainTracing
import InMemoryTracing
import Metrics
import Testing
import Tracing

@Suite("The template of a declared path", .timeLimit(.minutes(10)))
struct DeclaredTemplateTests {
    @Test("Metrics and traces tell the template, and not the path")
    func template() async throws {
        let (factory, tracer, transport) = (DimensionRecorder(), InMemoryTracer(), InMemoryTransport())
        transport.enqueue(try .json(Plant(id: 7, name: "Rose")))
        let chain = try Chain(transport: transport) {
            SerializerMiddleware(.json)
            StatusValidationMiddleware()
            URLBuilderMiddleware(base: "https://elsewhere.example")
            MetricsMiddleware(factory: factory, telling: [.urlTemplate])
            TracingMiddleware(tracer: tracer)
        }
        #expect(try await PlantServiceClient(chain: chain).plant(id: 7).name == "Rose")
        #expect(transport.requests.map(\.url) == ["https://api.example.com/v2/plants/7"])
        let durations = factory.dimensions(of: "http.client.request.duration")
        #expect(durations.map { $0["url.template"] } == ["/v2/plants/{id}"])
        let span = try #require(tracer.finishedSpans.first)
        #expect(span.operationName == "GET /v2/plants/{id}")
        #expect(span.attributes.get("url.template") == .string("/v2/plants/{id}"))
    }
}

/// Keeps the names and dimensions of the instruments that are made.
private final class DimensionRecorder: MetricsFactory {
    private let made = Locked<[(label: String, dimensions: [String: String])]>([])

    func dimensions(of label: String) -> [[String: String]] {
        made.withLock { $0.filter { $0.label == label }.map(\.dimensions) }
    }

    private func make(_ label: String, _ dimensions: [(String, String)]) -> NOOPMetricsHandler {
        let values = Dictionary(dimensions, uniquingKeysWith: { first, _ in first })
        made.withLock { $0.append((label, values)) }
        return NOOPMetricsHandler.instance
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { make(label, dimensions) }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler { make(label, dimensions) }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        make(label, dimensions)
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { make(label, dimensions) }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
}
#endif
