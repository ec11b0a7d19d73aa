public import Foundation

/// A value in a URL: that of a path variable, a template variable or a query parameter.
///
/// It can be made from literals, and from all types that conform to ``URLValueConvertible``.
public enum URLValue: Sendable, Hashable {
    /// No value.
    ///
    /// A variable is undefined (RFC 6570 §2.3), and a query parameter is omitted.
    case null
    /// Text, percent-encoded as required by its place.
    case string(String)
    /// Opaque text, such as an identifier that is itself a URL.
    ///
    /// It is always fully percent-encoded, so that it isn't refused even if it looks like a URL.
    case opaque(String)
    /// An integer, in decimal.
    case integer(Int64)
    /// A number; infinity and NaN can't be encoded.
    case double(Double)
    /// A Boolean, encoded as defined by the ``/HTTPChainCore/ParameterEncoder``.
    case bool(Bool)
    /// A date, encoded as defined by the ``/HTTPChainCore/ParameterEncoder``.
    case date(Date)
    /// Values in order: a list in RFC 6570 §2.3, or a query parameter with several values.
    case array([URLValue])
    /// Named values in order: an associative array in RFC 6570 §2.3, or nested query parameters.
    case dictionary(URLParameters)
}

/// A type whose values can be used in a URL.
///
/// Numbers, text, Booleans, dates, UUIDs, and arrays and dictionaries of them conform. For an enum with raw values,
/// declaring the conformance is enough: `extension Sort: URLValueConvertible {}`.
public protocol URLValueConvertible {
    /// The value in a URL.
    var urlValue: URLValue { get }
}

/// A value of the standard library or Foundation.
///
/// Outside the package, only the member of ``URLValueConvertible`` is visible.
package protocol BuiltInURLValue: URLValueConvertible {
    /// The value in a URL.
    var valueInURL: URLValue { get }
}

extension BuiltInURLValue {
    /// The value in a URL.
    public var urlValue: URLValue { valueInURL }
}

extension URLValue: URLValueConvertible, BuiltInURLValue {
    /// The value itself.
    package var valueInURL: URLValue { self }
}

extension URLValue: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    /// Text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// An integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A number.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// A Boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// No value.
    public init(nilLiteral: ()) { self = .null }
    /// Values in order.
    public init(arrayLiteral elements: URLValue...) { self = .array(elements) }
    /// Named values in order.
    public init(dictionaryLiteral elements: (String, URLValue)...) {
        self = .dictionary(URLParameters(elements))
    }
}

extension URLValueConvertible where Self: BinaryInteger {
    /// The integer in decimal.
    public var urlValue: URLValue { Int64(exactly: self).map(URLValue.integer) ?? .string(String(self)) }
}

extension URLValueConvertible where Self: RawRepresentable, RawValue: URLValueConvertible {
    /// The raw value.
    public var urlValue: URLValue { rawValue.urlValue }
}

extension Int: URLValueConvertible {}
extension Int8: URLValueConvertible {}
extension Int16: URLValueConvertible {}
extension Int32: URLValueConvertible {}
extension Int64: URLValueConvertible {}
extension UInt: URLValueConvertible {}
extension UInt8: URLValueConvertible {}
extension UInt16: URLValueConvertible {}
extension UInt32: URLValueConvertible {}
extension UInt64: URLValueConvertible {}

extension String: URLValueConvertible, BuiltInURLValue {
    /// The text.
    package var valueInURL: URLValue { .string(self) }
}

extension Substring: URLValueConvertible, BuiltInURLValue {
    /// The text.
    package var valueInURL: URLValue { .string(String(self)) }
}

extension Double: URLValueConvertible, BuiltInURLValue {
    /// The number.
    package var valueInURL: URLValue { .double(self) }
}

extension Float: URLValueConvertible, BuiltInURLValue {
    /// The number, with the digits that identify it among `Float` values.
    package var valueInURL: URLValue { Double("\(self)").map(URLValue.double) ?? .double(Double(self)) }
}

extension Decimal: URLValueConvertible, BuiltInURLValue {
    /// The number.
    package var valueInURL: URLValue { isNaN ? .double(.nan) : .string("\(self)") }
}

extension Bool: URLValueConvertible, BuiltInURLValue {
    /// The Boolean.
    package var valueInURL: URLValue { .bool(self) }
}

extension Date: URLValueConvertible, BuiltInURLValue {
    /// The date.
    package var valueInURL: URLValue { .date(self) }
}

extension UUID: URLValueConvertible, BuiltInURLValue {
    /// The identifier in upper-case hexadecimal.
    package var valueInURL: URLValue { .string(uuidString) }
}

extension URL: URLValueConvertible, BuiltInURLValue {
    /// The URL as a single opaque value.
    package var valueInURL: URLValue { .opaque(absoluteString) }
}

extension Optional: URLValueConvertible, BuiltInURLValue where Wrapped: URLValueConvertible {
    /// The value, or ``URLValue/null``.
    package var valueInURL: URLValue { self?.urlValue ?? .null }
}

extension Array: URLValueConvertible, BuiltInURLValue where Element: URLValueConvertible {
    /// The values in order.
    package var valueInURL: URLValue { .array(map(\.urlValue)) }
}

extension Dictionary: URLValueConvertible, BuiltInURLValue where Key == String, Value: URLValueConvertible {
    /// The values sorted by name, because a dictionary has no stable order, and equal values should result in the same
    /// URL.
    package var valueInURL: URLValue {
        .dictionary(URLParameters(sorted { $0.key < $1.key }.map { ($0.key, $0.value.urlValue) }))
    }
}
