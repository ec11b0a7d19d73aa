#if Tracing
public import HTTPChainCore
import HTTPChainLogShipper
public import HTTPChainRemoteLogging
package import HTTPChainTracing
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
/// **Spans** have random ids, which are no secrets, and are children of the span in their context, whether it is of this program or came with a
/// request (``extract(_:into:using:)``). Their scope is the module that begins them. A span is handed to the shipper
/// when it ends, once; a span that never ends is never sent.
///
/// **Sampling.** ``TraceSampler`` decides when a span begins. One that is not recorded keeps nothing but its id. Of an
/// attempt that is not recorded the server is told the span around it, or a new trace, and that it is not recorded.
///
/// **Limits.** ``SpanLimits`` bounds attributes, events, links and texts; what is left out is counted on the span. What
/// a full queue drops is in the shipper's ``/HTTPChainLogShipper/LogShipper/statistics``, and the receiver is told in a
/// span of its own (`OTLPTraceFormat`); spans that failed are dropped last.
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
    private let ids: TraceIDs

    /// Makes a tracer.
    ///
    /// - Parameters:
    ///   - sink: Takes the spans that have ended: a shipper with an `OTLPTraceFormat`, or a test.
    ///   - sampler: Which traces are recorded; all by default.
    ///   - limits: How much of a span is kept.
    ///   - environment: Random numbers that the ids are made of, and what counts as a secret; the system's by default.
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
        ids = TraceIDs(seededBy: environment.random)
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
        let context = context()
        switch sample(childOf: context.traceContext) {
        case .dropped(let trace):
            // Who asks for a span takes part in the trace, and has an id of its own in it, recorded or not.
            let own = trace == context.traceContext ? trace.child(spanID: ids.span()) : trace
            return ShippedSpan(Self.context(of: own, in: context), nil)
        case .recorded(let trace):
            return startSpan(operationName, as: trace, in: context, ofKind: kind, at: instant(), file: fileID)
        }
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

extension ShippingTracer: SamplingTracer {
    package func mayRecord(childOf parent: TraceContext?) -> Bool {
        sampler.mayRecord(childOf: parent) && !LogShipper.isShipping
    }

    package func sample(childOf parent: TraceContext?) -> SamplingDecision {
        guard let parent else {
            let (high, low, span) = ids.root()
            let isSampled = sampler.records(traceIDLow: low, parent: nil) && !LogShipper.isShipping
            let trace = TraceContext(random: high, low, spanID: span, isSampled: isSampled)
            return isSampled ? .recorded(trace) : .dropped(trace)
        }
        guard sampler.records(traceIDLow: parent.traceIDLow, parent: parent), !LogShipper.isShipping else {
            // Trace Context §3.4: a new flag needs a new parent; where none changes, the trace goes on as it came.
            return .dropped(parent.isSampled ? parent.child(spanID: ids.span(), isSampled: false) : parent)
        }
        return .recorded(parent.child(spanID: ids.span(), isSampled: true))
    }

    package func startSpan<Instant: TracerInstant>(
        _ operationName: String,
        as trace: TraceContext,
        in context: InstrumentationContext,
        ofKind kind: SpanKind,
        at instant: Instant,
        file fileID: String
    ) -> ShippedSpan {
        let parent = context.traceContext
        var record = SpanRecord(
            operationName,
            kind: SpanRecord.Kind(kind),
            traceID: trace.traceID,
            spanID: trace.spanID,
            parentSpanID: parent?.spanID,
            scope: String(fileID.unicodeScalars.prefix { $0 != "/" }),
            start: instant.nanosecondsSinceEpoch,
            end: 0
        )
        record.flags = trace.flags
        record.traceState = trace.tracestate ?? ""
        record.hasRemoteParent = parent != nil && context[LocalSpan.self] != parent?.parentID
        return ShippedSpan(
            Self.context(of: trace, in: context),
            ShippedSpan.Recording(record, sink: sink, limits: limits, redaction: redaction)
        )
    }

    private static func context(of span: TraceContext, in parent: InstrumentationContext) -> InstrumentationContext {
        var context = parent
        context.traceContext = span
        context[LocalSpan.self] = span.parentID
        return context
    }
}
#endif
