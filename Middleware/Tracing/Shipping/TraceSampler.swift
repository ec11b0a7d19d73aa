#if Tracing
public import Foundation
import HTTPChainTracing

/// A rule that determines which traces are recorded and shipped.
///
/// ```swift
/// let sampler = TraceSampler.ratio(0.1)  // a tenth of the traces that begin here, and all that callers record
/// ```
///
/// By default, a trace from another program is recorded if that program records it, so that traces are complete (see
/// ``ratio(_:followsParent:)``). For a new trace, the decision depends on its ID, so that programs with the same ratio
/// record the same traces.
public struct TraceSampler: Sendable, Hashable {
    /// The fraction of new traces that are recorded, from 0 to 1.
    package let ratio: Double
    /// Whether the parent's decision is used, if there is a parent.
    package var followsParent: Bool
    /// Descriptions of the variables that ``init(environment:)`` couldn't read, without their values.
    public let problems: [String]

    /// Records all traces (`parentbased_always_on`).
    public static let always = TraceSampler(ratio: 1)
    /// Records no new traces (`parentbased_always_off`).
    package static let never = TraceSampler(ratio: 0)

    /// Records a fraction of the traces (`parentbased_traceidratio`, or `traceidratio`).
    ///
    /// - Parameters:
    ///   - ratio: The fraction, from 0 to 1. Other values are clamped, and NaN counts as 0.
    ///   - followsParent: Whether the parent's decision is used, if there is a parent; `true` by default.
    public static func ratio(_ ratio: Double, followsParent: Bool = true) -> TraceSampler {
        TraceSampler(ratio: ratio, followsParent: followsParent)
    }

    package init(ratio: Double, followsParent: Bool = true) {
        self.ratio = ratio.isNaN ? 0 : min(max(0, ratio), 1)
        self.followsParent = followsParent
        problems = []
    }

    /// Makes the sampler set by `OTEL_TRACES_SAMPLER` and `OTEL_TRACES_SAMPLER_ARG`, or ``always`` if the sampler is
    /// missing or unknown.
    ///
    /// A ratio that is missing or invalid counts as 1. An unknown sampler and an invalid ratio are listed in
    /// ``problems``.
    public init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        var problems: [String] = []
        switch environment["OTEL_TRACES_SAMPLER"] {
        case "always_on", "parentbased_always_on", nil, "": ratio = 1
        case "always_off", "parentbased_always_off": ratio = 0
        case "traceidratio", "parentbased_traceidratio": ratio = Self.ratio(in: environment, &problems)
        default:
            ratio = 1
            problems.append("OTEL_TRACES_SAMPLER is not a known sampler, so every trace is recorded")
        }
        followsParent = !["always_on", "always_off", "traceidratio"].contains(environment["OTEL_TRACES_SAMPLER"])
        self.problems = problems
    }

    private static func ratio(in environment: [String: String], _ problems: inout [String]) -> Double {
        guard let text = environment["OTEL_TRACES_SAMPLER_ARG"], !text.isEmpty else { return 1 }
        if let ratio = Double(text), (0...1).contains(ratio) { return ratio }
        problems.append("OTEL_TRACES_SAMPLER_ARG is not a number from 0 to 1, so every trace is recorded")
        return 1
    }

    /// Returns whether a child of this parent (or a span without one) may be recorded.
    func mayRecord(childOf parent: TraceContext?) -> Bool {
        if followsParent, let parent { return parent.isSampled }
        return ratio > 0
    }

    /// Returns whether a span is recorded.
    ///
    /// - Parameters:
    ///   - traceIDLow: The second half of the trace ID, in which 56 bits are random (Trace Context, Level 2).
    ///   - parent: The caller's span, if there is one.
    func records(traceIDLow: UInt64, parent: TraceContext?) -> Bool {
        if followsParent, let parent { return parent.isSampled }
        if ratio >= 1 { return true }
        let bits = traceIDLow & 0x00FF_FFFF_FFFF_FFFF
        return Double(bits) < ratio * 0x1p56
    }
}

/// The limits on the size of a span.
///
/// Parts beyond them are omitted and counted.
public struct SpanLimits: Sendable, Hashable {
    package var attributes: Int
    package var events: Int
    package var links: Int
    /// The maximum number of attributes of an event or a link; 128 by default.
    package var innerAttributes = 128
    package var length: Int

    /// Makes limits.
    ///
    /// Numbers below zero count as zero.
    ///
    /// - Parameters:
    ///   - attributes: The maximum number of attributes of a span; 128 by default.
    ///   - events: The maximum number of events of a span; 128 by default.
    ///   - links: The maximum number of links of a span; 128 by default.
    ///   - length: The maximum length of a text in an attribute, in Unicode scalars; 8,192 by default. Longer texts are
    ///     truncated.
    public init(attributes: Int = 128, events: Int = 128, links: Int = 128, length: Int = 8192) {
        self.attributes = max(0, attributes)
        self.events = max(0, events)
        self.links = max(0, links)
        self.length = max(0, length)
    }

    /// The default limits.
    package static let standard = SpanLimits()
}
#endif
