public import Foundation
import HTTPChainSupport

/// The format of dates in JSON, XML, forms, queries, path variables and plain text.
///
/// RFC 3339 is the default everywhere.
public enum DateCoding: Sendable {
    /// RFC 3339 in whole seconds, such as `2026-01-31T09:30:00Z`; fractions of a second are parsed but not written.
    ///
    /// Text isn't a date if its day or time doesn't exist, or if anything follows the zone. Years beyond 9999 can't be
    /// written.
    case iso8601
    /// RFC 3339 with rounded milliseconds, such as `2026-01-31T09:30:00.250Z`; parsed like ``iso8601``.
    case iso8601WithMilliseconds
    /// Seconds since 1970, as a number.
    case secondsSince1970
    /// Whole milliseconds since 1970, as a number.
    case millisecondsSince1970
    /// A pattern of Unicode TS #35 such as `yyyy-MM-dd`, in UTC and independent of the user's locale.
    case format(String)
    /// The default of Foundation's coders: seconds since 2001, as a number.
    case foundation
    /// Custom closures; `read` returns nil if the text isn't a date.
    case custom(write: @Sendable (Date) -> String, read: @Sendable (String) -> Date?)

    /// Formats a date; returns nil if the date isn't finite or is out of range, unless the format is custom.
    package func text(of date: Date) -> String? {
        switch self {
        case .custom(let write, _): write(date)
        case _ where !(abs(date.timeIntervalSince1970) < 1e15): nil
        case .iso8601: RFC3339.text(date, .seconds)
        case .iso8601WithMilliseconds: RFC3339.text(date, .milliseconds)
        case .secondsSince1970: Self.number(date.timeIntervalSince1970)
        case .millisecondsSince1970: Self.number(Self.wholeMilliseconds(of: date))
        case .format(let format): Self.formatter(format).string(from: date)
        case .foundation: Self.number(date.timeIntervalSinceReferenceDate)
        }
    }

    /// Parses a date; returns nil if the text isn't one.
    package func date(from text: String) -> Date? {
        switch self {
        case .iso8601, .iso8601WithMilliseconds: RFC3339.date(text)
        case .secondsSince1970: Self.number(text).map { Date(timeIntervalSince1970: $0) }
        case .millisecondsSince1970: Self.number(text).map { Date(timeIntervalSince1970: $0 / 1000) }
        case .format(let format): Self.formatter(format).date(from: text)
        case .foundation: Self.number(text).map { Date(timeIntervalSinceReferenceDate: $0) }
        case .custom(_, let read): read(text)
        }
    }

    /// Makes a formatter for ``format(_:)``; this is expensive.
    package static func formatter(_ format: String) -> DateFormatter {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = format
        return formatter
    }

    static func wholeMilliseconds(of date: Date) -> Double { (date.timeIntervalSince1970 * 1000).rounded() }

    private static func number(_ value: Double) -> String {
        Int64(exactly: value).map(String.init) ?? String(value)
    }

    private static func number(_ text: String) -> Double? {
        Double(text).flatMap { $0.isFinite ? $0 : nil }
    }
}
