#if AllTests && Tracing
import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainLogShipper
import HTTPChainRemoteLogging
import HTTPChainRetry
import HTTPChainTesting
import HTTPChainTraceShipping
import HTTPChainTracing
import HTTPTypes
import Logging
import TestSupport
import Testing
import Tracing

/// Keeps the spans that end.
private final class SpanKeeper: LogSink {
    private let kept = Locked<[SpanRecord]>([])
    private let level: Logger.Level

    init(_ level: Logger.Level = .trace) {
        self.level = level
    }

    var spans: [SpanRecord] { kept.withLock { $0 } }

    func isEnabled(_ level: Logger.Level, for component: String) -> Bool { level >= self.level }

    func log(_ record: consuming LogRecord) {
        guard let span = SpanRecord(record) else { return }
        kept.withLock { $0.append(span) }
    }
}

@Suite("A tracer whose spans are shipped", .timeLimit(.minutes(10)))
struct ShippingTracerTests {
    private let keeper = SpanKeeper()

    private func tracer(_ sampler: TraceSampler = .always, limits: SpanLimits = .standard) -> ShippingTracer {
        ShippingTracer(
            keeper,
            sampler: sampler,
            limits: limits,
            environment: ChainEnvironment(random: SeededRandom(seed: 3))
        )
    }

    private func context(_ parent: String) -> InstrumentationContext {
        var context = InstrumentationContext.topLevel
        var fields = HTTPFields()
        if let name = HTTPField.Name("traceparent") { fields[name] = parent }
        tracer().extract(fields, into: &context, using: FieldExtractor())
        return context
    }

