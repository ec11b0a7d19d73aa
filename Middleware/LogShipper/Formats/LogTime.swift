import Foundation

extension Date {
    /// Nanoseconds since 1970, held to what 63 bits can say: from 1970 to April 2262.
    var unixNanoseconds: UInt64 {
        let time = timeIntervalSinceReferenceDate
        let whole = time.rounded(.down)
        // False for what is not a number, too.
        guard whole >= -Self.timeIntervalBetween1970AndReferenceDate else { return 0 }
        guard whole < 8_245_064_836 else { return UInt64(Int64.max) }
        let seconds = UInt64(Int64(whole) + 978_307_200)
        return seconds * 1_000_000_000 + UInt64(((time - whole) * 1e9).rounded())
    }
}

/// Writes times as RFC 3339 has them, in UTC, with microseconds; what was worked out for a second is kept for the next
/// record, which mostly is of the same second.
struct TimestampWriter {
    private var second: UInt64?
    private var text: [UInt8] = []

    /// Appends `2026-11-21T15:19:20.123456Z`.
    mutating func write(_ date: Date, to writer: inout JSONWriter) {
        // The date has not all digits of a nanosecond: rounded, the microsecond is what was meant.
        let microseconds = (date.unixNanoseconds + 500) / 1000
        let (second, fraction) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        if second != self.second {
            self.second = second
            text = Self.text(ofSecond: second)
        }
        writer.raw(text)
        writer.integer(fraction, digits: 6)
        writer.raw("Z")
    }

    /// Year, month, day and time of day with the dot after them.
    private static func text(ofSecond second: UInt64) -> [UInt8] {
        let (days, time) = second.quotientAndRemainder(dividingBy: 86_400)
        let (year, month, day) = civil(fromDays: days)
        var writer = JSONWriter(capacity: 20)
        writer.integer(year, digits: 4)
        writer.raw("-")
        writer.integer(month, digits: 2)
        writer.raw("-")
        writer.integer(day, digits: 2)
        writer.raw("T")
        writer.integer(time / 3600, digits: 2)
        writer.raw(":")
        writer.integer(time / 60 % 60, digits: 2)
        writer.raw(":")
        writer.integer(time % 60, digits: 2)
        writer.raw(".")
        return writer.bytes
    }

    /// The date of a day, counted from 1 January 1970.
    private static func civil(fromDays days: UInt64) -> (year: UInt64, month: UInt64, day: UInt64) {
        // Counted from 1 March of the year 0 the leap day is the last of its year, and 400 years are a round number.
        let (era, dayOfEra) = (days + 719_468).quotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        // Months from March on are 31, 30, 31, 30, 31 days long, over and over: 153 days for five.
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, day)
    }
}
