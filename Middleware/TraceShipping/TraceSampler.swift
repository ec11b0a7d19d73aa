#if Tracing
public import Foundation
import HTTPChainTracing

/// A rule that says which traces are recorded and shipped.
///
/// ```swift
/// let sampler = TraceSampler.ratio(0.1)  // a tenth of the traces that begin here, and all that callers record
/// ```
///
/// A trace that comes from elsewhere is recorded where its caller records it, so that traces are whole; ``followsParent``
/// can be switched off. The decision about a new trace is made by its id, so that programs with the same ratio record
/// the same traces.
public struct TraceSampler: Sendable, Hashable {
    /// The part of the traces that begin here that is recorded, from 0 to 1.
    public let ratio: Double
    /// Whether the decision of the parent counts, where there is one.
    public var followsParent: Bool

    /// Every trace (`parentbased_always_on`).
    public static let always = TraceSampler(ratio: 1)
    /// None that begins here (`parentbased_always_off`).
    public static let never = TraceSampler(ratio: 0)

    /// A part of the traces (`parentbased_traceidratio`).
    ///
    /// - Parameter ratio: From 0 to 1; what is no such number is taken for the nearest.
    public static func ratio(_ ratio: Double) -> TraceSampler { TraceSampler(ratio: ratio) }

    /// Makes a sampler.
    ///
    /// - Parameters:
    ///   - ratio: The part of the traces that is recorded, from 0 to 1.
    ///   - followsParent: Whether the decision of the parent counts, where there is one; `true` by default.
    public init(ratio: Double, followsParent: Bool = true) {
        self.ratio = ratio.isNaN ? 0 : min(max(0, ratio), 1)
        self.followsParent = followsParent
    }

    /// The sampler that `OTEL_TRACES_SAMPLER` and `OTEL_TRACES_SAMPLER_ARG` ask for; ``always`` where they ask for none
    /// that is known.
    public init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        let argument = environment["OTEL_TRACES_SAMPLER_ARG"].flatMap { Double($0) }.flatMap {
            (0...1).contains($0) ? $0 : nil
        }
        switch environment["OTEL_TRACES_SAMPLER"] {
        case "always_on": self.init(ratio: 1, followsParent: false)
        case "always_off": self.init(ratio: 0, followsParent: false)
        case "traceidratio": self.init(ratio: argument ?? 1, followsParent: false)
        case "parentbased_always_off": self.init(ratio: 0)
        case "parentbased_traceidratio": self.init(ratio: argument ?? 1)
        default: self.init(ratio: 1)
        }
    }

    /// Whether any span may be recorded whose parent is this one, or that has none.
    func mayRecord(childOf parent: TraceContext?) -> Bool {
        if followsParent, let parent { return parent.isSampled }
        return ratio > 0
    }

    /// Whether a span is recorded.
    ///
    /// - Parameters:
    ///   - traceIDLow: The second half of the trace's id, of which 56 bits are random (Trace Context, Level 2).
    ///   - parent: The caller's span, where there is one.
    func records(traceIDLow: UInt64, parent: TraceContext?) -> Bool {
        if followsParent, let parent { return parent.isSampled }
        if ratio >= 1 { return true }
        let bits = traceIDLow & 0x00FF_FFFF_FFFF_FFFF
        return Double(bits) < ratio * 0x1p56
    }
}

/// The limits of what is kept of a span; what goes beyond is left out and counted.
public struct SpanLimits: Sendable, Hashable {
    /// The most attributes of a span; 128 by default.
    public var attributes = 128
    /// The most events of a span; 128 by default.
    public var events = 128
    /// The most links of a span; 128 by default.
    public var links = 128
    /// The most attributes of an event or a link; 128 by default.
    public var innerAttributes = 128
    /// The longest text of an attribute, in characters; 8,192 by default.
    ///
    /// A longer one is cut.
    public var length = 8192

    /// The default limits.
    public init() {}

    /// The default limits.
    public static let standard = SpanLimits()
}
#endif
