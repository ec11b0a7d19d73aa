#if AllTests && Tracing
import Foundation
import HTTPChainCore
import HTTPChainTesting
import HTTPChainTracing
import HTTPTypes
import InMemoryTracing
import TestSupport
import Testing
import Tracing

@Suite("The rules for every stage, and the registry of names", .timeLimit(.minutes(10)))
struct ConformanceTests {
    @Test("A stage that traces keeps the rules", arguments: StageConformance.Check.allCases)
    func traces(check: StageConformance.Check) async throws {
        try await StageConformance { TracingMiddleware(tracer: InMemoryTracer()) }.verify(check)
    }

    @Test("A stage without a tracer keeps the rules", arguments: StageConformance.Check.allCases)
    func idle(check: StageConformance.Check) async throws {
        try await StageConformance { TracingMiddleware() }.verify(check)
    }

    @Test("A stage whose tracer samples nothing keeps the rules", arguments: StageConformance.Check.allCases)
    func sampledOut(check: StageConformance.Check) async throws {
        try await StageConformance { TracingMiddleware(tracer: SampledOutTracer()) }.verify(check)
    }

    /// The ids in the model of the conventions.
    private func registry() throws -> (names: Set<String>, span: Set<String>, methods: Set<String>) {
        let folder = Repository.tests
            .appending(path: "SemanticConventions")
        func values(_ key: String, in file: String) throws -> Set<String> {
            let text = try String(contentsOf: folder.appending(path: file + ".yaml"), encoding: .utf8)
            return Set(
                text.split(separator: "\n").compactMap { line in
                    let line = line.trimmingCharacters(in: .whitespaces)
                    guard line.hasPrefix(key) else { return nil }
                    return line.dropFirst(key.count).trimmingCharacters(in: CharacterSet(charactersIn: " \""))
                }
            )
        }
        var names: Set<String> = []
        for file in ["http", "error", "url", "network", "server"] {
            names.formUnion(try values("- id:", in: file).union(values("- key:", in: file)))
        }
        let span = try values("- ref:", in: "http-spans").union(values("- ref:", in: "http-common"))
        return (names, span, try values("value:", in: "http"))
    }

    @Test("Every attribute of a span is one that the conventions list for the span of an HTTP client")
    func names() async throws {
        let (names, span, methods) = try registry()
        #expect(names.contains("http.request.method") && span.contains("url.full"))
        #expect(
            HTTPSemantics.standardMethods.union([HTTPSemantics.otherMethod]) == methods.filter { $0 == $0.uppercased() }
        )
        let tracer = InMemoryTracer()
        let stage = TracingMiddleware(tracer: tracer, requestFields: [.accept], responseFields: [.contentType])
        let transport = ClosureTransport(capabilities: [.streamsUploads, .reportsConnections]) { request in
            var metrics = ConnectionMetrics()
            metrics.protocolName = "h2"
            request.options[ConnectionReportNote.self]?(metrics)
            return Response(.notFound, headers: [.contentType: "text/plain"])
        }
        let chain = try Chain(transport: transport) {
            SendTwice()
            stage
        }
        let request = Request(try #require(.init("PURGE")), url, headers: [.accept: "text/plain"])
        _ = try await chain.send(request.urlTemplate("/plants"))
        var found: Set<String> = []
        for finished in tracer.finishedSpans { found.formUnion(finished.texts.keys) }
        #expect(found.count == 12)
        for name in found {
            let isTemplate = ["http.request.header.", "http.response.header."].first { name.hasPrefix($0) }
            let listed = isTemplate.map { String($0.dropLast()) } ?? name
            #expect(names.contains(listed), "\(name) is in no registry")
            #expect(span.contains(listed), "\(name) is not listed for the span")
        }
    }

    private struct SendTwice: Middleware {
        func intercept(_ request: consuming Request, next: Next) async throws -> Response {
            _ = try await next(copy request)
            return try await next(request)
        }
    }
}
#endif
