#if Tracing
package import Tracing

/// A tracer that says whether a span is recorded before it makes one: an attempt that is not recorded then needs no span,
/// no context of its own and no record of its call.
///
/// It propagates traces as ``W3CPropagator`` does.
package protocol SamplingTracer: Tracer {
    /// Whether any span within a parent, or within none, may be recorded: where none may, nothing is kept for one.
    func mayRecord(childOf parent: TraceContext?) -> Bool

    /// Decides about one span.
    func sample(childOf parent: TraceContext?) -> SamplingDecision

    /// Begins a span that is to be recorded.
    ///
    /// - Parameters:
    ///   - operationName: The name of the span.
    ///   - trace: The trace and the id of the span, as ``sample(childOf:)`` has decided.
    ///   - context: The context that its parent is of.
    ///   - kind: The relation to parent and children.
    ///   - instant: When it begins.
    ///   - fileID: The module and the file that begin it.
    func startSpan<Instant: TracerInstant>(
        _ operationName: String,
        as trace: TraceContext,
        in context: InstrumentationContext,
        ofKind kind: SpanKind,
        at instant: Instant,
        file fileID: String
    ) -> Span
}

/// The decision on a span, and what servers are told of it.
package enum SamplingDecision: Sendable {
    /// It is recorded, under these ids.
    case recorded(TraceContext)
    /// It is not. The trace is that of the parent, unchanged where the parent is not recorded either.
    case dropped(TraceContext)
}
#endif
