#if Tracing
import HTTPChainCore

/// The trace that a request belongs to, as W3C Trace Context writes it: `traceparent` and `tracestate`.
///
/// ```swift
/// let context = TraceContext(traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
/// context?.isSampled  // true
/// ```
public struct TraceContext: Sendable, Hashable, CustomStringConvertible {
    /// The first half of the trace's id.
    public let traceIDHigh: UInt64
    /// The second half of the trace's id.
    public let traceIDLow: UInt64
    /// The id of the span that is the parent of what receives it; never 0.
    public let parentID: UInt64
    /// The trace's flags, of which ``sampledFlag`` and ``randomFlag`` have a meaning.
    public var flags: UInt8
    /// The state that the systems on the way keep for themselves.
    public var state: TraceState

    /// The flag that says that the caller may have recorded the trace (§3.2.2.5.1).
    public static let sampledFlag: UInt8 = 0x01
    /// The flag that says that the trace's id is random (Level 2, §3.2.2.5.2).
    public static let randomFlag: UInt8 = 0x02

    /// Makes a context.
    ///
    /// - Returns: `nil` when an id is 0, which no trace and no span may have.
    public init?(
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
    /// A later version is read as far as this one goes (§3.2.4). Of the flags those are kept that are known.
    ///
    /// - Parameters:
    ///   - traceparent: The value of `traceparent`.
    ///   - tracestate: The value of `tracestate`, several joined with commas; one that is malformed counts as none.
    /// - Returns: `nil` when `traceparent` is malformed, and `tracestate` means nothing either.
    public init?(traceparent: String, tracestate: String? = nil) {
        let bytes = Array(traceparent.utf8.trimmingOWS())
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

    /// The trace's id: 32 hexadecimal digits in lower case.
    public var traceID: String {
        String(decoding: Hex.digits(traceIDHigh) + Hex.digits(traceIDLow), as: UTF8.self)
    }

    /// The id of the parent span: 16 hexadecimal digits in lower case.
    public var spanID: String { String(decoding: Hex.digits(parentID), as: UTF8.self) }

    /// The value of `traceparent`, in version 00.
    public var traceparent: String {
        var bytes: [UInt8] = [0x30, 0x30, .hyphen]
        bytes.reserveCapacity(55)
        bytes += Hex.digits(traceIDHigh)
        bytes += Hex.digits(traceIDLow)
        bytes.append(.hyphen)
        bytes += Hex.digits(parentID)
        bytes.append(.hyphen)
        bytes += Hex.digits(UInt64(flags & (Self.sampledFlag | Self.randomFlag))).suffix(2)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The value of `tracestate`; `nil` where there is none to send.
    public var tracestate: String? { state.members.isEmpty ? nil : state.description }

    /// The value of `traceparent`.
    public var description: String { traceparent }

    /// The same trace with a new span as the parent of what receives it.
    func child(_ random: any RandomSource) -> TraceContext {
        let context = TraceContext(
            traceIDHigh: traceIDHigh,
            traceIDLow: traceIDLow,
            parentID: max(1, random.next()),
            flags: flags,
            state: state
        )
        return context ?? self
    }

    /// A new trace that nobody records.
    static func start(_ random: any RandomSource) -> TraceContext? {
        TraceContext(
            traceIDHigh: random.next(),
            traceIDLow: max(1, random.next()),
            parentID: max(1, random.next()),
            flags: randomFlag
        )
    }
}

/// Hexadecimal digits in lower case, the only ones that Trace Context knows.
enum Hex {
    static func value(_ digits: ArraySlice<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt64(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return value
    }

    static func digits(_ value: UInt64) -> [UInt8] {
        (0..<16).map { index in
            let nibble = UInt8(truncatingIfNeeded: value >> UInt64((15 - index) * 4)) & 0xF
            return nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
        }
    }
}

extension UInt8 {
    static let hyphen = UInt8(ascii: "-")
    var isOWS: Bool { self == 0x20 || self == 0x09 }
}

extension BidirectionalCollection<UInt8> {
    /// Without spaces and tabs around it (RFC 9110 §5.6.3).
    func trimmingOWS() -> SubSequence {
        let front = drop(while: \.isOWS)
        guard let last = front.lastIndex(where: { !$0.isOWS }) else { return front }
        return front[...last]
    }
}
#endif
