import Foundation
import HTTPChainCore
import HTTPChainSupport

/// A JSON text (RFC 8259) as a tree that preserves the order of members and the notation of numbers.
///
/// Numbers are kept as text. Their values matter only when contents are compared, which is rare, and an identifier of
/// twenty digits doesn't fit in a `Double`.
enum JSONTree: Sendable, Hashable {
    struct Member: Sendable, Hashable {
        let name: String
        let value: JSONTree

        static func == (one: Member, other: Member) -> Bool {
            one.name.hasSameBytes(as: other.name) && one.value == other.value
        }
    }

    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([JSONTree])
    case object([Member])

    /// Whether both are the same value; strings are compared by their code units (RFC 8259 §8.3).
    static func == (one: JSONTree, other: JSONTree) -> Bool {
        switch (one, other) {
        case (.null, .null): true
        case (.bool(let one), .bool(let other)): one == other
        case (.number(let one), .number(let other)), (.string(let one), .string(let other)):
            one.hasSameBytes(as: other)
        case (.array(let one), .array(let other)): one == other
        case (.object(let one), .object(let other)): one == other
        default: false
        }
    }

    init(_ value: JSONValue) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .number("\(value)")
        case .number(let value): self = value.isFinite ? .number("\(value)") : .null
        case .decimal(let value): self = value.isFinite ? .number("\(value)") : .null
        case .string(let value): self = .string(value)
        case .array(let values): self = .array(values.map(JSONTree.init))
        case .object(let members):
            self = .object(members.sorted { $0.key < $1.key }.map { Member(name: $0.key, value: JSONTree($0.value)) })
        }
    }

    /// The value, regardless of notation.
    ///
    /// If a name is repeated, the last member wins.
    var value: JSONValue {
        switch self {
        case .null: .null
        case .bool(let value): .bool(value)
        case .number(let text): Int64(text).map { .integer($0) } ?? Self.number(text) ?? .null
        case .string(let text): .string(text)
        case .array(let elements): .array(elements.map(\.value))
        case .object(let members):
            .object(Dictionary(members.map { ($0.name, $0.value.value) }) { _, last in last })
        }
    }

    private static func number(_ text: String) -> JSONValue? {
        Double(text).map { JSONValue($0, exactly: Decimal(string: text)) }
    }

    /// The JSON text, on one line.
    var text: String {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the JSON text, on one line.
    func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let text): bytes.append(contentsOf: text.utf8)
        case .string(let text): bytes.append(jsonString: text)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                element.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                bytes.append(jsonString: member.name)
                bytes.append(UInt8(ascii: ":"))
                member.value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }
}

extension JSONTree {
    /// The tree without insignificant differences: the order of members, and the notation of numbers (`1.0`, `1`,
    /// `10e-1`).
    var normalized: JSONTree {
        switch self {
        case .null, .bool, .string: return self
        case .number(let text): return .number(Self.normalized(number: text))
        case .array(let elements): return .array(elements.map(\.normalized))
        case .object(let members):
            // If a name is repeated, the last member wins.
            let last = Dictionary(members.map { (ExactText($0.name), $0.value) }) { _, last in last }
            return .object(
                last.sorted { $0.key.text.utf8.lexicographicallyPrecedes($1.key.text.utf8) }
                    .map { Member(name: $0.key.text, value: $0.value.normalized) }
            )
        }
    }

    /// Returns a number as its significant digits and a power of ten.
    private static func normalized(number: String) -> String {
        let lowered = number.lowercased()
        let parts = lowered.pieces(at: "e", maxSplits: 1)
        guard let mantissa = parts.first, var exponent = parts.count > 1 ? Int(parts[1]) : 0 else { return lowered }
        let isNegative = mantissa.begins(with: "-")
        let halves = (mantissa.without(prefix: "-") ?? mantissa).pieces(at: ".", omittingEmptySubsequences: false)
        var digits = halves.joined().utf8[...]
        if halves.count > 1 {
            let (shifted, overflow) = exponent.subtractingReportingOverflow(halves[1].utf8.count)
            if overflow { return lowered }
            exponent = shifted
        }
        digits = digits.drop { $0 == UInt8(ascii: "0") }
        while digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            let (shifted, overflow) = exponent.addingReportingOverflow(1)
            if overflow { return lowered }
            exponent = shifted
        }
        if digits.isEmpty { return "0" }
        return (isNegative ? "-" : "") + String(Substring(digits)) + (exponent == 0 ? "" : "e\(exponent)")
    }
}
