#if Tracing
public import HTTPChainCore
import HTTPChainLogShipper
public import HTTPChainRemoteLogging
package import HTTPChainTracing
public import Tracing

/// A tracer that ships spans in the same way as log records: in batches, in the background, from memory or a spool.
///
/// ```swift
/// let shipper = LogShipper(
///     to: "http://collector.example.com:4318/v1/traces",
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
/// **Spans** have random IDs, which aren't secret. They are children of the span in their context, which may belong to
/// this program or have arrived with a request (``extract(_:into:using:)``). Their scope is the module that starts
/// them. A span is passed to the shipper when it ends. A span that never ends is never sent.
///
/// **Sampling.** A ``TraceSampler`` decides when a span starts. A span that isn't recorded has only its ID. For an
/// attempt that isn't recorded, the server receives the enclosing span, or a new trace, marked as not recorded.
///
/// **Limits.** ``SpanLimits`` limits attributes, events, links and texts. The number of omitted parts is recorded in
/// the span. Spans that a full queue drops are counted in the shipper's ``/HTTPChainLogShipper/LogShipper/statistics``,
/// and reported to the receiver in a separate span. Failed spans are dropped last.
///
/// **Secrets.** The environment's ``/HTTPChainCore/Redaction`` redacts attributes with the name of a secret, and
/// secrets that it finds in texts.
///
/// **Propagation** follows W3C Trace Context and W3C Baggage (``/HTTPChainTracing/W3CPropagator``).
///
/// **Its own traffic.** A shipper's own requests have no recorded spans.
public final class ShippingTracer: Tracer, Sendable {
    private let sink: any LogSink
    private let sampler: TraceSampler
    private let limits: SpanLimits
    private let redaction: Redaction
    private let ids: TraceIDs

    /// Makes a tracer.
    ///
    /// - Parameters:
    ///   - sink: The sink for finished spans, such as a shipper with the format `.otlpTraces`.
    ///   - sampler: The sampler. By default, all traces are recorded.
    ///   - limits: The limits of spans.
    ///   - environment: The random source for IDs, and the redaction rules; the system's by default.
    public init(
        _ sink: any LogSink,
        sampler: TraceSampler = .always,
        limits: SpanLimits = SpanLimits(),
        environment: ChainEnvironment = .live
    ) {
        self.sink = sink
        self.sampler = sampler
        self.limits = limits
        redaction = environment.redaction
        ids = TraceIDs(seededBy: environment.random)
    }

    /// Starts a span.
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
            // A span that is requested explicitly has its own ID in the trace, even if it isn't recorded.
            let own = trace == context.traceContext ? trace.child(spanID: ids.span()) : trace
            return ShippedSpan(context: Self.context(of: own, in: context), recording: nil)
        case .recorded(let trace):
            return startSpan(operationName, as: trace, in: context, ofKind: kind, at: instant(), file: fileID)
        }
    }

    /// The ID of this program's span in a context.
    ///
    /// A parent with a different ID arrived with a request.
    private enum LocalSpan: InstrumentationContextKey {
        typealias Value = UInt64
        static var nameOverride: String? { "httpchain-local-span" }
    }

    /// Does nothing.
    ///
    /// The shipper's owner flushes it or shuts it down.
    @available(*, deprecated)
    public func forceFlush() {}

    /// Reads the trace and the baggage of a received request.
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
            // Trace Context §3.4: a changed flag requires a new parent. Otherwise, the trace is passed on unchanged.
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
            context: Self.context(of: trace, in: context),
            recording: ShippedSpan.Recording(record, sink: sink, limits: limits, redaction: redaction)
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
