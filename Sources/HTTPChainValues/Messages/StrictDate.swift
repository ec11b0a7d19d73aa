package import Foundation
import HTTPChainSupport

/// Parses dates that decide whether stored content is used, RFC 9111 §4.2 and §5.3: only the three forms of RFC 9110
/// §5.6.7.
///
/// An invalid `Expires` means "already expired", so lenient parsing would keep an expired response fresh. Letter case
/// is ignored; the zone must be GMT (§4.2).
package enum StrictDate {
    private static let shortDays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    private static let longDays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

    /// Returns seconds since 1970, or `nil` if the text isn't such a date.
    ///
    /// - Parameters:
    ///   - text: The field's value.
    ///   - now: The reference time for two-digit years.
    package static func seconds(_ text: String, now: Date) -> Int64? {
        if let seconds = HTTPDate.seconds(ofFixdate: text) { return seconds }
        let bytes = Array(text.utf8)
        guard let first = bytes.firstIndex(where: { !ASCII.isSpace($0) }),
            let last = bytes.lastIndex(where: { !ASCII.isSpace($0) })
        else { return nil }
        let lowered = bytes[first...last].map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        let name = String(decoding: lowered.prefix { (0x61...0x7A).contains($0) }, as: UTF8.self)
        let rest = lowered.dropFirst(name.utf8.count)
        let isWellFormed =
            shortDays.contains(name)
            && (fits(rest, ", 00 aaa 0000 00:00:00 gmt") || fits(rest, " aaa _0 00:00:00 0000"))
            || longDays.contains(name) && fits(rest, ", 00-aaa-00 00:00:00 gmt")
        guard isWellFormed, let date = HTTPDate(text, now: now) else { return nil }
        return Int64(date.date.timeIntervalSince1970)
    }

    /// Whether the text matches a layout: `0` is a digit, `a` a letter, `_` a digit or a space; the letters of "gmt"
    /// and everything else match themselves.
    private static func fits(_ text: ArraySlice<UInt8>, _ layout: String) -> Bool {
        guard text.count == layout.utf8.count else { return false }
        return zip(text, layout.utf8).allSatisfy { byte, pattern in
            switch pattern {
            case UInt8(ascii: "0"): (0x30...0x39).contains(byte)
            case UInt8(ascii: "_"): byte == 0x20 || (0x30...0x39).contains(byte)
            case UInt8(ascii: "a"): (0x61...0x7A).contains(byte)
            default: byte == pattern
            }
        }
    }
}
