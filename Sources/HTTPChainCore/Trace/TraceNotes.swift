/// A stage's notes about its decisions and their reasons, for tracing the call.
///
/// ```swift
/// let notes = request.traceNotes
/// notes.add("not stored, because the response says no-store")
/// ```
///
/// If the call isn't traced, the text isn't evaluated. It must not contain secrets; anything that looks like one is
/// redacted nevertheless.
public struct TraceNotes: Sendable {
    let span: TraceSpan?

    /// Whether the call is traced.
    package var isTraced: Bool { span != nil }

    /// Adds a line to the stage's span; see ``Trace/Span/notes``.
    public func add(_ note: @autoclosure () -> String) {
        guard let span else { return }
        span.recorder.add(note(), to: span.id)
    }
}

extension Request {
    /// The notes of the stage that currently has the request.
    ///
    /// A stage that also adds notes about the response reads this property before passing the request on.
    public var traceNotes: TraceNotes { TraceNotes(span: options[TraceParentNote.self]) }
}

extension RequestOptions {
    /// The same as ``Request/traceNotes``, for a stage that keeps a request's options but not the request.
    package var traceNotes: TraceNotes { TraceNotes(span: self[TraceParentNote.self]) }
}
