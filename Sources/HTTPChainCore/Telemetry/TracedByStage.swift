/// Whether a stage of the chain has decided about the trace of this attempt.
///
/// Set by a tracing stage if it creates a span itself, and if the call must not be traced. Transports then create no
/// spans and write no trace fields, because the attempt would be traced twice.
public enum TracedByStage: RequestOption, RequestNote {
    /// No stage has decided.
    public static var defaultValue: Bool { false }
    /// Always `false`: it only affects traces.
    public static var affectsResponse: Bool { false }
}
