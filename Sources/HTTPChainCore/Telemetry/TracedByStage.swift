/// Whether a stage of the chain has decided about the trace of this attempt.
///
/// A tracing stage sets it, where it makes a span of its own and where the call is not to be traced. A transport that
/// makes spans, or writes fields of a trace, does neither then: the attempt would be traced twice.
public enum TracedByStage: RequestOption {
    /// No stage has.
    public static var defaultValue: Bool { false }
}
