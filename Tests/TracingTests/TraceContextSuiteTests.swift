#if AllTests && Tracing
import Foundation
import HTTPChainCore
import HTTPChainRemoteLogging
import HTTPChainTesting
import HTTPChainTraceShipping
import HTTPChainTracing
import HTTPChainURLSession
import HTTPTypes
import Logging
import TestSupport
import Testing
import Tracing

/// The W3C's own tests of Trace Context, with a chain as the client.
///
/// Their program in Python asks a service to call it back, and looks at what the service's client tells it of the trace.
/// The service here is a server on loopback, its client a chain.
///
/// The suite's licence lets it be run, and not be copied: it is looked for where `HTTPCHAIN_TRACE_CONTEXT` says, which is
/// the folder `test` of https://github.com/w3c/trace-context. It needs Python with the package aiohttp.
@Suite("The W3C's own tests of Trace Context, with a chain as the client", .heavy, .timeLimit(.minutes(10)))
struct TraceContextSuiteTests {
    /// What makes the trace of the calls back.
    enum Client: CaseIterable {
        /// No tracer: the stage passes on the trace of the request that came.
        case propagator
        /// A tracer with a span for the request that came and one for each call back.
        case tracer
    }

    /// Every case of the suite: all are about what a service's client sends.
    static let cases = [
        "TraceContextTest.test_both_traceparent_and_tracestate_missing",
        "TraceContextTest.test_traceparent_included_tracestate_missing",
        "TraceContextTest.test_traceparent_duplicated",
        "TraceContextTest.test_traceparent_header_name",
        "TraceContextTest.test_traceparent_header_name_valid_casing",
        "TraceContextTest.test_traceparent_version_0x00",
        "TraceContextTest.test_traceparent_version_0xcc",
        "TraceContextTest.test_traceparent_version_0xff",
        "TraceContextTest.test_traceparent_version_illegal_characters",
        "TraceContextTest.test_traceparent_version_too_long",
        "TraceContextTest.test_traceparent_version_too_short",
        "TraceContextTest.test_traceparent_trace_id_all_zero",
        "TraceContextTest.test_traceparent_trace_id_illegal_characters",
        "TraceContextTest.test_traceparent_trace_id_too_long",
        "TraceContextTest.test_traceparent_trace_id_too_short",
        "TraceContextTest.test_traceparent_parent_id_all_zero",
        "TraceContextTest.test_traceparent_parent_id_illegal_characters",
        "TraceContextTest.test_traceparent_parent_id_too_long",
        "TraceContextTest.test_traceparent_parent_id_too_short",
        "TraceContextTest.test_traceparent_trace_flags_illegal_characters",
        "TraceContextTest.test_traceparent_trace_flags_too_long",
        "TraceContextTest.test_traceparent_trace_flags_too_short",
        "TraceContextTest.test_traceparent_ows_handling",
        "TraceContextTest.test_tracestate_included_traceparent_missing",
        "TraceContextTest.test_tracestate_included_traceparent_included",
        "TraceContextTest.test_tracestate_header_name",
        "TraceContextTest.test_tracestate_header_name_valid_casing",
        "TraceContextTest.test_tracestate_empty_header",
        "TraceContextTest.test_tracestate_multiple_headers_different_keys",
        "TraceContextTest.test_tracestate_duplicated_keys",
        "TraceContextTest.test_tracestate_all_allowed_characters",
        "TraceContextTest.test_tracestate_ows_handling",
        "TraceContextTest.test_tracestate_key_illegal_characters",
        "TraceContextTest.test_tracestate_key_illegal_vendor_format",
        "TraceContextTest.test_tracestate_member_count_limit",
        "TraceContextTest.test_tracestate_key_length_limit",
        "TraceContextTest.test_tracestate_value_illegal_characters",
        "AdvancedTest.test_multiple_requests_with_valid_traceparent",
        "AdvancedTest.test_multiple_requests_without_traceparent",
        "AdvancedTest.test_multiple_requests_with_illegal_traceparent",
        "TraceContext2Test.test_propagates_random_flag",
    ]

