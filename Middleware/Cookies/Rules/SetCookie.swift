package import Foundation
import HTTPChainSupport

/// A parsed `Set-Cookie` field: RFC 6265bis §5.6.
///
/// It checks only the field's syntax; `CookieRules` and ``CookieStorage`` decide whether it becomes a cookie.
package struct SetCookie: Sendable, Hashable {
    package var name: String
    package var value: String
    /// The value of `Max-Age`, which takes precedence over `Expires` (§5.7 step 6).
    var maxAge: Int64?
    /// The value of `Expires`.
    package var expires: Date?
    /// The domain in lower case without its leading dot; empty if the attribute is empty; nil if there is none.
    package var domain: String?
    /// The path; nil if the default path applies.
    package var path: String?
    package var isSecure = false
    package var isHTTPOnly = false
    var isPartitioned = false
    package var sameSite = Cookie.SameSite.unspecified

    /// Parses a field value.
    ///
    /// - Throws: The reason why the whole field is ignored.
    package init(_ field: String, limits: CookieLimits) throws(CookieReason) {
        let bytes = Array(field.utf8)
        guard bytes.count <= limits.field else { throw .fieldTooLong }
        // §5.6 step 1: control characters other than the tab.
        guard !bytes.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) else { throw .controlCharacter }

        Steps.take(bytes.count)
        var parts = bytes.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)[...]
        let pair = parts.removeFirst()
        if let equals = pair.firstIndex(of: UInt8(ascii: "=")) {
            name = Self.text(pair[..<equals])
            value = Self.text(pair[(equals + 1)...])
        } else {
            name = ""
            value = Self.text(pair)
        }
        guard name.utf8.count + value.utf8.count <= limits.pair else { throw .tooLarge }
        guard !name.isEmpty || !value.isEmpty else { throw .empty }
        for part in parts {
            Steps.take(part.count)
            let equals = part.firstIndex(of: UInt8(ascii: "="))
            let value = Self.text(equals.map { part[($0 + 1)...] } ?? [])
            // §5.6 step 6.5: an attribute whose value is too long is ignored.
            if value.utf8.count <= limits.attribute {
                take(Self.text(part[..<(equals ?? part.endIndex)]).lowercased(), value)
            }
        }
    }

    private mutating func take(_ attribute: String, _ value: String) {
        switch attribute {
        case "expires":
            if let date = CookieDate.parse(value) { expires = date }
        case "max-age":
            if let seconds = Self.seconds(value) { maxAge = seconds }
        case "domain":
            domain = String(value.without(prefix: ".") ?? value[...])
        case "path":
            path = value.utf8.first == UInt8(ascii: "/") ? value : nil
        case "secure": isSecure = true
        case "httponly": isHTTPOnly = true
        case "partitioned": isPartitioned = true
        case "samesite": sameSite = Cookie.SameSite(rawValue: value.lowercased()) ?? .unspecified
        default: break
        }
    }

    /// §5.6.2: parses digits with an optional minus sign; excessive numbers are clamped.
    private static func seconds(_ value: String) -> Int64? {
        let isNegative = value.utf8.first == UInt8(ascii: "-")
        let digits = isNegative ? value.utf8.dropFirst() : value.utf8[...]
        guard let first = value.utf8.first, isNegative || (0x30...0x39).contains(first),
            !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        if isNegative { return 0 }
        return digits.reduce(0) { min($0 * 10 + Int64($1 - 0x30), 1_000_000_000) }
    }

    /// The text without surrounding spaces and tabs.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self).trimming()
    }
}
