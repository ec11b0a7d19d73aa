import Foundation
import HTTPChainCore

/// Dates as a cache reads them, RFC 9111 §4.2 and §5.3: the three forms of RFC 9110 §5.6.7 and nothing near them.
///
/// An invalid `Expires` means "already expired", so leniency would keep a response fresh that is not. Letter case does
/// not matter; a zone other than GMT does (§4.2).
enum StrictDate {
    private static let shortDays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    private static let longDays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

    /// Seconds since 1970, or `nil` for what is no such date.
    ///
    /// - Parameters:
    ///   - text: The field's value.
    ///   - now: What two digits of a year are read against.
    static func seconds(_ text: String, now: Date) -> Int64? {
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

    /// Whether the text has the layout: `0` stands for a digit, `a` for a letter, `_` for a digit or a space; letters
    /// of "gmt" and all else stand for themselves.
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
