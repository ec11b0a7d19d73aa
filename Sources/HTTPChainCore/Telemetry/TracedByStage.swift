/// Whether a stage of the chain has decided if this attempt is traced.
///
/// A tracing stage sets it if it creates a span itself, or if the call must not be traced. Transports then create no
/// spans and write no trace fields, so that the attempt isn't traced twice.
public enum TracedByStage: RequestOption, RequestNote {
    /// No stage has decided.
    public static var defaultValue: Bool { false }
    /// Always `false`: it only affects traces.
    public static var affectsResponse: Bool { false }
}