    @Test("Every case passes, and there is none that is not listed", arguments: Client.allCases)
    func suite(client: Client) async throws {
        guard let folder = ProcessInfo.processInfo.environment["HTTPCHAIN_TRACE_CONTEXT"], !folder.isEmpty else {
            return Programs.notRun("HTTPCHAIN_TRACE_CONTEXT names no folder with the suite", mayBeMissing: true)
        }
        let service = try await LoopbackServer.start { try await Self.serve($0, client) }
        // A port that was free just now.
        let harness = try await LoopbackServer.start { _ in }
        let port = harness.port
        await harness.stop()
        var environment = ProcessInfo.processInfo.environment
        environment["HARNESS_PORT"] = "\(port)"
        environment["STRICT_LEVEL"] = "2"
        environment["SPEC_LEVEL"] = "2"
        environment["HARNESS_TIMEOUT"] = "60"
        let outcome = try await runProgram(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["python3", "-B", "test.py", service.url("/test")],
            environment: environment,
            directory: URL(fileURLWithPath: folder)
        )
        await service.stop()
        guard outcome.status != 127, !outcome.errorText.contains("No module named 'aiohttp'") else {
            return Programs.notRun("python3 cannot import aiohttp; install it with: pip install aiohttp")
        }
        let results = Self.results(outcome.errorText)
        for name in Self.cases {
            #expect(results[name] == "ok", "\(name)\n\(outcome.errorText)")
        }
        #expect(Set(results.keys) == Set(Self.cases))
        #expect(service.failures.isEmpty)
    }

    /// Sends what the harness asks for, within the trace that it tells.
    private static func serve(_ exchange: LoopbackExchange, _ client: Client) async throws {
        var body = Data()
        while let chunk = try await exchange.readChunk() { body.append(chunk) }
        let calls = try JSONDecoder().decode(JSONValue.self, from: body).array ?? []
        var fields = HTTPFields()
        for field in exchange.request.fields {
            if let name = HTTPField.Name(field.name) { fields.append(HTTPField(name: name, value: field.value)) }
        }
        let tracer = ShippingTracer(NoSpans())
        var context = InstrumentationContext.topLevel
        let chain =
            switch client {
            case .propagator:
                try Chain(transport: URLSessionTransport()) {
                    TracingMiddleware(with: W3CPropagator(startsTraces: true))
                }
            case .tracer: try Chain(transport: URLSessionTransport()) { TracingMiddleware(tracer: tracer) }
            }
        tracer.extract(fields, into: &context, using: FieldExtractor())
        if client == .tracer {
            context = tracer.startSpan("serve", context: context, ofKind: .server).context
        }
        try await InstrumentationContext.withValue(context) {
            for call in calls {
                guard let url = call["url"]?.string else { continue }
                let arguments = try JSONEncoder().encode(call["arguments"] ?? [])
                let request = Request.post(url, headers: [.contentType: "application/json"], body: HTTPBody(arguments))
                _ = try await chain.send(request).body.collect()
            }
        }
        try await exchange.reply(200, fields: [("Content-Type", "application/json")], body: Data("null".utf8))
    }

    /// The sink of a tracer whose spans nobody looks at.
    private struct NoSpans: LogSink {
        func log(_ record: consuming LogRecord) {}
    }

    /// The case and the last word of each, from what the runner of Python's unittest says.
    private static func results(_ text: String) -> [String: String] {
        var results: [String: String] = [:]
        var name: String?
        for line in text.split(separator: "\n") {
            if line.hasPrefix("test_"), let open = line.firstIndex(of: "("), let close = line.firstIndex(of: ")") {
                // In the brackets stands the module, the class and, by the version of Python, the case.
                let test = line[..<open].trimmingCharacters(in: .whitespaces)
                let parts = line[line.index(after: open)..<close].split(separator: ".").filter { $0 != test }
                name = "\(parts.last ?? "").\(test)"
            }
            if let known = name, let mark = line.range(of: " ... ", options: .backwards) {
                results[known] = String(line[mark.upperBound...])
                name = nil
            }
        }
        return results
    }

    /// Says that the suite did not run: as a failure where everything must be there.
}
#endif
