package import Foundation
import HTTPChainSupport

/// Parses the date of an `Expires` attribute: RFC 6265bis §5.1.1.
///
/// Servers write these dates in many ways. The algorithm looks for a time, a day, a month and a year among the tokens,
/// in any order, and ignores everything else, including the zone.
package enum CookieDate {
    package static func parse(_ text: some StringProtocol) -> Date? {
        var found = Found()
        var token: [UInt8] = []
        for byte in text.utf8 {
            Steps.take()
            if isDelimiter(byte) {
                found.take(token)
                token.removeAll(keepingCapacity: true)
            } else {
                token.append(byte)
            }
        }
        found.take(token)
        return found.date
    }

    /// The bytes between tokens: `%x09 / %x20-2F / %x3B-40 / %x5B-60 / %x7B-7E`.
    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    /// The values found so far; for each production, the first token that matches is used.
    private struct Found {
        var time: (hour: Int, minute: Int, second: Int)?
        var day: Int?
        var month: Int?
        var year: Int?

        mutating func take(_ token: [UInt8]) {
            if token.isEmpty { return }
            Steps.take(token.count)
            if time == nil, let found = Self.time(token) {
                time = found
            } else if day == nil, let found = Self.number(token[...], digits: 1...2) {
                day = found
            } else if month == nil, let found = Self.month(token) {
                month = found
            } else if year == nil, let found = Self.number(token[...], digits: 2...4) {
                year = found
            }
        }

        var date: Date? {
            guard let time, let day, let month, var year else { return nil }
            switch year {
            case 70...99: year += 1900
            case 0...69: year += 2000
            default: break
            }
            guard year >= 1601, time.second <= 59,
                let civil = CivilTime(
                    year: year,
                    month: month,
                    day: day,
                    hour: time.hour,
                    minute: time.minute,
                    second: time.second
                )
            else { return nil }
            return Date(timeIntervalSince1970: Double(civil.secondsSince1970))
        }

        /// Parses hours, minutes and seconds: `hms-time [ non-digit *OCTET ]`.
        private static func time(_ token: [UInt8]) -> (hour: Int, minute: Int, second: Int)? {
            let parts = token.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3, let hour = wholeNumber(parts[0]), let minute = wholeNumber(parts[1]),
                let second = number(parts[2], digits: 1...2)
            else { return nil }
            return (hour, minute, second)
        }

        private static func wholeNumber(_ bytes: ArraySlice<UInt8>) -> Int? {
            (1...2).contains(bytes.count) ? number(bytes, digits: bytes.count...bytes.count) : nil
        }

        /// Parses leading digits, which must be followed by the end or a non-digit.
        private static func number(_ bytes: ArraySlice<UInt8>, digits: ClosedRange<Int>) -> Int? {
            let leading = bytes.prefix { (0x30...0x39).contains($0) }
            guard digits.contains(leading.count) else { return nil }
            return leading.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }

        /// Parses the first three letters, ignoring letter case.
        private static func month(_ token: [UInt8]) -> Int? {
            guard token.count >= 3 else { return nil }
            let name = token.prefix(3).map { $0 | 0x20 }
            return names.firstIndex(of: name).map { $0 + 1 }
        }

        private static let names = [
            "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
        ].map { Array($0.utf8) }
    }
}
