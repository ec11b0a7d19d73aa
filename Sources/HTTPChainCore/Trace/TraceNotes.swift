/// The notes of a stage on what it decided and why, for whoever traces the call.
///
/// ```swift
/// let notes = request.traceNotes
/// notes.add("not stored, because the response says no-store")
/// ```
///
/// In a call that is not traced nothing is kept, and the text is not even made. The text must hold no secret; what looks
/// like one is redacted nevertheless.
public struct TraceNotes: Sendable {
    let span: TraceSpan?

    /// Whether the call is traced.
    public var isTraced: Bool { span != nil }

    /// Adds a line to the stage's span: ``Trace/Span/notes``.
    public func add(_ note: @autoclosure () -> String) {
        guard let span else { return }
        span.recorder.add(note(), to: span.id)
    }
}

extension Request {
    /// The notes of the stage that has the request now.
    ///
    /// A stage that tells of the response too takes them before it passes the request on.
    public var traceNotes: TraceNotes { TraceNotes(span: options[TraceParent.self]) }
}

extension RequestOptions {
    /// As ``Request/traceNotes``, for a stage that keeps the options of a request and not the request.
    package var traceNotes: TraceNotes { TraceNotes(span: self[TraceParent.self]) }
}

/// A span of a trace.
struct TraceSpan: Sendable {
    let id: Int
    let recorder: TraceRecorder
}
