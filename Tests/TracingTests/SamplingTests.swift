#if AllTests && Tracing
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainLogShipper
import HTTPChainRedirect
import HTTPChainRemoteLogging
import HTTPChainRetry
import HTTPChainTesting
import HTTPChainTraceShipping
import HTTPChainTracing
import HTTPTypes
import InMemoryTracing
import TestSupport
import Testing
import Tracing

/// Keeps the spans that end.
private final class Kept: LogSink {
    private let kept = Locked<[SpanRecord]>([])
    var spans: [SpanRecord] { kept.withLock { $0 } }

    func log(_ record: consuming LogRecord) {
        guard let span = SpanRecord(record) else { return }
        kept.withLock { $0.append(span) }
    }
}

/// Notes what it sees of a request, and passes it on.
private struct Probe: Middleware {
    let seen = Locked<[(isRecorded: Bool, isTraced: Bool, context: TraceContext?)]>([])

    func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        let context = InstrumentationContext.current?.traceContext
        let sight = (request.isRecorded, request.options[TracedByStageNote.self], context)
        seen.withLock { $0.append(sight) }
        return try await next(request)
    }
}

@Suite("An attempt about which the tracer decides first", .timeLimit(.minutes(10)))
struct SamplingTests {
    private let kept = Kept()
    private let inner = Probe()
    private let transport = InMemoryTransport { _ in Response(.ok) }
    private let unsampled = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"
    private let sampled = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    private func tracer(_ sampler: TraceSampler = .always) -> ShippingTracer {
        ShippingTracer(kept, sampler: sampler, environment: ChainEnvironment(random: SeededRandom(seed: 5)))
    }

    private func context(_ parent: String, state: String? = nil, baggage: String? = nil) -> InstrumentationContext {
        var context = InstrumentationContext.topLevel
        context.traceContext = TraceContext(traceparent: parent, tracestate: state)
        context.baggage = baggage.map { Baggage($0) }
        return context
    }

    private func send(
        _ request: Request = .get(url),
        in context: InstrumentationContext?,
        by stage: TracingMiddleware
    ) async throws -> HTTPFields {
        let chain = try Chain(transport: transport) {
            stage
            inner
        }
        try await InstrumentationContext.withValue(context) { _ = try await chain.send(request).body.collect() }
        return try #require(transport.requests.last).headers
    }

    private func value(_ name: String, of fields: HTTPFields) -> String? {
        HTTPField.Name(name).flatMap { fields[$0] }
    }

