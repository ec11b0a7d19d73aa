import Foundation
import HTTPChainCore
import HTTPChainSupport
import HTTPChainTesting
import TestSupport
import Testing

@Suite("Dates of RFC 3339")
struct RFC3339Tests {
    /// 1 January of the year, and whether it has 366 days.
    private static let years: [(start: Int, days: Int)] = [
        (1_767_225_600, 365), (1_704_067_200, 366), (951_782_400, 10), (-2_208_988_800, 365),
    ]

    @Test("Each millisecond that is written is read again, and written in the same way", .seeded)
    func milliseconds() throws {
        let numbers = Seed.numbers()
        for (start, days) in Self.years {
            for _ in 0..<20_000 {
                let millisecond = start * 1000 + Int(numbers.next() % UInt64(days * 86_400_000))
                let date = Date(timeIntervalSince1970: Double(millisecond) / 1000)
                let text = try #require(DateCoding.iso8601WithMilliseconds.text(of: date))
                let read = try #require(DateCoding.iso8601WithMilliseconds.date(from: text))
                guard Int((read.timeIntervalSince1970 * 1000).rounded()) == millisecond,
                    DateCoding.iso8601WithMilliseconds.text(of: read) == text,
                    text.hasSuffix(".\(CivilTime.padded(millisecond.floorDivided(by: 1000).remainder, 3))Z")
                else {
                    Issue.record("\(millisecond): \(text)")
                    return
                }
            }
        }
    }

    @Test("Each microsecond of our time is written as it is read, in six digits where three are too few", .seeded)
    func microseconds() throws {
        let numbers = Seed.numbers()
        for _ in 0..<20_000 {
            let microsecond = 1_767_225_600_000_000 + Int(numbers.next() % 31_536_000_000_000)
            let date = Date(timeIntervalSince1970: Double(microsecond) / 1e6)
            let text = try #require(RFC3339.text(date, .needed))
            let read = try #require(RFC3339.date(text))
            guard Int((read.timeIntervalSince1970 * 1e6).rounded()) == microsecond,
                RFC3339.text(read, .needed) == text
            else {
                Issue.record("\(microsecond): \(text)")
                return
            }
        }
    }

    @Test("Every day is the one after the day before, and has the weekday of HTTP dates")
    func calendar() throws {
        var last = CivilTime(secondsSince1970: -62_135_596_800)
        for day in stride(from: Int64(-62_135_596_800 + 86_400), to: 4_102_444_800, by: 86_400) {
            let time = CivilTime(secondsSince1970: day)
            let isNext = time.day == last.day + 1 && time.month == last.month && time.year == last.year
            let isNextMonth = time.day == 1 && last.day >= 28
            guard time.secondsSince1970 == day, isNext || isNextMonth, time.weekday == (last.weekday + 1) % 7 else {
                Issue.record("\(last), then \(time)")
                return
            }
            last = time
        }
        #expect(HTTPDate("Sun, 06 Nov 1994 08:49:37 GMT")?.description == "Sun, 06 Nov 1994 08:49:37 GMT")
    }

    @Test(
        "A date is read in any of the forms of RFC 3339 §5.6",
        arguments: [
            ("1985-04-12T23:20:50.52Z", 482_196_050.52), ("1996-12-19T16:39:57-08:00", 851_042_397),
            ("1990-12-31T23:59:60Z", 662_687_999), ("1990-12-31T15:59:60-08:00", 662_687_999),
            ("1937-01-01T12:00:27.87+00:20", -1_041_337_172.13), ("2026-01-31t09:30:00z", 1_769_851_800),
            ("2026-01-31T09:30:00.25+0100", 1_769_848_200.25), ("2024-02-29T00:00:00Z", 1_709_164_800),
            ("2026-01-31T09:30:00-00:00", 1_769_851_800), ("2026-01-31T09:30:00.2500000000000001Z", 1_769_851_800.25),
        ]
    )
    func read(text: String, seconds: Double) throws {
        for coding in [DateCoding.iso8601, .iso8601WithMilliseconds] {
            #expect(try abs(#require(coding.date(from: text)).timeIntervalSince1970 - seconds) < 1e-6)
        }
    }

    @Test(
        "A text that is not a date is not read",
        arguments: [
            "", "Z", "2026-02-30T00:00:00Z", "2025-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z",
            "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-31T24:00:00Z",
            "2026-01-31T09:60:00Z", "2026-01-31T09:30:61Z", "2026-01-31T09:30:00Zjunk", "2026-01-31T09:30:00Z ",
            " 2026-01-31T09:30:00Z", "2026-01-31T09:30:00", "2026-01-31 09:30:00Z", "2026-01-31T09:30Z", "2026-01-31",
            "20260131T093000Z", "2026-01-31T09:30:00.Z", "2026-01-31T09:30:00+24:00", "2026-01-31T09:30:00+01:60",
            "2026-01-31T09:30:00+01", "+2026-01-31T09:30:00Z", "12026-01-31T09:30:00Z", "2026-01-31T09:30:00Z\u{301}",
            "2026-01-3１T09:30:00Z", "2026-1-31T09:30:00Z", "2026-01-31T09:30:00,5Z",
        ]
    )
    func refused(text: String) {
        #expect(DateCoding.iso8601.date(from: text) == nil)
        #expect(DateCoding.iso8601WithMilliseconds.date(from: text) == nil)
    }

    @Test("Fractions are rounded to milliseconds, cut to seconds, and carried")
    func rounding() {
        for (seconds, whole, milliseconds) in [
            (0.0, "1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000Z"),
            (0.9994, "1970-01-01T00:00:00Z", "1970-01-01T00:00:00.999Z"),
            (0.9996, "1970-01-01T00:00:00Z", "1970-01-01T00:00:01.000Z"),
            (0.999_999_9, "1970-01-01T00:00:01Z", "1970-01-01T00:00:01.000Z"),
            (-0.001, "1969-12-31T23:59:59Z", "1969-12-31T23:59:59.999Z"),
            (86_399.9999, "1970-01-01T23:59:59Z", "1970-01-02T00:00:00.000Z"),
        ] {
            let date = Date(timeIntervalSince1970: seconds)
            #expect(DateCoding.iso8601.text(of: date) == whole)
            #expect(DateCoding.iso8601WithMilliseconds.text(of: date) == milliseconds)
        }
    }

    @Test("A date outside the years that have four digits is not written")
    func bounds() {
        for seconds in [253_402_300_800, -62_167_219_201, .infinity, -.infinity, .nan, 1e300] {
            #expect(RFC3339.text(Date(timeIntervalSince1970: seconds), .needed) == nil)
            #expect(DateCoding.iso8601WithMilliseconds.text(of: Date(timeIntervalSince1970: seconds)) == nil)
        }
        #expect(RFC3339.text(Date(timeIntervalSince1970: 253_402_300_799.9999), .milliseconds) == nil)
        #expect(RFC3339.text(Date(timeIntervalSince1970: 253_402_300_799), .seconds) == "9999-12-31T23:59:59Z")
        #expect(RFC3339.text(Date(timeIntervalSince1970: -62_167_219_200), .seconds) == "0000-01-01T00:00:00Z")
    }
}
