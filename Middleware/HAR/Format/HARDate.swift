import Foundation
import HTTPChainCore
import HTTPChainSupport

/// Dates in HAR: ISO 8601 with a fraction and a time zone.
enum HARDate {
    /// Returns `2026-11-22T16:54:38.123Z`, with microseconds if there are any.
    ///
    /// The year is clamped to 1 to 9999.
    static func text(_ date: Date) -> String {
        let held = HTTPDate(date).date
        // HTTP dates have no fraction. If the dates differ by less than a second, the difference is the fraction.
        let isWithin = abs(held.timeIntervalSince(date)) < 1
        return RFC3339.text(isWithin ? date : held, .millisecondsOrMore) ?? ""
    }

    /// Reads a date with or without fraction, zone, hyphens and colons, or returns `nil` if the text isn't a date.
    ///
    /// Without a zone, the date is in UTC.
    static func parse(_ text: String) -> Date? { RFC3339.date(text, isLenient: true) }
}
