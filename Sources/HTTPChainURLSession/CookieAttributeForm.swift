import Foundation
import HTTPChainCore
import HTTPChainSupport

/// The `Set-Cookie` attributes whose values have a fixed form (RFC 6265 §4.1.1, RFC 6265bis, CHIPS), so that their end
/// is unambiguous.
enum CookieAttributeForm {
    /// Whether the text is one of these attributes with a complete value.
    static func isComplete(_ text: Substring.UTF8View) -> Bool {
        let equals = text.firstIndex(of: UInt8(ascii: "="))
        let name = Substring(text[..<(equals ?? text.endIndex)]).trimming().lowercased()
        guard let equals else { return flags.contains(name) }
        let value = Substring(text[text.index(after: equals)...]).trimming()
        switch name {
        // Any other path may contain a comma (RFC 6265 §4.1.1).
        case "path": return value == "/"
        case "domain": return !value.isEmpty && value.utf8.allSatisfy(isHostByte)
        // Any number of digits (RFC 6265 §5.2.2).
        case "max-age": return isDigits((value.without(prefix: "-") ?? value[...]).utf8)
        case "samesite": return ["strict", "lax", "none"].contains(value.lowercased())
        case "priority": return ["low", "medium", "high"].contains(value.lowercased())
        case "expires": return isDate(value)
        default: return false
        }
    }

    private static let flags: Set<String> = ["secure", "httponly", "partitioned"]

    private static func isHostByte(_ byte: UInt8) -> Bool {
        ASCII.isAlphanumeric(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: "_")
    }

    /// Whether the text has a weekday, a comma, a date and a time: `Wed, 09 Jun 2031 10:18:14 GMT`.
    ///
    /// Hyphens and a two-digit year are accepted, too.
    private static func isDate(_ text: String) -> Bool {
        let words = text.utf8.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "-") }
        guard words.count == 6, words[0].last == UInt8(ascii: ",") else { return false }
        let isZone = words[5].elementsEqual("GMT".utf8) || words[5].elementsEqual("UTC".utf8)
        let time = words[4].split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        return isZone && words[0].dropLast().allSatisfy(isLetter) && words[2].allSatisfy(isLetter)
            && isNumber(words[1]) && isNumber(words[3]) && time.count == 3 && time.allSatisfy(isNumber)
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

    private static func isNumber(_ text: Substring.UTF8View) -> Bool {
        (1...4).contains(text.count) && isDigits(text)
    }

    private static func isDigits(_ text: Substring.UTF8View) -> Bool {
        !text.isEmpty && text.allSatisfy { (0x30...0x39).contains($0) }
    }
}
