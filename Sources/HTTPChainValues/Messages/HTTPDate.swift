public import Foundation
import HTTPChainSupport

/// A date as written in HTTP fields, with a precision of one second.
///
/// ```swift
/// let date = HTTPDate("Sun, 06 Nov 1994 08:49:37 GMT")?.date
/// let text = HTTPDate(Date()).description
/// ```
public struct HTTPDate: Sendable, Hashable {
    /// The date, without fractions of a second.
    public let date: Date

    /// Makes a date, truncated to whole seconds and clamped to the years 1 to 9999, the only ones that can be written.
    ///
    /// NaN becomes 1970.
    public init(_ date: Date) {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        let bounded = seconds.isNaN ? 0 : min(max(seconds, Self.earliest), Self.latest)
        self.date = Date(timeIntervalSince1970: bounded)
    }

    private static let earliest = -62_135_596_800.0
    private static let latest = 253_402_300_799.0

    /// Parses the three formats that a recipient must accept, RFC 9110 §5.6.7: IMF-fixdate
    /// (`Sun, 06 Nov 1994 08:49:37 GMT`), RFC 850 (`Sunday, 06-Nov-94 08:49:37 GMT`) and C's asctime
    /// (`Sun Nov  6 08:49:37 1994`).
    ///
    /// The letter case of names, a wrong weekday and surrounding spaces are ignored. The zone must be GMT or UTC. A
    /// leap second counts as the second before it.
    ///
    /// - Parameters:
    ///   - text: The value of a field such as `Date` or `Retry-After`.
    ///   - now: The date for interpreting two-digit years. A year more than 50 years in the future is taken as the most
    ///     recent past year with these digits.
    /// - Returns: `nil` if the text isn't such a date, or the day or time doesn't exist.
    public init?(_ text: some StringProtocol, now: Date = Date()) {
        if let seconds = Self.seconds(ofFixdate: text) {
            date = Date(timeIntervalSince1970: Double(seconds))
            return
        }
        var fields = DateFields(text)
        guard let seconds = fields.parse(now: now) else { return nil }
        date = Date(timeIntervalSince1970: Double(seconds))
    }

    /// Parses an IMF-fixdate in the strict form that senders must write, as nearly all do, into seconds since 1970.
    ///
    /// - Returns: `nil` for anything else, including other valid dates.
    package static func seconds(ofFixdate text: some StringProtocol) -> Int64? {
        text.utf8.withContiguousStorageIfAvailable { Fixdate($0)?.seconds } ?? nil
    }
}

extension HTTPDate: CustomStringConvertible {
    /// The date as IMF-fixdate, the format that senders must write, RFC 9110 §5.6.7.
    public var description: String {
        let time = CivilTime(secondsSince1970: Int64(date.timeIntervalSince1970))
        return "\(Names.weekdays[time.weekday]), \(padded(time.day)) \(Names.months[time.month - 1]) "
            + "\(padded(time.year, 4)) \(padded(time.hour)):\(padded(time.minute)):\(padded(time.second)) GMT"
    }

    /// The date in the basic format of ISO 8601, to the second: `20261125T121500Z`.
    package var basicISO8601: String {
        let time = CivilTime(secondsSince1970: Int64(date.timeIntervalSince1970))
        return "\(padded(time.year, 4))\(padded(time.month))\(padded(time.day))"
            + "T\(padded(time.hour))\(padded(time.minute))\(padded(time.second))Z"
    }

    private func padded(_ number: Int, _ width: Int = 2) -> String { CivilTime.padded(number, width) }
}

private enum Names {
    static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
}

/// A date in the format that senders use: `Sun, 06 Nov 1994 08:49:37 GMT`.
private struct Fixdate {
    private static let layout = Array("???, 00 ??? 0000 00:00:00 GMT".utf8)
    private static let months = Names.months.map { word($0.utf8) }
    private static let weekdays = Names.weekdays.map { word($0.utf8) }

