#if AllTests
import Foundation
import HTTPChainCore
import Logging
import TestSupport
import Testing

@testable import HTTPChainLogShipper
@testable import HTTPChainRemoteLogging

@Suite("The writer of JSON", .seeded)
struct JSONWriterTests {
    @Test(
        "A string is escaped where RFC 8259 asks for it, and nowhere else",
        arguments: [
            ("", #""""#), ("plain", #""plain""#), ("\"", #""\"""#), ("\\", #""\\""#), ("\n\r\t", #""\n\r\t""#),
            ("\u{0}\u{8}\u{C}\u{1F}", #""\u0000\u0008\u000c\u001f""#), ("/\u{7F}", "\"/\u{7F}\""),
            ("ü日👩‍👧\u{2028}", "\"ü日👩‍👧\u{2028}\""), ("12345678\"", #""12345678\"""#),
            ("1234567\"9", #""1234567\"9""#), ("\n2345678\n", #""\n2345678\n""#),
            ("\"\"\"\"\"\"\"\"\"", #""\"\"\"\"\"\"\"\"\"""#),
        ]
    )
    func strings(text: String, expected: String) {
        #expect(written { $0.string(text) } == expected)
    }

    @Test("An escape is found at every place of a word, beside every byte")
    func everywhere() throws {
        for byte in 0...0x7F as ClosedRange<UInt8> {
            for place in 0..<20 {
                var bytes = [UInt8](repeating: UInt8(ascii: "x"), count: 20)
                bytes[place] = byte
                let text = String(decoding: bytes, as: UTF8.self)
                #expect(try parsedJSON(written { $0.string(text) }) == .string(text))
            }
        }
    }

    @Test(
        "Whole numbers have their digits",
        arguments: [0, 1, 9, 10, -1, 99, 100, 1_000_000, .max, .min, .max / 10, -9_999_999] as [Int64]
    )
    func integers(number: Int64) {
        #expect(written { $0.integer(number) } == String(number))
        #expect(written { $0.integer(number.magnitude) } == String(number.magnitude))
    }

    @Test("The largest whole number is written, and every power of ten with its neighbours")
    func magnitudes() {
        #expect(written { $0.integer(UInt64.max) } == String(UInt64.max))
        var power: UInt64 = 1
        for _ in 0..<19 {
            power *= 10
            for number in [power - 1, power, power + 1] {
                #expect(written { $0.integer(number) } == String(number))
            }
        }
    }

    @Test("Zeros fill a number up to its digits")
    func zeros() {
        #expect(written { $0.integer(7, digits: 4) } == "0007")
        #expect(written { $0.integer(123, digits: 2) } == "23")
    }

    @Test(
        "Numbers are read back the same",
        arguments: [
            0.1, -0.0, 1e21, 1e-7, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .pi, 100, 123_456_789.123_456_789,
        ]
    )
    func numbers(number: Double) throws {
        let text = written { $0.value(.number(number)) }
        #expect(try JSONDecoder().decode([Double].self, from: Data("[\(text)]".utf8)) == [number])
    }

    @Test("Numbers that are not finite are null", arguments: [Double.nan, .infinity, -.infinity])
    func notFinite(number: Double) {
        #expect(written { $0.value([.number(number)]) } == "[null]")
    }

    @Test("Members stand in the order of their names")
    func members() {
        let value: JSONValue = ["b": [1, true, nil, "x"], "a": [:], "c": []]
        #expect(written { $0.value(value) } == #"{"a":{},"b":[1,true,null,"x"],"c":[]}"#)
    }

    @Test("What is nested too deep is left out")
    func depth() {
        var value: JSONValue = 1
        for _ in 0..<1000 { value = [value] }
        let text = written { $0.value(value) }
        #expect(text == String(repeating: "[", count: 17) + "\"…\"" + String(repeating: "]", count: 17))
    }

    @Test(
        "Text is cut off between characters of Unicode",
        arguments: [(0, ""), (1, "a"), (2, "a"), (3, "aü"), (5, "aü"), (6, "aü日"), (7, "aü日"), (99, "aü日\u{1F600}")]
    )
    func cut(limit: Int, expected: String) {
        #expect(written { $0.escaped("aü日\u{1F600}", upTo: limit) } == expected)
    }

    @Test("The writer grows from nothing, and its bytes become data unchanged")
    func growth() {
        var writer = JSONWriter(capacity: 0)
        for number in 0..<10_000 as Range<UInt64> {
            writer.string("\(number) \"\n")
            writer.byte(UInt8(ascii: ","))
        }
        let expected = (0..<10_000).map { #""\#($0) \"\n","# }.joined()
        #expect(writer.bytes == Array(expected.utf8))
        #expect(writer.data() == Data(expected.utf8))
        #expect(JSONWriter().data().isEmpty)
    }

    @Test("Any value is read back by Foundation as it was", arguments: [1, 2, 3] as [UInt64])
    func random(seed: UInt64) throws {
        let logs = RandomLogs(seed: seed)
        for _ in 0..<2000 {
            let value = logs.value()
            let text = written { $0.value([value]) }
            let read = try parsedJSON(text)
            #expect(JSONValue.array([value]).isWritten(as: read), "\(text)")
        }
    }

    private func written(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

@Suite("The times of log records", .seeded)
struct LogTimeTests {
    @Test(
        "Nanoseconds since 1970 are held to what 63 bits can say",
        arguments: [
            (0, 0), (0.5, 500_000_000), (1_700_000_000.25, 1_700_000_000_250_000_000), (-1, 0), (-0.25, 0),
            (1e300, .max),
            (.infinity, .max), (-.infinity, 0), (.nan, 0), (978_307_200.5, 978_307_200_500_000_000),
            (9_223_372_035, 9_223_372_035_000_000_000), (9_223_372_036, .max),
        ] as [(Double, Int64)]
    )
    func nanoseconds(time: Double, expected: Int64) {
        #expect(Date(timeIntervalSince1970: time).unixNanoseconds == UInt64(expected))
    }

    @Test(
        "Times are written as RFC 3339 has them",
        arguments: [
            (0, "1970-01-01T00:00:00.000000Z"), (951_782_400, "2000-02-29T00:00:00.000000Z"),
            (951_868_799.999999, "2000-02-29T23:59:59.999999Z"), (1_709_164_800.5, "2024-02-29T00:00:00.500000Z"),
            (4_107_542_400, "2100-03-01T00:00:00.000000Z"), (784_111_777, "1994-11-06T08:49:37.000000Z"),
            (.infinity, "2262-04-11T23:47:16.854776Z"), (-5, "1970-01-01T00:00:00.000000Z"),
        ] as [(Double, String)]
    )
    func timestamps(time: Double, expected: String) {
        var timestamps = TimestampWriter()
        var writer = JSONWriter()
        timestamps.write(Date(timeIntervalSince1970: time), to: &writer)
        timestamps.write(Date(timeIntervalSince1970: time), to: &writer)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == expected + expected)
    }

    @Test("Every day of four hundred years is the day that the calendar has")
    func days() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
        var timestamps = TimestampWriter()
        for day in stride(from: 0, to: 106_000, by: 37) {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400)
            var writer = JSONWriter()
            timestamps.write(date, to: &writer)
            let parts = calendar.dateComponents([.year, .month, .day], from: date)
            let digits = String(decoding: writer.bytes, as: UTF8.self).prefix(10).split(separator: "-").map { Int($0) }
            #expect(digits == [parts.year, parts.month, parts.day])
        }
    }
}

@Suite("Records put together by what they have in common", .seeded)
struct LogGroupsTests {
    @Test("Groups are in the order of their first records, records in each in theirs")
    func order() {
        let records = [
            logRecord(.info, "b"), logRecord(.info, "a"), logRecord(.error, "b"), logRecord(.info, "b"),
            logRecord(.info, "a"),
        ]
        let byComponent = LogGroups(records, byLevel: false)
        #expect(byComponent.groups.map(\.component) == ["b", "a"])
        #expect(byComponent.groups.map { Array(byComponent.order[$0.range]) } == [[0, 2, 3], [1, 4]])
        let byLevel = LogGroups(records, byLevel: true)
        #expect(byLevel.groups.map(\.component) == ["b", "a", "b"])
        #expect(byLevel.groups.map(\.level) == [.info, .info, .error])
        #expect(byLevel.groups.map { Array(byLevel.order[$0.range]) } == [[0, 3], [1, 4], [2]])
        #expect(LogGroups([], byLevel: true).groups.isEmpty)
    }
}
#endif
