import HTTPChainCore
import HTTPChainRemoteLogging
import HTTPChainSupport

/// The positions of the attributes that identify a record's trace.
///
/// The names are those of OpenTelemetry for logs in other formats. The values are those of W3C Trace Context.
struct TraceContext {
    private(set) var traceID: Int?
    private(set) var spanID: Int?
    private(set) var flags: Int?
    private(set) var flagBits: UInt8 = 0

    init(of attributes: LogAttributes) {
        for (position, attribute) in attributes.list.enumerated() {
            switch attribute.name.utf8.count {
            case 8 where attribute.name == "trace_id" && attribute.value.isHexadecimal(digits: 32): traceID = position
            case 7 where attribute.name == "span_id" && attribute.value.isHexadecimal(digits: 16): spanID = position
            case 11 where attribute.name == "trace_flags":
                guard let text = attribute.value.string, text.utf8.count == 2, let bits = UInt8(text, radix: 16) else {
                    continue
                }
                flags = position
                flagBits = bits
            default: continue
            }
        }
        // Without a trace, the span and the flags are ordinary attributes.
        if traceID == nil {
            spanID = nil
            flags = nil
        }
    }

    /// The number of these attributes.
    var count: Int { (traceID == nil ? 0 : 1) + (spanID == nil ? 0 : 1) + (flags == nil ? 0 : 1) }

    /// Returns whether the attribute at a position is one of them.
    func holds(_ position: Int) -> Bool { position == traceID || position == spanID || position == flags }
}

extension JSONValue {
    /// Returns whether the value is a string of this many hexadecimal digits that aren't all zero.
    fileprivate func isHexadecimal(digits: Int) -> Bool {
        guard case .string(let text) = self, text.utf8.count == digits else { return false }
        return text.utf8.contains { $0 != UInt8(ascii: "0") }
            && text.utf8.allSatisfy { $0.hexadecimalValue != nil }
    }
}
