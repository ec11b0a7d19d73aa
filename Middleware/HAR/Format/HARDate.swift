import Foundation
import HTTPChainCore
import HTTPChainSupport

/// Dates as HAR writes them: ISO 8601 with a fraction and a zone.
enum HARDate {
    /// `2026-11-22T16:54:38.123Z`, with microseconds where there are any, held to the years 1 to 9999.
    static func text(_ date: Date) -> String {
        let held = HTTPDate(date).date
        // Less than a second is the fraction that HTTP dates do not have.
        let isWithin = abs(held.timeIntervalSince(date)) < 1
        return RFC3339.text(isWithin ? date : held, .millisecondsOrMore) ?? ""
    }

    /// Reads a date with or without fraction, zone, hyphens and colons; nil for a text that is not a date.
    ///
    /// Without a zone it is UTC.
    static func parse(_ text: String) -> Date? { RFC3339.date(text, isLenient: true) }
}