    @Test("Under a parent that is not recorded the trace goes on as it came: no span, no context, no call record")
    func unsampledParent() async throws {
        let context = context(unsampled, state: "foo=1,bar=2", baggage: "user=ada")
        let forged: HTTPFields = [try #require(HTTPField.Name("traceparent")): "forged"]
        let fields = try await send(
            .get(url, headers: forged),
            in: context,
            by: TracingMiddleware(tracer: tracer())
        )
        #expect(value("traceparent", of: fields) == unsampled)
        #expect(value("tracestate", of: fields) == "foo=1,bar=2" && value("baggage", of: fields) == "user=ada")
        #expect(kept.spans.isEmpty)
        let seen = try #require(inner.seen.withLock { $0 }.first)
        #expect(!seen.isRecorded && seen.isTraced && seen.context == context.traceContext)
    }

    @Test("The parent that a call names counts, and not that of the task")
    func namedParent() async throws {
        let stage = TracingMiddleware(tracer: tracer())
        let request = Request.get(url).tracing(childOf: context(unsampled))
        #expect(value("traceparent", of: try await send(request, in: context(sampled), by: stage)) == unsampled)
        #expect(kept.spans.isEmpty)
        let other = Request.get(url).tracing(childOf: context(sampled))
        _ = try await send(other, in: context(unsampled), by: stage)
        #expect(kept.spans.map(\.parentSpanID) == ["00f067aa0ba902b7"])
        #expect(inner.seen.withLock { $0.map(\.isRecorded) } == [false, true])
    }

    @Test("A trace that begins here and is not recorded says so, and that its id is random; each is another one")
    func unsampledRoot() async throws {
        let stage = TracingMiddleware(tracer: tracer(.never))
        var traces: Set<String> = []
        for _ in 0..<20 {
            let fields = try await send(in: nil, by: stage)
            let trace = try #require(value("traceparent", of: fields).flatMap { TraceContext(traceparent: $0) })
            // Level 2, §3.2.2.5.2: the flag tells how the id was made, recorded or not.
            #expect(trace.flags == TraceContext.randomFlag)
            traces.formUnion([trace.traceID, trace.spanID])
        }
        #expect(traces.count == 40 && kept.spans.isEmpty)
        #expect(inner.seen.withLock { $0.allSatisfy { !$0.isRecorded && $0.isTraced && $0.context == nil } })
    }

    @Test("What is recorded is as it was: a span, its context for what is inside, and its id for the server")
    func recorded() async throws {
        let fields = try await send(in: context(sampled), by: TracingMiddleware(tracer: tracer(.never)))
        let span = try #require(kept.spans.first)
        #expect(span.parentSpanID == "00f067aa0ba902b7" && span.name == "GET" && span.hasRemoteParent)
        #expect(value("traceparent", of: fields) == "00-4bf92f3577b34da6a3ce929d0e0e4736-\(span.spanID)-01")
        let seen = try #require(inner.seen.withLock { $0 }.first)
        #expect(seen.isRecorded && seen.isTraced && seen.context?.spanID == span.spanID)
    }

    @Test("A sampler that overrules a parent that is recorded gives what it drops a parent of its own")
    func overruled() async throws {
        let stage = TracingMiddleware(tracer: tracer(TraceSampler(ratio: 0, followsParent: false)))
        let text = value("traceparent", of: try await send(in: context(sampled), by: stage))
        let trace = try #require(text.flatMap { TraceContext(traceparent: $0) })
        #expect(trace.traceID == "4bf92f3577b34da6a3ce929d0e0e4736" && !trace.isSampled)
        #expect(trace.spanID != "00f067aa0ba902b7" && kept.spans.isEmpty)
    }

    @Test("Of a ratio of the traces, each call's attempts count up in those that are recorded")
    func ratio() async throws {
        let tracer = tracer(.ratio(0.5))
        let transport = InMemoryTransport { _ in Response(.serviceUnavailable) }
        let chain = try Chain(transport: transport) {
            RetryMiddleware(RetryPolicy(maximumAttempts: 4))
            TracingMiddleware(tracer: tracer)
        }
        for _ in 0..<50 { _ = try await chain.send(.get(url).on(.automatic())).body.collect() }
        let flags = transport.requests.compactMap { request in
            value("traceparent", of: request.headers).flatMap { TraceContext(traceparent: $0)?.flags }
        }
        #expect(flags.count == 200 && Set(flags) == [2, 3] && flags.count { $0 == 3 } == kept.spans.count)
        let counts = kept.spans.map { $0.attributes["http.request.resend_count"]?.integer ?? 0 }
        #expect(Set(counts) == [0, 1, 2, 3])
    }

    @Test("A server that isn't allowed never receives the trace context, whatever the sampler decides")
    func untold() async throws {
        for sampler in [TraceSampler.never, .always] {
            let stage = TracingMiddleware(tracer: tracer(sampler), propagatingTo: .nowhere)
            #expect(try await send(in: nil, by: stage).isEmpty)
            #expect(try await send(in: context(unsampled, baggage: "a=1"), by: stage).isEmpty)
        }
        #expect(kept.spans.count == 1)
    }

    @Test("A call that is not to be traced has no record, and neither has one without a tracer")
    func off() async throws {
        let request = Request.get(url).tracing(false)
        for tracer in [tracer() as any Tracer, InMemoryTracer()] {
            #expect(try await send(request, in: context(sampled), by: TracingMiddleware(tracer: tracer)).isEmpty)
        }
        _ = try await send(in: context(sampled), by: TracingMiddleware())
        #expect(inner.seen.withLock { $0.map(\.isRecorded) } == [false, false, false])
        #expect(inner.seen.withLock { $0.map(\.isTraced) } == [true, true, false] && kept.spans.isEmpty)
    }

    @Test("A tracer that the program has set for the task decides first, too")
    func ofTheTask() async throws {
        let tracer = tracer()
        let stage = TracingMiddleware()
        try await withTracer(tracer) {
            #expect(value("traceparent", of: try await send(in: context(unsampled), by: stage)) == unsampled)
            _ = try await send(in: context(sampled), by: stage)
        }
        #expect(kept.spans.count == 1)
        #expect(inner.seen.withLock { $0.map(\.isRecorded) } == [false, true])
    }

    @Test("Another tracer is asked for a span, under a parent that is not recorded too, and its fields are written")
    func otherTracer() async throws {
        let tracer = InMemoryTracer()
        let fields = try await send(in: context(unsampled), by: TracingMiddleware(tracer: tracer))
        #expect(tracer.finishedSpans.count == 1 && value("in-memory-trace-id", of: fields) != nil)
        #expect(inner.seen.withLock { $0.map(\.isRecorded) } == [true])
    }

    @Test("The generator of ids is xoshiro256**, and never stands still")
    func generator() {
        // The first numbers after the state 1, 2, 3, 4, as its authors' program gives them.
        var numbers = Xoshiro256(1, 2, 3, 4)
        let first = (0..<4).map { _ in numbers.next() }
        #expect(first == [11520, 0, 1_509_978_240, 1_215_971_899_390_074_240])
        var stuck = Xoshiro256(0, 0, 0, 0)
        #expect(Set((0..<100).map { _ in stuck.next() }).count > 95)
    }

    @Test("Tracers that begin in the same moment have no id in common, and tasks that share one neither")
    func distinct() async {
        let ids = Locked<Set<UInt64>>([])
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                let tracer = TraceIDs(seededBy: SystemRandom())
                for _ in 0..<4 {
                    group.addTask {
                        for _ in 0..<500 {
                            let (high, low, span) = tracer.root()
                            ids.withLock { $0.formUnion([high, low, span, tracer.span()]) }
                        }
                    }
                }
            }
        }
        #expect(ids.withLock { $0.count } == 32_000)
    }
}
#endif
