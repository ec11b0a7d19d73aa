#if Tracing
package import Tracing

/// A tracer that decides whether to record a span before creating one.
///
/// An attempt that isn't recorded then needs no span, no separate context and no record of its call.
///
/// It propagates traces like ``W3CPropagator``.
package protocol SamplingTracer: Tracer {
    /// Whether any span of this parent, or without one, may be recorded.
    ///
    /// If not, no data is kept for it.
    func mayRecord(childOf parent: TraceContext?) -> Bool

    /// Decides whether to record a span.
    func sample(childOf parent: TraceContext?) -> SamplingDecision

    /// Starts a span that will be recorded.
    ///
    /// - Parameters:
    ///   - operationName: The name of the span.
    ///   - trace: The trace and the span's ID, as decided by ``sample(childOf:)``.
    ///   - context: The parent's context.
    ///   - kind: The relation to parent and children.
    ///   - instant: The start time.
    ///   - fileID: The module and file that start it.
    func startSpan<Instant: TracerInstant>(
        _ operationName: String,
        as trace: TraceContext,
        in context: InstrumentationContext,
        ofKind kind: SpanKind,
        at instant: Instant,
        file fileID: String
    ) -> Span
}

/// The decision about a span, and the trace context sent to servers.
package enum SamplingDecision: Sendable {
    /// Recorded, with these IDs.
    case recorded(TraceContext)
    /// Not recorded.
    ///
    /// The trace is that of the parent, unchanged if the parent isn't recorded either.
    case dropped(TraceContext)
}
#endif
