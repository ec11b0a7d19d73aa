import Foundation

/// How dates are written and read.
public enum DateCoding: Sendable, Hashable {
    /// RFC 3339, such as `2026-01-31T09:30:00Z`; fractions of a second are read but not written.
    case iso8601
    /// Seconds since 1970, as a number.
    case secondsSince1970
    /// Milliseconds since 1970, as a number.
    case millisecondsSince1970
    /// A pattern of Unicode TS #35 such as `yyyy-MM-dd`, in UTC and without regard to the user's locale.
    case format(String)
    /// As Foundation's coders do by default: seconds since 2001, as a number.
    case foundation

    func text(of date: Date) -> String {
        switch self {
        case .iso8601: date.formatted(.iso8601)
        case .secondsSince1970: Self.number(date.timeIntervalSince1970)
        case .millisecondsSince1970: Self.number((date.timeIntervalSince1970 * 1000).rounded())
        case .format(let format): Self.formatter(format).string(from: date)
        case .foundation: Self.number(date.timeIntervalSinceReferenceDate)
        }
    }

    func date(from text: String) -> Date? {
        switch self {
        case .iso8601:
            (try? Date(text, strategy: .iso8601))
                ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
        case .secondsSince1970: Double(text).map { Date(timeIntervalSince1970: $0) }
        case .millisecondsSince1970: Double(text).map { Date(timeIntervalSince1970: $0 / 1000) }
        case .format(let format): Self.formatter(format).date(from: text)
        case .foundation: Double(text).map { Date(timeIntervalSinceReferenceDate: $0) }
        }
    }

    private static func number(_ value: Double) -> String {
        Int64(exactly: value).map(String.init) ?? String(value)
    }

    private static func formatter(_ format: String) -> DateFormatter {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = format
        return formatter
    }
}

extension DateCoding {
    func apply(to encoder: JSONEncoder) {
        switch self {
        case .iso8601: encoder.dateEncodingStrategy = .iso8601
        case .secondsSince1970: encoder.dateEncodingStrategy = .secondsSince1970
        case .millisecondsSince1970: encoder.dateEncodingStrategy = .millisecondsSince1970
        case .format:
            encoder.dateEncodingStrategy = .custom { date, encoder in
                var container = encoder.singleValueContainer()
                try container.encode(text(of: date))
            }
        case .foundation: encoder.dateEncodingStrategy = .deferredToDate
        }
    }

    func apply(to decoder: JSONDecoder) {
        switch self {
        case .iso8601, .format:
            decoder.dateDecodingStrategy = .custom { decoder in
                let container = try decoder.singleValueContainer()
                guard let date = date(from: try container.decode(String.self)) else {
                    throw DecodingError.dataCorruptedError(
                        in: container,
                        debugDescription: "the text is not a date as \(self) writes it"
                    )
                }
                return date
            }
        case .secondsSince1970: decoder.dateDecodingStrategy = .secondsSince1970
        case .millisecondsSince1970: decoder.dateDecodingStrategy = .millisecondsSince1970
        case .foundation: decoder.dateDecodingStrategy = .deferredToDate
        }
    }
}
