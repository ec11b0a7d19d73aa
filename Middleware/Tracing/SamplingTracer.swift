#if Tracing
package import Tracing

/// A tracer that decides whether to record a span before creating one.
///
/// If an attempt isn't recorded, it needs no span, no separate context, and no record of its call.
///
/// The tracer propagates traces in the same format as ``W3CPropagator``.
package protocol SamplingTracer: Tracer {
    /// Returns whether a child of this parent (or a span without one) may be recorded.
    ///
    /// If it returns `false`, no data is kept for the span.
    func mayRecord(childOf parent: TraceContext?) -> Bool

    /// Decides whether to record a span.
    func sample(childOf parent: TraceContext?) -> SamplingDecision

    /// Starts a span that will be recorded.
    ///
    /// - Parameters:
    ///   - operationName: The name of the span.
    ///   - trace: The trace and the span's ID, as returned by ``sample(childOf:)``.
    ///   - context: The parent's context.
    ///   - kind: The relation to the parent and children.
    ///   - instant: The start time.
    ///   - fileID: The module and file that start the span.
    func startSpan<Instant: TracerInstant>(
        _ operationName: String,
        as trace: TraceContext,
        in context: InstrumentationContext,
        ofKind kind: SpanKind,
        at instant: Instant,
        file fileID: String
    ) -> Span
}

/// The decision about a span, with the trace context for servers.
package enum SamplingDecision: Sendable {
    /// The span is recorded, with these IDs.
    case recorded(TraceContext)
    /// The span isn't recorded.
    ///
    /// The trace is that of the parent. It is unchanged if the parent isn't recorded either.
    case dropped(TraceContext)
}
#endif
