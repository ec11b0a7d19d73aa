public import Foundation
import HTTPChainSupport

/// The way dates are written and read: in JSON, XML, forms, queries, path variables and plain text.
///
/// RFC 3339 is the default everywhere.
public enum DateCoding: Sendable {
    /// RFC 3339 in whole seconds, such as `2026-01-31T09:30:00Z`; fractions of a second are read but not written.
    ///
    /// A text with a day or a time that does not exist, or with anything after the zone, is not a date. Years beyond 9999
    /// cannot be written.
    case iso8601
    /// RFC 3339 with milliseconds, rounded, such as `2026-01-31T09:30:00.250Z`; read as ``iso8601``.
    case iso8601WithMilliseconds
    /// Seconds since 1970, as a number.
    case secondsSince1970
    /// Whole milliseconds since 1970, as a number.
    case millisecondsSince1970
    /// A pattern of Unicode TS #35 such as `yyyy-MM-dd`, in UTC and without regard to the user's locale.
    case format(String)
    /// As Foundation's coders do by default: seconds since 2001, as a number.
    case foundation
    /// As the closures write and read it; `read` returns nil for text that is not a date.
    case custom(write: @Sendable (Date) -> String, read: @Sendable (String) -> Date?)

    /// The text of a date; nil for one that is not finite or beyond what a calendar has.
    package func text(of date: Date) -> String? {
        if case .custom(let write, _) = self { return write(date) }
        guard abs(date.timeIntervalSince1970) < 1e15 else { return nil }
        return switch self {
        case .iso8601: RFC3339.text(date, .seconds)
        case .iso8601WithMilliseconds: RFC3339.text(date, .milliseconds)
        case .secondsSince1970: Self.number(date.timeIntervalSince1970)
        case .millisecondsSince1970: Self.number((date.timeIntervalSince1970 * 1000).rounded())
        case .format(let format): Self.formatter(format).string(from: date)
        case .foundation: Self.number(date.timeIntervalSinceReferenceDate)
        case .custom(let write, _): write(date)
        }
    }

    /// The date of a text; nil when it is not one.
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

    /// A formatter of ``format(_:)``; costly to make.
    package static func formatter(_ format: String) -> DateFormatter {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = format
        return formatter
    }

    private static func number(_ value: Double) -> String {
        Int64(exactly: value).map(String.init) ?? String(value)
    }

    private static func number(_ text: String) -> Double? {
        Double(text).flatMap { $0.isFinite ? $0 : nil }
    }
}
