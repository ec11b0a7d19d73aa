import Foundation

/// Dates as HAR writes them: ISO 8601 with a fraction and a zone.
enum HARDate {
    /// `2026-11-22T16:54:38.123Z`, with microseconds where there are any, held to the years 1 to 9999.
    static func text(_ date: Date) -> String {
        let seconds = date.timeIntervalSince1970
        let bounded = seconds.isNaN ? 0 : min(max(seconds, -62_135_596_800), 253_402_300_799)
        let microseconds = Int64((bounded * 1e6).rounded())
        let (whole, fraction) = floorDivision(microseconds, by: 1_000_000)
        let (days, time) = floorDivision(whole, by: 86_400)
        let (year, month, day) = civil(fromDays: days)
        return "\(padded(year, 4))-\(padded(month))-\(padded(day))T\(padded(time / 3600)):\(padded(time / 60 % 60)):"
            + "\(padded(time % 60)).\(fraction % 1000 == 0 ? padded(fraction / 1000, 3) : padded(fraction, 6))Z"
    }

    /// Reads a date with or without fraction, zone, hyphens and colons; nil for what is none.
    ///
    /// Without a zone it is UTC.
    static func parse(_ text: String) -> Date? {
        var rest = text.utf8[...]
        func skip(_ byte: UInt8) {
            if rest.first == byte { rest.removeFirst() }
        }
        func digits(_ count: Int) -> Int64? {
            guard rest.count >= count, rest.prefix(count).allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            defer { rest = rest.dropFirst(count) }
            return Int64(Substring(rest.prefix(count)))
        }
        guard let year = digits(4) else { return nil }
        skip(UInt8(ascii: "-"))
        guard let month = digits(2), (1...12).contains(month) else { return nil }
        skip(UInt8(ascii: "-"))
        guard let day = digits(2), (1...31).contains(day) else { return nil }
        if rest.first == UInt8(ascii: "T") || rest.first == 0x20 || rest.first == UInt8(ascii: "t") {
            rest.removeFirst()
        }
        guard let hour = digits(2), hour < 24 else { return nil }
        skip(UInt8(ascii: ":"))
        guard let minute = digits(2), minute < 60 else { return nil }
        skip(UInt8(ascii: ":"))
        guard let second = digits(2), second <= 60 else { return nil }
        var fraction = 0.0
        if rest.first == UInt8(ascii: ".") || rest.first == UInt8(ascii: ",") {
            rest.removeFirst()
            let end = rest.firstIndex { !(0x30...0x39).contains($0) } ?? rest.endIndex
            guard let value = Double("0." + Substring(rest[..<end])) else { return nil }
            fraction = value
            rest = rest[end...]
        }
        var offset: Int64 = 0
        if let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
            rest.removeFirst()
            guard let hours = digits(2) else { return nil }
            skip(UInt8(ascii: ":"))
            offset = (hours * 3600 + (digits(2) ?? 0) * 60) * (sign == UInt8(ascii: "-") ? -1 : 1)
        } else {
            skip(UInt8(ascii: "Z"))
            skip(UInt8(ascii: "z"))
        }
        guard rest.isEmpty else { return nil }
        let seconds = days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset
        return Date(timeIntervalSince1970: Double(seconds) + fraction)
    }

    private static func padded(_ number: Int64, _ width: Int = 2) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }

    private static func floorDivision(_ number: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    /// The days from 1 January 1970, counted from 1 March of the year 0, so that the leap day is the last of its year.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = floorDivision(year, by: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func civil(fromDays days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = floorDivision(days + 719_468, by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }
}
