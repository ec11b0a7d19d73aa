#if AllTests
import Foundation
import HTTPChainCore
import Logging
import Testing

@testable import HTTPChainLogSpool
@testable import HTTPChainRemoteLogging

@Suite("A log record in bytes")
struct SpoolRecordTests {
    private func encoded(_ record: LogRecord) throws -> [UInt8] {
        var writer = LogRecordWriter(capacity: 0)
        try writer.append(record)
        return writer.bytes
    }

    private func decoded(_ bytes: [UInt8]) throws -> LogRecord {
        try bytes.withUnsafeBytes { try LogRecordReader.record(in: $0) }
    }

    static let values: [JSONValue] = [
        .null, true, false, 0, -1, .integer(.max), .integer(.min), 1.5, .number(-0.0), .number(.infinity),
        .number(.leastNonzeroMagnitude), .number(.pi), .decimal(Decimal(UInt64.max)), .decimal(.nan), "", "x",
        "fünfzehn Bytes und mehr 🧵", "nul \u{0} inside",
        .string(String(repeating: "long ", count: 10_000)), [], [1, "two", nil, [3.5, [:]]], [:],
        ["a": 1, "b": ["c": [nil, true]], "": ""],
    ]

    @Test("A value of each kind reads back as it was", arguments: values)
    func value(value: JSONValue) throws {
        let record = LogRecord(
            date: Date(timeIntervalSince1970: 784_111_777.123_456_7),
            level: .notice,
            component: "http.client",
            message: "GET https://example.com/ → 200",
            attributes: ["value": value, "other": 1]
        )
        let again = try decoded(try encoded(record))
        #expect(again == record)
        #expect(again.date.timeIntervalSinceReferenceDate == record.date.timeIntervalSinceReferenceDate)
    }

    @Test("Every level reads back as it was", arguments: Logger.Level.allCases)
    func level(level: Logger.Level) throws {
        #expect(try decoded(try encoded(numbered(1, level))).level == level)
    }

    @Test("A number that is none, and a date that is none, keep every bit")
    func notANumber() throws {
        var record = numbered(1)
        record.attributes["nan"] = .number(.nan)
        record.date = Date(timeIntervalSinceReferenceDate: .nan)
        let again = try decoded(try encoded(record))
        #expect(again.attributes["nan"]?.number?.bitPattern == Double.nan.bitPattern)
        #expect(again.date.timeIntervalSinceReferenceDate.bitPattern == Double.nan.bitPattern)
    }

    @Test("Attributes keep their order, and those of one name stay two")
    func order() throws {
        var record = numbered(1)
        record.attributes.append("b", 1)
        record.attributes.append("a", 2)
        record.attributes.append("b", 3)
        #expect(try decoded(try encoded(record)).attributes.map(\.name) == ["number", "b", "a", "b"])
    }

    @Test("Text keeps its bytes, composed or not")
    func composition() throws {
        var record = numbered(1)
        record.message = "e\u{301}"
        #expect(Array(try decoded(try encoded(record)).message.utf8) == [0x65, 0xCC, 0x81])
    }

    @Test("Values are nested 64 levels deep at most")
    func depth() throws {
        var record = numbered(1)
        var value: JSONValue = 1
        for _ in 0..<64 { value = [value] }
        record.attributes["deep"] = value
        #expect(try decoded(try encoded(record)) == record)
        record.attributes["deep"] = [value]
        #expect(throws: LogRecordWriter.TooDeep.self) { try encoded(record) }
        record.attributes["deep"] = ["a": value]
        #expect(throws: LogRecordWriter.TooDeep.self) { try encoded(record) }
    }

    @Test("A record that is cut off anywhere, or goes on, is malformed")
    func cut() throws {
        var record = numbered(1)
        for (index, value) in Self.values.enumerated() where value.string?.count ?? 0 < 100 {
            record.attributes.append("v\(index)", value)
        }
        let bytes = try encoded(record)
        for count in 0..<bytes.count {
            #expect(throws: LogRecordReader.Malformed.self) { try decoded(Array(bytes[..<count])) }
        }
        #expect(throws: LogRecordReader.Malformed.self) { try decoded(bytes + [0]) }
    }

    @Test("A record with any byte changed is malformed or another record, and what it asks for is bounded")
    func changed() throws {
        var record = numbered(1)
        record.attributes["value"] = ["a": [1, "two", nil], "b": 2.5]
        let bytes = try encoded(record)
        var accepted = 0
        for index in bytes.indices {
            for value in [0, 1, 0x7F, 0x80, 0xFF, bytes[index] ^ 1] as [UInt8] where value != bytes[index] {
                var changed = bytes
                changed[index] = value
                guard let other = try? decoded(changed) else { continue }
                accepted += 1
                // Bytes that are no text became a replacement character; written again it stays what it is.
                #expect(try encoded(try decoded(try encoded(other))).count == (try encoded(other)).count)
            }
        }
        #expect(accepted > 0)
    }

    @Test("A count that cannot be is refused before there is room made for it")
    func counts() throws {
        let head: [UInt8] = Array(repeating: 0, count: 8) + [2, 0, 0]
        #expect(throws: LogRecordReader.Malformed.self) { try decoded(head + [0xFF, 0xFF, 0xFF, 0xFF, 0x0F]) }
        #expect(throws: LogRecordReader.Malformed.self) { try decoded(head + [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]) }
        #expect(throws: LogRecordReader.Malformed.self) {
            try decoded(head + [1, 0, 6, 0xFF, 0xFF, 0x7F])
        }
        #expect(throws: LogRecordReader.Malformed.self) { try decoded(head + [1, 0, 8]) }
        #expect(throws: LogRecordReader.Malformed.self) { try decoded(Array(repeating: 0, count: 8) + [7, 0, 0, 0]) }
    }

    @Test("The checksum is the one of ISO 3309")
    func checksum() {
        func value(_ text: String) -> UInt32 { Array(text.utf8).withUnsafeBytes { CRC32.value($0) } }
        #expect(value("") == 0)
        #expect(value("123456789") == 0xCBF4_3926)
        #expect(value("The quick brown fox jumps over the lazy dog") == 0x414F_A339)
    }
}
#endif
