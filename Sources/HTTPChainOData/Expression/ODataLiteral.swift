public import Foundation
public import HTTPChainCore
import HTTPChainSupport

/// A value in the form of OData URLs (ABNF rule `primitiveLiteral`), without percent-encoding.
///
/// Strings, numbers, dates and other types have a literal (``ODataLiteralConvertible``). These functions return further
/// ones:
///
/// ```swift
/// ODataLiteral.enumeration("Ns.Color", "Yellow")       // Ns.Color'Yellow'
/// ODataLiteral.date(year: 2026, month: 2, day: 28)     // 2026-02-28
/// ```
public struct ODataLiteral: Sendable, Hashable {
    /// The text of the literal.
    package let text: String

    init(_ text: String) { self.text = text }

    /// No value.
    public static let null = ODataLiteral("null")

    /// Returns a member of an enumeration, or several separated by commas.
    ///
    /// - Parameters:
    ///   - type: The qualified name of the type, such as `Sales.Pattern`.
    ///   - members: The names of the members.
    public static func enumeration(_ type: String, _ members: String...) -> ODataLiteral {
        ODataLiteral(type + Escaping.odataString(members.joined(separator: ",")))
    }

    /// Returns a date (`Edm.Date`), such as `2026-02-28`.
    public static func date(year: Int, month: Int, day: Int) -> ODataLiteral {
        let sign = year < 0 ? "-" : ""
        return ODataLiteral("\(sign)\(padded(year.magnitude, 4))-\(padded(month, 2))-\(padded(day, 2))")
    }

    /// Returns a time of day (`Edm.TimeOfDay`), such as `07:59:59.5`.
    ///
    /// - Parameters:
    ///   - hour: The hour, 0 to 23.
    ///   - minute: The minute, 0 to 59.
    ///   - second: The second, 0 to 59.
    ///   - nanosecond: The fraction of the second. It is written without trailing zeros.
    public static func timeOfDay(hour: Int, minute: Int, second: Int = 0, nanosecond: Int = 0) -> ODataLiteral {
        ODataLiteral("\(padded(hour, 2)):\(padded(minute, 2)):\(padded(second, 2))\(fraction(nanosecond))")
    }

    private static func padded(_ number: some BinaryInteger, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }

    fileprivate static func fraction(_ nanosecond: Int) -> String {
        guard nanosecond > 0 else { return "" }
        var digits = padded(nanosecond, 9).utf8[...]
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        return ".\(Substring(digits))"
    }
}

/// A type whose values have an OData literal.
///
/// Text, numbers, Booleans, dates, durations, UUIDs and bytes conform, and so do optionals of these, whose `nil` is
/// `null`.
public protocol ODataLiteralConvertible: Sendable {
    /// The literal.
    var odataLiteral: ODataLiteral { get }
}

/// A value of the standard library or Foundation.
///
/// Its public interface has only the member of ``ODataLiteralConvertible``.
package protocol BuiltInODataValue: ODataLiteralConvertible {
    /// The literal.
    var literalInOData: ODataLiteral { get }
}

extension BuiltInODataValue {
    /// The literal.
    public var odataLiteral: ODataLiteral { literalInOData }
}

extension ODataLiteral: ODataLiteralConvertible, BuiltInODataValue {
    /// The literal itself.
    package var literalInOData: ODataLiteral { self }
}

extension String: ODataLiteralConvertible, BuiltInODataValue {
    /// The text in quotes, with inner quotes doubled.
    package var literalInOData: ODataLiteral { ODataLiteral(Escaping.odataString(self)) }
}

extension Bool: ODataLiteralConvertible, BuiltInODataValue {
    /// `true` or `false`.
    package var literalInOData: ODataLiteral { ODataLiteral(self ? "true" : "false") }
}

extension BuiltInODataValue where Self: FixedWidthInteger {
    /// The digits.
    package var literalInOData: ODataLiteral { ODataLiteral(String(self)) }
}

extension Int: ODataLiteralConvertible, BuiltInODataValue {}
extension Int8: ODataLiteralConvertible, BuiltInODataValue {}
extension Int16: ODataLiteralConvertible, BuiltInODataValue {}
extension Int32: ODataLiteralConvertible, BuiltInODataValue {}
extension Int64: ODataLiteralConvertible, BuiltInODataValue {}
extension UInt8: ODataLiteralConvertible, BuiltInODataValue {}
extension UInt16: ODataLiteralConvertible, BuiltInODataValue {}
extension UInt32: ODataLiteralConvertible, BuiltInODataValue {}
extension UInt64: ODataLiteralConvertible, BuiltInODataValue {}

extension BuiltInODataValue where Self: BinaryFloatingPoint & LosslessStringConvertible {
    /// The number, `INF`, `-INF` or `NaN`.
    package var literalInOData: ODataLiteral {
        if isNaN { return ODataLiteral("NaN") }
        if isInfinite { return ODataLiteral(self < 0 ? "-INF" : "INF") }
        return ODataLiteral(String(self))
    }
}

extension Double: ODataLiteralConvertible, BuiltInODataValue {}
extension Float: ODataLiteralConvertible, BuiltInODataValue {}

extension Decimal: ODataLiteralConvertible, BuiltInODataValue {
    /// The digits.
    package var literalInOData: ODataLiteral { ODataLiteral(isNaN ? "NaN" : "\(self)") }
}

extension UUID: ODataLiteralConvertible, BuiltInODataValue {
    /// The GUID in lower case, without quotes.
    package var literalInOData: ODataLiteral { ODataLiteral(uuidString.lowercased()) }
}

extension Data: ODataLiteralConvertible, BuiltInODataValue {
    /// The bytes in base64url (`Edm.Binary`).
    package var literalInOData: ODataLiteral {
        // The ABNF requires padding.
        let padding = String(repeating: "=", count: (3 - count % 3) % 3)
        return ODataLiteral("binary'\(Base64URL.encode(self))\(padding)'")
    }
}

extension Date: ODataLiteralConvertible, BuiltInODataValue {
    /// The date and time in UTC (`Edm.DateTimeOffset`), to the microsecond, the precision of a `Date`.
    ///
    /// A date outside the years 0 to 9999 is clamped to the first or last date that can be written.
    package var literalInOData: ODataLiteral {
        ODataLiteral(RFC3339.text(self, .needed) ?? RFC3339.text(HTTPDate(self).date, .needed) ?? "")
    }
}

extension Duration: ODataLiteralConvertible, BuiltInODataValue {
    /// The duration in seconds (`Edm.Duration`), such as `duration'PT90.5S'`.
    package var literalInOData: ODataLiteral {
        let isNegative = self < .zero
        let (seconds, attoseconds) = components
        let nanoseconds = Int(attoseconds.magnitude / 1_000_000_000)
        let text = "\(seconds.magnitude)\(ODataLiteral.fraction(nanoseconds))"
        return ODataLiteral("duration'\(isNegative ? "-" : "")PT\(text)S'")
    }
}

extension Optional: ODataLiteralConvertible, BuiltInODataValue where Wrapped: ODataLiteralConvertible {
    /// The value's literal, or `null`.
    package var literalInOData: ODataLiteral { self?.odataLiteral ?? .null }
}

extension ODataLiteral: CustomStringConvertible, DescribedValue {
    /// The text.
    package var words: String { text }
}
