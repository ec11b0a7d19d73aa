#if Tracing
public import HTTPChainCore
import HTTPChainSupport

/// The trace of a request in the form of W3C Trace Context: `traceparent` and `tracestate`.
///
/// ```swift
/// let context = TraceContext(traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
/// context?.isSampled  // true
/// ```
public struct TraceContext: Sendable, Hashable {
    /// The first half of the trace ID.
    package let traceIDHigh: UInt64
    /// The second half of the trace ID.
    package let traceIDLow: UInt64
    /// The ID of the span that is the parent of the receiver's span.
    ///
    /// It is never 0.
    package private(set) var parentID: UInt64
    /// The flags of the trace.
    ///
    /// ``sampledFlag`` and ``randomFlag`` are defined.
    package var flags: UInt8
    /// The state that the systems along the trace have added.
    package var state: TraceState

    /// The flag for a trace that the caller may have recorded (§3.2.2.5.1).
    package static let sampledFlag: UInt8 = 0x01
    /// The flag for a random trace ID (Level 2, §3.2.2.5.2).
    package static let randomFlag: UInt8 = 0x02

    /// Makes a context.
    ///
    /// - Returns: `nil` if an ID is 0, which isn't valid for traces and spans.
    package init?(
        traceIDHigh: UInt64,
        traceIDLow: UInt64,
        parentID: UInt64,
        flags: UInt8 = 0,
        state: TraceState = TraceState()
    ) {
        guard traceIDHigh != 0 || traceIDLow != 0, parentID != 0 else { return nil }
        self.traceIDHigh = traceIDHigh
        self.traceIDLow = traceIDLow
        self.parentID = parentID
        self.flags = flags
        self.state = state
    }

    /// Reads the fields of a request (§3.2, §3.3).
    ///
    /// A later version is read as far as it corresponds to this one (§3.2.4). Unknown flags are dropped.
    ///
    /// - Parameters:
    ///   - traceparent: The value of `traceparent`.
    ///   - tracestate: The value of `tracestate`, with multiple values joined by commas. A malformed value is ignored.
    /// - Returns: `nil` if `traceparent` is malformed. In that case, `tracestate` is ignored too.
    public init?(traceparent: String, tracestate: String? = nil) {
        let bytes = Array(traceparent.utf8.trimmingSpace())
        // version "-" trace-id "-" parent-id "-" trace-flags
        guard bytes.count >= 55, bytes[2] == .hyphen, bytes[35] == .hyphen, bytes[52] == .hyphen,
            let version = Hex.value(bytes[0..<2]), version != 0xFF,
            let high = Hex.value(bytes[3..<19]), let low = Hex.value(bytes[19..<35]),
            let parent = Hex.value(bytes[36..<52]), let flags = Hex.value(bytes[53..<55])
        else { return nil }
        if bytes.count > 55 {
            guard version > 0, bytes[55] == .hyphen else { return nil }
        }
        self.init(
            traceIDHigh: high,
            traceIDLow: low,
            parentID: parent,
            flags: UInt8(truncatingIfNeeded: flags) & (Self.sampledFlag | Self.randomFlag),
            state: tracestate.flatMap { TraceState($0) } ?? TraceState()
        )
    }

    /// Whether the caller may have recorded the trace.
    public var isSampled: Bool { flags & Self.sampledFlag != 0 }

    /// The trace ID: 32 hexadecimal digits in lower case.
    public var traceID: String {
        String(unsafeUninitializedCapacity: 32) { digits in
            traceIDHigh.writeHexadecimal(to: digits, at: 0)
            traceIDLow.writeHexadecimal(to: digits, at: 16)
            return 32
        }
    }

    /// The ID of the parent span: 16 hexadecimal digits in lower case.
    public var spanID: String { parentID.hexadecimal }

    /// The value of `traceparent`, in version 00.
    public var traceparent: String {
        // version "-" trace-id "-" parent-id "-" trace-flags
        String(unsafeUninitializedCapacity: 55) { text in
            text[0] = UInt8(ascii: "0")
            text[1] = UInt8(ascii: "0")
            text[2] = .hyphen
            traceIDHigh.writeHexadecimal(to: text, at: 3)
            traceIDLow.writeHexadecimal(to: text, at: 19)
            text[35] = .hyphen
            parentID.writeHexadecimal(to: text, at: 36)
            text[52] = .hyphen
            text[53] = UInt8(ascii: "0")
            text[54] = (flags & (Self.sampledFlag | Self.randomFlag)).hexadecimalDigit
            return 55
        }
    }

    /// The value of `tracestate`, or `nil` if there is nothing to send.
    public var tracestate: String? { state.members.isEmpty ? nil : state.description }

    /// Makes the first span of a new trace from random numbers.
    ///
    /// The random flag describes how the trace ID was made, rather than whether the trace is recorded. It is always
    /// set, so that systems that sample by the ID can rely on it (Level 2, §3.2.2.5.2).
    package init(random high: UInt64, _ low: UInt64, spanID: UInt64, isSampled: Bool) {
        traceIDHigh = high
        traceIDLow = max(1, low)
        parentID = max(1, spanID)
        flags = isSampled ? Self.randomFlag | Self.sampledFlag : Self.randomFlag
        state = TraceState()
    }

    /// Returns the same trace with a new span as the receiver's parent.
    ///
    /// The span's ID must be a random number.
    package func child(spanID: UInt64) -> TraceContext {
        var context = self
        context.parentID = max(1, spanID)
        return context
    }

    /// Returns the same trace with a new span.
    ///
    /// It is recorded from there on if `isSampled` is `true`.
    package func child(spanID: UInt64, isSampled: Bool) -> TraceContext {
        var context = child(spanID: spanID)
        context.flags = isSampled ? flags | Self.sampledFlag : flags & ~Self.sampledFlag
        return context
    }
}

/// Hexadecimal digits in lower case, as Trace Context requires.
enum Hex {
    static func value(_ digits: ArraySlice<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        for digit in digits {
            guard ASCII.lower(digit) == digit, let bits = digit.hexadecimalValue else { return nil }
            value = value << 4 | UInt64(bits)
        }
        return value
    }
}

extension UInt8 {
    static let hyphen = UInt8(ascii: "-")
}

extension TraceContext: CustomStringConvertible, DescribedValue {
    /// The value of `traceparent`.
    package var words: String { traceparent }
}
#endif
