/// Whether a stage of the chain has decided if this attempt is traced.
///
/// A tracing stage sets this if it creates a span itself, or if the call must not be traced. Transports then create no
/// spans and write no trace fields, so that the attempt isn't traced twice.
package enum TracedByStageNote: RequestOption, RequestNote {
    /// No stage has decided.
    package static var defaultValue: Bool { false }
    /// Always `false`: it only affects traces.
    package static var affectsResponse: Bool { false }
}

extension Request {
    /// Whether a stage has decided if this attempt is traced; transports then create no spans and write no trace fields.
    public var isTracedByStage: Bool { options[TracedByStageNote.self] }
}
