/// A date and time of the Gregorian calendar in UTC, without leap seconds.
///
/// All dates in text use this calendar.
package struct CivilTime: Sendable, Hashable {
    package var year: Int
    package var month: Int
    package var day: Int
    package var hour: Int
    package var minute: Int
    package var second: Int

    /// Makes the time for a number of seconds since 1970, within the years -9999 to 9999.
    package init(secondsSince1970 seconds: Int64) {
        let days = Int(seconds.floorDivided(by: 86_400).quotient)
        let time = Int(seconds.floorDivided(by: 86_400).remainder)
        let era = (days + 719_468).floorDivided(by: 146_097)
        let dayOfEra = era.remainder
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        month = shifted < 10 ? shifted + 3 : shifted - 9
        year = yearOfEra + era.quotient * 400 + (month <= 2 ? 1 : 0)
        day = dayOfYear - (153 * shifted + 2) / 5 + 1
        (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60)
    }

    /// Makes a time from its parts, or returns `nil` if it doesn't exist.
    ///
    /// A leap second counts as the second before it.
    package init?(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
        guard (0...9999).contains(year), (1...12).contains(month), day >= 1,
            day <= Self.length(ofMonth: month, year: year), (0...23).contains(hour), (0...59).contains(minute),
            (0...60).contains(second)
        else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
        (self.hour, self.minute, self.second) = (hour, minute, min(second, 59))
    }

    /// The number of seconds since 1970; it is an `Int64`, because from 2038 on it doesn't fit a 32-bit `Int`.
    package var secondsSince1970: Int64 { Int64(days) * 86_400 + Int64(hour * 3600 + minute * 60 + second) }

    /// The number of days since 1970.
    private var days: Int {
        // In this calculation years start in March, so that the leap day is the last day of its year.
        let era = (month <= 2 ? year - 1 : year).floorDivided(by: 400)
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = era.remainder * 365 + era.remainder / 4 - era.remainder / 100 + dayOfYear
        return era.quotient * 146_097 + dayOfEra - 719_468
    }

    /// The day of the week, 0 for Sunday.
    package var weekday: Int { (days + 4).floorDivided(by: 7).remainder }

    private static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Formats a number in decimal, with at least the given number of digits.
    package static func padded(_ number: Int, _ width: Int = 2) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}

extension FixedWidthInteger {
    /// Returns the quotient rounded down, and the nonnegative remainder.
    package func floorDivided(by divisor: Self) -> (quotient: Self, remainder: Self) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
