public import Foundation
import HTTPChainSupport

/// Any JSON value, for members without a declared type.
///
/// ```swift
/// let balance = problem.extensions["balance"]?.integer
/// let first = value["items"]?[0]?["name"]?.string
/// ```
public enum JSONValue: Sendable, Hashable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number without a fraction that fits 64 bits.
    case integer(Int64)
    /// Any other number that a `Double` holds: its text reads back as the same number.
    case number(Double)
    /// A number that neither an `Int64` nor a `Double` holds, such as 123456789012345.6789 or the largest `UInt64`. It
    /// has up to 38 significant digits; further ones are rounded.
    case decimal(Decimal)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object.
    case object([String: JSONValue])

    /// The value of a string; `nil` for anything else.
    public var string: String? { if case .string(let value) = self { value } else { nil } }

    /// The value of `true` and `false`; `nil` for anything else.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The value of a number without a fraction; `nil` for anything else.
    public var integer: Int64? {
        switch self {
        case .integer(let value): value
        case .number(let value): Int64(exactly: value)
        case .decimal(let value): Int64("\(value)")
        default: nil
        }
    }

    /// The value of a number, rounded to the nearest `Double`; `nil` for anything else.
    public var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        case .decimal(let value): Double("\(value)")
        default: nil
        }
    }

    /// The elements of an array; `nil` for anything else.
    public var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }

    /// The members of an object; `nil` for anything else.
    public var object: [String: JSONValue]? { if case .object(let value) = self { value } else { nil } }

    /// A member of an object; `nil` if there is none, and for anything else.
    public subscript(_ name: String) -> JSONValue? { object?[name] }

    /// An element of an array; `nil` if there is none, and for anything else.
    public subscript(_ index: Int) -> JSONValue? {
        guard let array, array.indices.contains(index) else { return nil }
        return array[index]
    }
}

extension JSONValue: Codable {
    /// Decodes any value.
    ///
    /// - Throws: A `DecodingError`, including if values are nested deeper than 128 levels (64 on Apple platforms, whose
    ///   threads have small stacks).
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            // A decoder may drop a fraction that a `Double` doesn't hold.
            let exact = try? container.decode(Decimal.self)
            self = exact.flatMap { $0 == Decimal(value) ? nil : .decimal($0) } ?? .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = JSONValue(value, exactly: try? container.decode(Decimal.self))
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if decoder.codingPath.count >= DocumentDepth.limit {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "values are nested deeper than \(DocumentDepth.limit) levels"
            )
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// Encodes the value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .decimal(let value):
            guard value.isFinite else {
                let context = EncodingError.Context(
                    codingPath: encoder.codingPath,
                    debugDescription: "the number is not finite"
                )
                throw EncodingError.invalidValue(value, context)
            }
            try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

extension JSONValue {
    /// Creates a number: the `Double` if it holds the exact value, otherwise the `Decimal`.
    ///
    /// - Parameters:
    ///   - number: The nearest `Double`; not an integer in the range of `Int64`.
    ///   - exact: The exact value; `nil` if it is outside the range of `Decimal`.
    package init(_ number: Double, exactly exact: Decimal?) {
        self = exact.flatMap { number.holds($0) ? nil : .decimal($0) } ?? .number(number)
    }
}

extension Double {
    /// Whether nothing is lost if this number replaces the decimal that it was rounded from.
    fileprivate func holds(_ decimal: Decimal) -> Bool {
        // The text of such a number may have an exponent, which not every reader of integers accepts.
        if UInt64(exactly: self) != nil { return false }
        // A `Double` holds every number of 15 digits.
        if magnitude * pow(10, Double(-decimal.exponent)) < 1e15 { return true }
        guard let text = Decimal(string: description), text != decimal else { return true }
        return Double("\(decimal)") != self
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Makes a string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Makes a number without a fraction.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Makes a number.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// Makes `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Makes `null`.
    public init(nilLiteral: ()) { self = .null }
    /// Makes an array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Makes an object; the last of several members with the same name is used.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}
