public import Foundation

/// How truth values and dates are written in a URL.
public struct URLValueFormat: Sendable {
    /// How a truth value is written.
    public enum Booleans: Sendable, Hashable {
        /// `true` and `false`.
        case words
        /// `1` and `0`.
        case digits
    }

    /// How a date is written.
    public enum Dates: Sendable {
        /// `2024-05-06T07:08:09Z` (RFC 3339), whole seconds.
        case iso8601
        /// `2024-05-06T07:08:09.123Z`, with milliseconds.
        case iso8601WithMilliseconds
        /// Seconds since 1970, with a fraction only where there is one.
        case secondsSince1970
        /// Whole milliseconds since 1970.
        case millisecondsSince1970
        /// As the closure writes it.
        case custom(@Sendable (Date) -> String)
    }

    /// How a truth value is written; ``Booleans/words`` by default.
    public var booleans: Booleans
    /// How a date is written; ``Dates/iso8601`` by default.
    public var dates: Dates

    /// Makes a format.
    public init(booleans: Booleans = .words, dates: Dates = .iso8601) {
        self.booleans = booleans
        self.dates = dates
    }

    /// The text of a single value, `nil` for a number or date that cannot be written and for composite values.
    func text(_ value: URLValue) -> String? {
        switch value {
        case .string(let text), .opaque(let text): text
        case .integer(let number): String(number)
        case .double(let number): number.isFinite ? "\(number)" : nil
        case .bool(let truth): booleans == .words ? (truth ? "true" : "false") : (truth ? "1" : "0")
        case .date(let date): text(date)
        case .null, .array, .dictionary: nil
        }
    }

    private func text(_ date: Date) -> String? {
        let seconds = date.timeIntervalSince1970
        if case .custom(let write) = dates { return write(date) }
        // Beyond this the calendar and the integer conversions have nothing sensible to say.
        guard seconds.isFinite, abs(seconds) < 1e15 else { return nil }
        return switch dates {
        case .iso8601: date.formatted(.iso8601)
        case .iso8601WithMilliseconds: date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        case .secondsSince1970: seconds == seconds.rounded() ? String(Int64(seconds)) : "\(seconds)"
        case .millisecondsSince1970: String(Int64((seconds * 1000).rounded()))
        case .custom(let write): write(date)
        }
    }
}
