package import Foundation

/// Dates in the format of RFC 3339: `2026-01-31T09:30:00.250Z`.
package enum RFC3339 {
    /// The number of fractional digits written.
    package enum Precision: Sendable {
        /// No fractional digits; fractions are truncated.
        case seconds
        /// Three digits, rounded.
        case milliseconds
        /// None, three or six digits, as many as the date needs, rounded to microseconds.
        case needed
        /// Three or six digits.
        case millisecondsOrMore
    }

    /// Formats a date in UTC; returns `nil` outside the years 0 to 9999, because the format can't express others.
    package static func text(_ date: Date, _ precision: Precision) -> String? {
        let unit = precision == .milliseconds ? 1000.0 : 1
        // In these years, a `Double` has a precision of a few tenths of a microsecond or better.
        let microseconds = (date.timeIntervalSince1970 * 1e6 / unit).rounded() * unit
        guard (-62_167_219_200e6..<253_402_300_800e6).contains(microseconds) else { return nil }
        let (seconds, remainder) = Int64(microseconds).floorDivided(by: 1_000_000)
        let fraction = Int(remainder)
        let time = CivilTime(secondsSince1970: seconds)
        var text = "\(CivilTime.padded(time.year, 4))-\(CivilTime.padded(time.month))-\(CivilTime.padded(time.day))"
        text += "T\(CivilTime.padded(time.hour)):\(CivilTime.padded(time.minute)):\(CivilTime.padded(time.second))"
        switch precision {
        case .seconds: break
        case .milliseconds: text += "." + CivilTime.padded(fraction / 1000, 3)
        case .needed where fraction == 0: break
        case .needed, .millisecondsOrMore:
            text += "." + (fraction % 1000 == 0 ? CivilTime.padded(fraction / 1000, 3) : CivilTime.padded(fraction, 6))
        }
        return text + "Z"
    }

    /// Parses a date; returns `nil` if the text isn't a date, or its day or time doesn't exist.
    ///
    /// The second may have any number of fractional digits. Letter case is ignored, and the colon of an offset may be
    /// missing (`+0100`), as written by many servers. A leap second counts as the second before it.
    ///
    /// - Parameters:
    ///   - text: The text, without surrounding spaces.
    ///   - isLenient: Whether hyphens, colons, the `T` and the zone (then UTC) may be missing, as in ISO 8601.
    package static func date(_ text: some StringProtocol, isLenient: Bool = false) -> Date? {
        var reader = Reader(rest: Array(text.utf8)[...], isLenient: isLenient)
        return reader.date()
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>
        let isLenient: Bool

        mutating func date() -> Date? {
            guard let year = digits(4), separator("-"), let month = digits(2), separator("-"), let day = digits(2),
                skip("T") || skip("t") || isLenient && skip(" ") || isLenient,
                let hour = digits(2), separator(":"), let minute = digits(2), separator(":"), let second = digits(2),
                let time = CivilTime(
                    year: year,
                    month: month,
                    day: day,
                    hour: hour,
                    minute: minute,
                    second: second
                ),
                let fraction = fraction(), let offset = offset(), rest.isEmpty
            else { return nil }
            return Date(timeIntervalSince1970: Double(time.secondsSince1970 - Int64(offset)) + fraction)
        }

        private mutating func fraction() -> Double? {
            guard skip(".") || isLenient && skip(",") else { return 0 }
            let digits = rest.prefix { (0x30...0x39).contains($0) }
            guard !digits.isEmpty else { return nil }
            rest = rest.dropFirst(digits.count)
            // A `Double` isn't more precise than that.
            return Double("0." + String(decoding: digits.prefix(9), as: UTF8.self))
        }

        private mutating func offset() -> Int? {
            if skip("Z") || skip("z") { return 0 }
            let isNegative = rest.first == UInt8(ascii: "-")
            guard skip("+") || skip("-") else { return isLenient ? 0 : nil }
            guard let hours = digits(2), hours < 24 else { return nil }
            var minutes = 0
            if !rest.isEmpty || !isLenient {
                _ = skip(":")
                guard let number = digits(2), number < 60 else { return nil }
                minutes = number
            }
            return (hours * 3600 + minutes * 60) * (isNegative ? -1 : 1)
        }

        private mutating func digits(_ count: Int) -> Int? {
            guard rest.count >= count, rest.prefix(count).allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count).reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }

        private mutating func separator(_ character: Unicode.Scalar) -> Bool { skip(character) || isLenient }

        private mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard rest.first == UInt8(ascii: character) else { return false }
            rest = rest.dropFirst()
            return true
        }
    }
}
