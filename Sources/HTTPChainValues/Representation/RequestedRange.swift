import HTTPChainSupport
package import HTTPTypes

/// The value of `Range`, RFC 9110 §14.1.2 and §14.2: the bytes that a request asks for.
package enum RequestedRange: Sendable, Hashable {
    /// No range, or an invalid value, which is ignored (§14.2).
    case none
    /// A range from one position through another, or to the end if the second is nil.
    case from(Int64, through: Int64?)
    /// The given number of bytes at the end.
    case suffix(Int64)
    /// Several ranges, in one field or in several.
    case several

    package init(_ fields: HTTPFields) {
        guard let text = fields.value(of: .range), let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")),
            text[..<equals].trimming().lowercased() == "bytes"
        else {
            self = .none
            return
        }
        let specs = text[text.utf8.index(after: equals)...].pieces(at: ",").map { $0.trimming() }
            .filter { !$0.isEmpty }
        guard specs.count <= 1 else {
            self = .several
            return
        }
        self = specs.first.map(Self.init(spec:)) ?? .none
    }

    private init(spec: String) {
        self = .none
        guard let dash = spec.utf8.firstIndex(of: UInt8(ascii: "-")) else { return }
        let first = spec.utf8[..<dash]
        let last = spec.utf8[spec.utf8.index(after: dash)...]
        if first.isEmpty {
            if let count = Self.number(last) { self = .suffix(count) }
        } else if let first = Self.number(first) {
            if last.isEmpty {
                self = .from(first, through: nil)
            } else if let last = Self.number(last), last >= first {
                self = .from(first, through: last)
            }
        }
    }

    /// A position that doesn't fit the type is beyond any content.
    private static func number(_ digits: Substring.UTF8View) -> Int64? {
        guard !digits.isEmpty, digits.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
        return ContentLength.number(digits) ?? .max
    }

    /// Returns the byte range within content of this length, or `nil` if it is empty (416).
    package func resolved(length: Int64) -> Range<Int64>? {
        switch self {
        case .none, .several: return nil
        case .from(let first, let last):
            guard first < length else { return nil }
            return first..<(min(last ?? .max, length - 1) + 1)
        case .suffix(let count):
            guard count > 0, length > 0 else { return nil }
            return max(0, length - count)..<length
        }
    }

    /// Returns the value of `Range` that requests the bytes from a position to another, or to the end.
    package static func field(from first: Int64, to end: Int64? = nil) -> String {
        "bytes=\(first)-\(end.map { String($0 - 1) } ?? "")"
    }
}