    private func at(_ nanoseconds: UInt64) -> DefaultTracerClock.Timestamp {
        DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: nanoseconds)
    }

    @Test("A span has what was said of it, and is handed on once, when it ends")
    func span() throws {
        let tracer = tracer()
        let span = tracer.startSpan("work", context: .topLevel, ofKind: .producer, at: at(10))
        span.attributes["n"] = 3
        span.attributes["list"] = SpanAttribute.stringArray(["a", "b"])
        span.addEvent(SpanEvent(name: "half", at: at(15), attributes: ["done": true]))
        span.setStatus(SpanStatus(code: .error, message: "broke"))
        span.operationName = "more work"
        #expect(span.isRecording && keeper.spans.isEmpty)
        span.end(at: at(20))
        span.end(at: at(30))
        span.attributes["late"] = 1
        span.setStatus(SpanStatus(code: .ok))
        #expect(!span.isRecording)
        let record = try #require(keeper.spans.first)
        #expect(keeper.spans.count == 1)
        #expect(record.name == "more work" && record.kind == .producer)
        #expect(record.start == 10 && record.end == 20)
        #expect(record.attributes == ["list": ["a", "b"], "n": 3])
        #expect(record.events == [.init("half", at: 15, attributes: ["done": true])])
        #expect(record.status == .error("broke"))
        #expect(record.parentSpanID == nil && record.flags == 3 && record.scope == "TracingTests")
    }

    @Test("Ids are random, of the right length, and another for each span")
    func ids() {
        let tracer = tracer()
        for _ in 0..<100 { tracer.startSpan("a", context: .topLevel).end() }
        #expect(Set(keeper.spans.map(\.traceID)).count == 100 && Set(keeper.spans.map(\.spanID)).count == 100)
        #expect(keeper.spans.allSatisfy { $0.traceID.count == 32 && $0.spanID.count == 16 })
    }

    @Test("A child is of its parent's trace, and says whether the parent is of another program")
    func parents() throws {
        let tracer = tracer()
        let incoming = context("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
        let server = tracer.startSpan("server", context: incoming, ofKind: .server)
        let client = tracer.startSpan("client", context: server.context, ofKind: .client)
        client.end()
        server.end()
        let (first, second) = (try #require(keeper.spans.first), try #require(keeper.spans.last))
        #expect(first.traceID == "4bf92f3577b34da6a3ce929d0e0e4736" && second.traceID == first.traceID)
        #expect(second.parentSpanID == "00f067aa0ba902b7" && second.hasRemoteParent)
        #expect(first.parentSpanID == second.spanID && !first.hasRemoteParent)
        var fields = HTTPFields()
        W3CPropagator().inject(client.context, into: &fields, using: Fields())
        let name = try #require(HTTPField.Name("traceparent"))
        #expect(fields[name] == "00-4bf92f3577b34da6a3ce929d0e0e4736-\(first.spanID)-01")
    }

    private struct Fields: Injector {
        func inject(_ value: String, forKey key: String, into carrier: inout HTTPFields) {
            if let name = HTTPField.Name(key) { carrier[name] = value }
        }
    }

    @Test("A trace that its caller does not record is not recorded, and one that it records is")
    func followed() {
        let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0"
        let always = tracer(.always).startSpan("a", context: context(trace + "0"))
        #expect(!always.isRecording && always.context.traceContext?.isSampled == false)
        #expect(always.context.traceContext?.traceID == "4bf92f3577b34da6a3ce929d0e0e4736")
        // Trace Context §3.4: a service that takes part has an id of its own, recorded or not.
        #expect(always.context.traceContext?.spanID != "00f067aa0ba902b7")
        always.attributes["a"] = 1
        always.addEvent("event")
        always.recordError(CancellationError())
        always.end()
        #expect(keeper.spans.isEmpty && always.operationName == "" && always.attributes.isEmpty)
        #expect(tracer(.never).startSpan("b", context: context(trace + "1")).isRecording)
        #expect(!tracer(.never).startSpan("c", context: .topLevel).isRecording)
        let own = TraceSampler(ratio: 1, followsParent: false)
        #expect(tracer(own).startSpan("d", context: context(trace + "0")).isRecording)
    }

    @Test("A ratio of the traces that begin here is recorded, whole traces and the same in every program")
    func ratio() {
        let tracer = tracer(.ratio(0.25))
        var recorded = 0
        for _ in 0..<4000 {
            let span = tracer.startSpan("a", context: .topLevel)
            let child = tracer.startSpan("b", context: span.context)
            #expect(child.isRecording == span.isRecording)
            if span.isRecording { recorded += 1 }
        }
        #expect((850...1150).contains(recorded), "\(recorded)")
    }

    static let variables: [(variables: [String: String], sampler: TraceSampler, problem: String?)] = [
        ([:], .always, nil), (["OTEL_TRACES_SAMPLER": "parentbased_always_on"], .always, nil),
        (["OTEL_TRACES_SAMPLER": "always_on"], TraceSampler(ratio: 1, followsParent: false), nil),
        (["OTEL_TRACES_SAMPLER": "always_off"], TraceSampler(ratio: 0, followsParent: false), nil),
        (["OTEL_TRACES_SAMPLER": "parentbased_always_off"], .never, nil),
        (["OTEL_TRACES_SAMPLER": "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0.5"], .ratio(0.5), nil),
        (["OTEL_TRACES_SAMPLER": "parentbased_traceidratio"], .always, nil),
        (
            ["OTEL_TRACES_SAMPLER": "traceidratio", "OTEL_TRACES_SAMPLER_ARG": "7"],
            .init(ratio: 1, followsParent: false),
            "OTEL_TRACES_SAMPLER_ARG is not a number from 0 to 1, so every trace is recorded"
        ),
        (
            ["OTEL_TRACES_SAMPLER": "jaeger_remote"], .always,
            "OTEL_TRACES_SAMPLER is not a known sampler, so every trace is recorded"
        ),
    ]

    @Test(
        "The variables of OpenTelemetry name a sampler, and a name or ratio that makes no sense is a problem",
        arguments: 0..<variables.count
    )
    func environment(index: Int) {
        let (variables, expected, problem) = Self.variables[index]
        let sampler = TraceSampler(environment: variables)
        #expect(sampler.ratio == expected.ratio && sampler.followsParent == expected.followsParent)
        #expect(sampler.problems == [problem].compactMap(\.self))
    }

    @Test("What is too much is left out and counted, and long texts are cut")
    func limits() throws {
        var limits = SpanLimits()
        (limits.attributes, limits.events, limits.links, limits.innerAttributes, limits.length) = (2, 1, 1, 1, 5)
        let tracer = tracer(limits: limits)
        let span = tracer.startSpan("a long name", context: .topLevel)
        for name in ["a", "b", "c", "d"] { span.attributes[name] = "0123456789" }
        for number in 0..<3 { span.addEvent(SpanEvent(name: "\(number)", attributes: ["x": 1, "y": 2])) }
        let other = tracer.startSpan("other", context: .topLevel)
        for _ in 0..<4 { span.addLink(SpanLink(context: other.context, attributes: ["x": 1, "y": 2])) }
        span.addLink(SpanLink(context: .topLevel, attributes: [:]))
        span.end()
        let record = try #require(keeper.spans.first)
        #expect(record.name == "a lon" && record.attributes == ["a": "01234", "b": "01234"])
        #expect(record.events.map(\.attributes) == [["x": 1]])
        #expect(record.links.map(\.attributes) == [["x": 1]])
        #expect(record.dropped.attributes == 2 && record.dropped.events == 2 && record.dropped.links == 3)
    }

    @Test("Limits below zero leave everything out", arguments: [-1, .min])
    func negativeLimits(limit: Int) throws {
        let limits = SpanLimits(attributes: limit, events: limit, links: limit, length: limit)
        #expect(limits == SpanLimits(attributes: 0, events: 0, links: 0, length: 0))
        let tracer = tracer(limits: limits)
        let span = tracer.startSpan("name", context: .topLevel)
        for name in ["a", "b"] { span.attributes[name] = "0123456789" }
        span.addEvent(SpanEvent(name: "event"))
        span.addLink(SpanLink(context: tracer.startSpan("other", context: .topLevel).context, attributes: [:]))
        span.end()
        let record = try #require(keeper.spans.first)
        #expect(record.name.isEmpty && record.attributes.list.isEmpty && record.events.isEmpty && record.links.isEmpty)
        #expect(record.dropped.attributes == 2 && record.dropped.events == 1 && record.dropped.links == 1)
    }

    @Test("Secrets are on no span: not under their names, in texts, in errors or in what a status says")
    func secrets() throws {
        struct Leak: Error, CustomStringConvertible { let description = #"{"password":"hunter2"}"# }
        let span = tracer().startSpan("GET https://a.example/?token=hunter2", context: .topLevel)
        span.attributes["password"] = "hunter2"
        span.attributes["text"] = "sent Bearer hunter2abcdef"
        span.attributes["list"] = SpanAttribute.stringArray(["https://ida:hunter2@a.example"])
        span.recordError(Leak())
        span.setStatus(SpanStatus(code: .error, message: "password=hunter2"))
        span.end()
        let record = try #require(keeper.spans.first)
        for encoding in OTLPEncoding.allCases {
            let batch = LogBatch(resource: LogResource(serviceName: "s"), records: [LogRecord(record)])
            let content = try BuiltInWireFormat.otlpTraces(encoding).encode(batch)
            #expect(content.range(of: Data("hunter2".utf8)) == nil)
            #expect(content.range(of: Data("exception.type".utf8)) != nil)
        }
    }

    @Test("A sink that is not enabled for spans gets those that failed alone")
    func levels() {
        let keeper = SpanKeeper(.error)
        let tracer = ShippingTracer(keeper)
        tracer.startSpan("well", context: .topLevel).end()
        let failed = tracer.startSpan("failed", context: .topLevel)
        failed.setStatus(SpanStatus(code: .error))
        failed.end()
        #expect(keeper.spans.map(\.name) == ["failed"])
    }

    @Test("A chain's attempts are spans with the conventions' attributes, children of the caller's span")
    func chain() async throws {
        let tracer = tracer()
        let transport = InMemoryTransport()
        transport.enqueue([.status(.serviceUnavailable), .status(.ok)])
        let chain = try Chain(transport: transport) {
            RetryMiddleware()
            TracingMiddleware(tracer: tracer)
        }
        try await tracer.withSpan("load") { _ in
            _ = try await chain.send(.get(url).urlTemplate("/plants").on(.automatic())).body.collect()
        }
        let spans = keeper.spans
        #expect(spans.map(\.name) == ["GET /plants", "GET /plants", "load"])
        #expect(Set(spans.map(\.traceID)).count == 1)
        #expect(spans.prefix(2).allSatisfy { $0.parentSpanID == spans.last?.spanID && $0.kind == .client })
        #expect(spans[0].status == .error("") && spans[1].status == .unset)
        #expect(spans[1].attributes["http.request.resend_count"] == 1)
        #expect(spans[0].scope == "HTTPChainTracing")
        let told = transport.requests.compactMap { request in
            HTTPField.Name("traceparent").flatMap { request.headers[$0] }.flatMap { TraceContext(traceparent: $0) }
        }
        #expect(told.map(\.spanID) == spans.prefix(2).map(\.spanID))
    }

    @Test("Spans arrive in batches at the receiver, and shipping them makes no spans", arguments: OTLPEncoding.allCases)
    func shipped(encoding: OTLPEncoding) async throws {
        let holder = Locked<ShippingTracer?>(nil)
        let receiver = InMemoryTransport { _ in Response(.ok) }
        let traced = ClosureTransport { request in
            if let tracer = holder.withLock({ $0 }) { tracer.startSpan("own traffic", context: .topLevel).end() }
            return try await receiver.send(request)
        }
        let shipper = LogShipper(
            to: BuiltInWireFormat.otlpTraces().url(endpoint: "http://collector.example"),
            format: .otlpTraces(encoding),
            resource: LogResource(serviceName: "garden"),
            over: traced
        )
        let tracer = ShippingTracer(shipper)
        holder.withLock { $0 = tracer }
        for number in 0..<600 { tracer.startSpan("span \(number)", context: .topLevel).end() }
        try await shipper.shutdown()
        #expect(shipper.statistics.acknowledged == 600)
        #expect(receiver.requests.count == 2)
        #expect(receiver.requests.allSatisfy { $0.url == "http://collector.example/v1/traces" })
        #expect(receiver.requests.allSatisfy { $0.headers[.contentType] == encoding.contentType })
    }

    @Test("Lines of a log tell the trace and the span that they belong to")
    func metadata() {
        let tracer = tracer()
        #expect(Logger.MetadataProvider.traces.get().isEmpty)
        tracer.withSpan("work") { span in
            let trace = span.context.traceContext
            #expect(
                Logger.MetadataProvider.traces.get() == [
                    "trace_id": "\(trace?.traceID ?? "")", "span_id": "\(trace?.spanID ?? "")", "trace_flags": "03",
                ]
            )
        }
    }
}
#endif