    let seconds: Int64

    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count == Self.layout.count else { return nil }
        for (byte, pattern) in zip(bytes, Self.layout) where pattern != UInt8(ascii: "?") {
            guard pattern == UInt8(ascii: "0") ? byte &- 0x30 < 10 : byte == pattern else { return nil }
        }
        func number(_ start: Int, _ count: Int) -> Int {
            bytes[start..<start + count].reduce(0) { $0 * 10 + Int($1 &- 0x30) }
        }
        guard Self.weekdays.contains(Self.word(bytes[..<3])),
            let month = Self.months.firstIndex(of: Self.word(bytes[8..<11])).map({ $0 + 1 }),
            let time = CivilTime(
                year: number(12, 4),
                month: month,
                day: number(5, 2),
                hour: number(17, 2),
                minute: number(20, 2),
                second: number(23, 2)
            ), time.year >= 1
        else { return nil }
        seconds = time.secondsSince1970
    }

    /// Packs three letters into a number.
    private static func word(_ letters: some Sequence<UInt8>) -> UInt32 { letters.reduce(0) { $0 << 8 | UInt32($1) } }
}

/// Parses the parts of a date in sequence.
private struct DateFields {
    private var rest: ArraySlice<UInt8>

    init(_ text: some StringProtocol) {
        rest = ArraySlice(text.utf8)
        Steps.take(rest.count)
        while rest.first.map(ASCII.isSpace) ?? false { rest.removeFirst() }
        while rest.last.map(ASCII.isSpace) ?? false { rest.removeLast() }
    }

    mutating func parse(now: Date) -> Int64? {
        let name = letters()
        guard (3...9).contains(name.utf8.count) else { return nil }
        guard skip(",") else { return asctime() }
        skipSpaces()
        guard let day = number(1...2) else { return nil }
        if skip("-") {
            guard let month = month(), skip("-"), let digits = number(2...4) else { return nil }
            guard let time = timeInGMT() else { return nil }
            return seconds(digits < 100 ? Self.year(ending: digits, now: now) : digits, month, day, time)
        }
        skipSpaces()
        guard let month = month() else { return nil }
        skipSpaces()
        guard let year = number(4...4), let time = timeInGMT() else { return nil }
        return seconds(year, month, day, time)
    }

    private mutating func asctime() -> Int64? {
        skipSpaces()
        guard let month = month() else { return nil }
        skipSpaces()
        guard let day = number(1...2) else { return nil }
        skipSpaces()
        guard let time = time() else { return nil }
        skipSpaces()
        guard let year = number(4...4) else { return nil }
        skipSpaces()
        guard rest.isEmpty || isZone() else { return nil }
        return seconds(year, month, day, time)
    }

    private static func year(ending digits: Int, now: Date) -> Int {
        let current = CivilTime(secondsSince1970: Int64(HTTPDate(now).date.timeIntervalSince1970)).year
        let year = current / 100 * 100 + digits
        return year > current + 50 ? year - 100 : year
    }

    private func seconds(_ year: Int, _ month: Int, _ day: Int, _ time: Int) -> Int64? {
        guard year >= 1, let day = CivilTime(year: year, month: month, day: day) else { return nil }
        return day.secondsSince1970 + Int64(time)
    }

    private mutating func timeInGMT() -> Int? {
        skipSpaces()
        guard let time = time() else { return nil }
        skipSpaces()
        return isZone() ? time : nil
    }

    private mutating func time() -> Int? {
        guard let hour = number(2...2), skip(":"), let minute = number(2...2), skip(":"), let second = number(2...2),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        return hour * 3600 + minute * 60 + min(second, 59)
    }

    private mutating func isZone() -> Bool {
        let zone = letters()
        return rest.isEmpty && (zone == "gmt" || zone == "utc")
    }

    private mutating func month() -> Int? {
        let name = letters()
        return Names.months.firstIndex { $0.lowercased() == name }.map { $0 + 1 }
    }

    private mutating func letters() -> String {
        let name = rest.prefix { (0x41...0x5A).contains($0 & 0xDF) }
        rest = rest.dropFirst(name.count)
        return String(decoding: name.map { $0 | 0x20 }, as: UTF8.self)
    }

    private mutating func number(_ width: ClosedRange<Int>) -> Int? {
        let digits = rest.prefix(width.upperBound).prefix { (0x30...0x39).contains($0) }
        guard width.contains(digits.count) else { return nil }
        rest = rest.dropFirst(digits.count)
        guard rest.first.map({ !(0x30...0x39).contains($0) }) ?? true else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func skipSpaces() {
        while rest.first.map(ASCII.isSpace) ?? false { rest.removeFirst() }
    }
}
