#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainMetrics
import HTTPChainRetry
import HTTPChainSupport
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@Suite("The rules for every stage, and the registry of names", .timeLimit(.minutes(10)))
struct ConformanceTests {
    @Test("A stage that measures attempts keeps the rules", arguments: StageConformance.Check.allCases)
    func attempts(check: StageConformance.Check) async throws {
        try await StageConformance {
            MetricsMiddleware(factory: MetricsRecorder(), telling: [.urlTemplate, .protocolVersion])
        }.verify(check)
    }

    @Test("A stage that measures calls keeps the rules", arguments: StageConformance.Check.allCases)
    func calls(check: StageConformance.Check) async throws {
        try await StageConformance { MetricsMiddleware(each: .call, factory: MetricsRecorder()) }.verify(check)
    }

    private static let model: [String: String] = {
        let folder = Repository.tests
            .appending(path: "SemanticConventions")
        var texts: [String: String] = [:]
        for name in ["http", "http-common", "http-metrics", "error", "url", "network", "server"] {
            texts[name] = try? String(contentsOf: folder.appending(path: name + ".yaml"), encoding: .utf8)
        }
        return texts
    }()

    @Test("Every metric under http.client is in the model of the conventions, with its unit and its instrument")
    func metrics() throws {
        let model = try #require(Self.model["http-metrics"])
        var found = 0
        for metric in HTTPMetrics.ofAttempts + HTTPMetrics.ofCalls where metric.name.hasPrefix("http.") {
            found += 1
            let start = try #require(model.range(of: "metric_name: \(metric.name)\n")?.upperBound)
            let entry = model[start...].prefix(400)
            #expect(entry.contains("unit: \"\(metric.unit)\""), "\(metric.name)")
            #expect(entry.contains("instrument: \(metric.instrument.rawValue.lowercased())"), "\(metric.name)")
        }
        #expect(found == 4)
        #expect(HTTPMetrics.durationBoundaries == HTTPMetrics.durationBoundaries.sorted())
        #expect(HTTPMetrics.requestDuration.boundaries.count == 14 && HTTPMetrics.requestDuration.unit == "s")
        #expect(HTTPMetrics.requestBodySize.boundaries.min() == 64)
        #expect(HTTPMetrics.requestBodySize.boundaries.max() == 1_073_741_824)
        #expect(Set((HTTPMetrics.ofAttempts + HTTPMetrics.ofCalls).map(\.name)).count == 12)
        #expect(MetricsMiddleware.buckets.count == 7)
        #expect(MetricsMiddleware.buckets["http.client.request.duration"] == HTTPMetrics.durationBoundaries)
    }

    @Test("Every attribute is in the registry, or of this package; every metric is one that is described")
    func attributes() async throws {
        let recorder = MetricsRecorder()
        let transport = InMemoryTransport()
        transport.enqueue([
            .status(.serviceUnavailable), .status(.ok, headers: [.cacheStatus: "edge; hit"]),
        ])
        let chain = try Chain(transport: transport) {
            MetricsMiddleware(each: .call, factory: recorder, telling: [.urlTemplate, .protocolVersion])
            RetryMiddleware()
            MetricsMiddleware(factory: recorder, telling: [.urlTemplate, .protocolVersion])
        }
        _ = try await chain.send(.get(url).urlTemplate("/plants").on(.automatic()))
        let registry = Self.model.values.joined(separator: "\n")
        let described = Set((HTTPMetrics.ofAttempts + HTTPMetrics.ofCalls).map(\.name))
        #expect(recorder.attributeNames.keys.allSatisfy(described.contains))
        #expect(recorder.attributeNames.count == 12)
        for name in recorder.attributeNames.values.flatMap({ $0 }).flatMap({ $0 }) where !name.hasPrefix("httpchain.") {
            #expect(registry.contains("- id: \(name)\n") || registry.contains("- key: \(name)\n"), "\(name)")
        }
        #expect(recorder.samples(of: "httpchain.client.call.cache").map { $0["httpchain.cache.result"] } == ["hit"])
    }

    static let cacheFields: [(values: [String], result: String?)] = [
        (["HTTPChain; hit"], "hit"), (["edge; hit", "HTTPChain; fwd=uri-miss; stored"], "uri-miss"),
        (["edge; fwd=stale, HTTPChain; hit; ttl=30"], "hit"), (["HTTPChain; fwd=made-up"], "other"),
        (["HTTPChain; fwd=hit"], "other"), (["HTTPChain"], "other"), (["\"unclosed"], nil), ([], nil),
    ]

    @Test("What the cache did is that of the nearest one, by few words", arguments: 0..<cacheFields.count)
    func cacheResults(index: Int) async throws {
        let (values, result) = Self.cacheFields[index]
        let recorder = MetricsRecorder()
        var fields = HTTPFields()
        let name = try #require(HTTPField.Name("Cache-Status"))
        for value in values { fields.append(HTTPField(name: name, value: value)) }
        let stage = MetricsMiddleware(each: .call, factory: recorder)
        _ = await StageHarness(stage).send(.get(url), answering: .status(.ok, headers: fields))
        let results = recorder.samples(of: "httpchain.client.call.cache").map { $0["httpchain.cache.result"] }
        #expect(results == (result.map { [$0] } ?? []))
    }
}
#endif
