import HTTPChainCore
import HTTPTypes
import Logging

/// The trace and the span of an exchange, if known.
struct TraceIdentity: Sendable, Hashable {
    private(set) var traceID: String
    private(set) var spanID: String?
    private(set) var flags: String?

    /// Makes the identity from the task's metadata provider, which uses OpenTelemetry's names for logs.
    ///
    /// - Returns: `nil` if the metadata has no trace.
    init?(_ metadata: Logger.Metadata) {
        func text(_ name: String) -> String? {
            switch metadata[name] {
            case .string(let text): text
            case .stringConvertible(let value): value.description
            default: nil
            }
        }
        guard let trace = text("trace_id"), Self.isIdentifier(trace, digits: 32) else { return nil }
        traceID = trace
        spanID = text("span_id").flatMap { Self.isIdentifier($0, digits: 16) ? $0 : nil }
        flags = text("trace_flags")
    }

    /// Makes the identity from a request's `traceparent` (W3C Trace Context §3.2): the trace, and the attempt's span.
    ///
    /// - Returns: `nil` if there is no such field, or it is malformed.
    init?(_ fields: HTTPFields) {
        guard let text = fields[.traceparent] else { return nil }
        let parts = text.pieces(at: "-", omittingEmptySubsequences: false)
        guard parts.count >= 4, parts[0].utf8.count == 2, Self.isIdentifier(parts[1], digits: 32),
            Self.isIdentifier(parts[2], digits: 16), parts[3].utf8.count == 2
        else { return nil }
        traceID = String(parts[1])
        spanID = String(parts[2])
        flags = String(parts[3])
    }

    /// The trace without the span, for something that the span doesn't describe.
    var withoutSpan: TraceIdentity {
        var result = self
        result.spanID = nil
        return result
    }

    private static func isIdentifier(_ text: some StringProtocol, digits: Int) -> Bool {
        text.utf8.count == digits && text.utf8.contains { $0 != UInt8(ascii: "0") }
            && text.utf8.allSatisfy { $0.hexadecimalValue != nil && ASCII.lower($0) == $0 }
    }
}

extension LogAttributes {
    /// Adds the trace, unless the call has its own attributes of these names.
    mutating func add(_ trace: TraceIdentity?) {
        guard let trace else { return }
        for (name, value) in [("trace_id", trace.traceID), ("span_id", trace.spanID), ("trace_flags", trace.flags)] {
            if let value, self[name] == nil { append(name, .string(value)) }
        }
    }
}
