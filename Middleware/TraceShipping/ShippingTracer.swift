#if Tracing
public import HTTPChainCore
import HTTPChainLogShipper
public import HTTPChainRemoteLogging
import HTTPChainTracing
public import Tracing

/// A tracer whose spans are shipped as log records are: in batches, out of the caller's way, from memory or a spool.
///
/// ```swift
/// let shipper = LogShipper(
///     to: OTLPTraceFormat.url(endpoint: "http://collector.example.com:4318"),
///     format: .otlpTraces(.protobuf),
///     resource: LogResource(serviceName: "Garden"),
///     over: transport
/// )
/// InstrumentationSystem.bootstrap(ShippingTracer(shipper))
/// let chain = try Chain(transport: transport) {
///     RetryMiddleware()
///     TracingMiddleware()
/// }
/// …
/// try await shipper.shutdown()
/// ```
///
/// **Spans** have random ids and are children of the span in their context, whether it is of this program or came with a
/// request (``extract(_:into:using:)``). Their scope is the module that begins them. A span is handed to the shipper
/// when it ends, once; a span that never ends is never sent.
///
/// **Sampling.** ``TraceSampler`` decides when a span begins. One that is not recorded keeps nothing, and the servers
/// that it is told to are told so.
///
/// **Limits.** ``SpanLimits`` bounds attributes, events, links and texts; what is left out is counted on the span. What
/// a full queue drops is in the shipper's ``/HTTPChainLogShipper/LogShipper/statistics``; spans that failed are
/// dropped last.
///
/// **Nothing secret.** Attributes under the name of a secret are redacted, and texts are searched for secrets, by the
/// environment's ``/HTTPChainCore/Redaction``.
///
/// **Propagation** is that of W3C Trace Context and W3C Baggage (``/HTTPChainTracing/W3CPropagator``).
///
/// **Its own traffic.** What a shipper sends makes no spans.
public final class ShippingTracer: Tracer, Sendable {
    private let sink: any LogSink
    private let sampler: TraceSampler
    private let limits: SpanLimits
    private let redaction: Redaction
    private let random: any RandomSource

    /// Makes a tracer.
    ///
    /// - Parameters:
    ///   - sink: Takes the spans that have ended: a shipper with an `OTLPTraceFormat`, or a test.
    ///   - sampler: Which traces are recorded; all by default.
    ///   - limits: How much of a span is kept.
    ///   - environment: Random numbers for the ids, and what counts as a secret; the system's by default.
    public init(
        _ sink: any LogSink,
        sampler: TraceSampler = .always,
        limits: SpanLimits = .standard,
        environment: ChainEnvironment = .live
    ) {
        self.sink = sink
        self.sampler = sampler
        self.limits = limits
        redaction = environment.redaction
        random = environment.random
    }

    /// Begins a span.
    public func startSpan<Instant: TracerInstant>(
        _ operationName: String,
        context: @autoclosure () -> InstrumentationContext,
        ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant,
        function: String,
        file fileID: String,
        line: UInt
    ) -> ShippedSpan {
        var context = context()
        let parent = context.traceContext
        let low = parent?.traceIDLow ?? max(1, random.next())
        let isRecorded = !LogShipper.isShipping && sampler.records(traceIDLow: low, parent: parent)
        let flags = (parent?.flags ?? TraceContext.randomFlag) & ~TraceContext.sampledFlag
        let own = TraceContext(
            traceIDHigh: parent?.traceIDHigh ?? random.next(),
            traceIDLow: low,
            parentID: max(1, random.next()),
            flags: isRecorded ? flags | TraceContext.sampledFlag : flags,
            state: parent?.state ?? TraceState()
        )
        let isParentLocal = context[LocalSpan.self] == parent?.parentID
        context.traceContext = own
        context[LocalSpan.self] = own?.parentID
        guard isRecorded, let own else { return ShippedSpan(context, nil) }
        var record = SpanRecord(
            operationName,
            kind: SpanRecord.Kind(kind),
            traceID: own.traceID,
            spanID: own.spanID,
            parentSpanID: parent?.spanID,
            scope: String(fileID.prefix { $0 != "/" }),
            start: instant().nanosecondsSinceEpoch,
            end: 0
        )
        record.flags = own.flags
        record.traceState = own.tracestate ?? ""
        record.hasRemoteParent = parent != nil && !isParentLocal
        return ShippedSpan(context, ShippedSpan.Recording(record, sink: sink, limits: limits, redaction: redaction))
    }

    /// The span of this program that a context belongs to: a parent that is another one came with a request.
    private enum LocalSpan: InstrumentationContextKey {
        typealias Value = UInt64
        static var nameOverride: String? { "httpchain-local-span" }
    }

    /// Does nothing: the shipper is flushed, or shut down, by whoever made it.
    @available(*, deprecated)
    public func forceFlush() {}

    /// Reads the trace and the baggage of a request that has come.
    public func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier,
        into context: inout InstrumentationContext,
        using extractor: Extract
    ) where Extract.Carrier == Carrier {
        W3CPropagator().extract(carrier, into: &context, using: extractor)
    }

    /// Writes the trace and the baggage into a request.
    public func inject<Carrier, Inject: Injector>(
        _ context: InstrumentationContext,
        into carrier: inout Carrier,
        using injector: Inject
    ) where Inject.Carrier == Carrier {
        W3CPropagator().inject(context, into: &carrier, using: injector)
    }
}
#endif
