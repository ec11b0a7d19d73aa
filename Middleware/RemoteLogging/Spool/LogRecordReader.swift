import Foundation
import HTTPChainCore
import HTTPChainLogShipper
import HTTPChainRemoteLogging
import HTTPChainSupport
import Logging

/// Reads the output of ``LogRecordWriter``.
///
/// Invalid bytes cause an error, but never a crash.
struct LogRecordReader {
    struct Malformed: Error {}

    /// The bytes, which must outlive the reader.
    let buffer: UnsafeRawBufferPointer
    var offset = 0

    private var remaining: Int { buffer.count - offset }

    /// Reads a record that takes up the whole buffer.
    static func record(in buffer: UnsafeRawBufferPointer) throws(Malformed) -> LogRecord {
        var reader = LogRecordReader(buffer: buffer)
        let record = try reader.record()
        guard reader.remaining == 0 else { throw Malformed() }
        return record
    }

    private mutating func record() throws(Malformed) -> LogRecord {
        let seconds = Double(bitPattern: try number())
        let level = try level()
        let component = try text()
        let message = try text()
        // A name and a value take at least two bytes, so that no memory is reserved for an impossible count.
        let count = try count(ofAtLeast: 2)
        var attributes = LogAttributes()
        attributes.reserveCapacity(count)
        for _ in 0..<count { attributes.append(try text(), try value(depth: 0)) }
        return LogRecord(
            date: Date(timeIntervalSinceReferenceDate: seconds),
            level: level,
            component: component,
            message: message,
            attributes: attributes
        )
    }

    private mutating func level() throws(Malformed) -> Logger.Level {
        let rank = Int(try number(UInt8.self))
        guard let level = Logger.Level.allCases.first(where: { $0.rank == rank }) else { throw Malformed() }
        return level
    }

    private mutating func number<Number: FixedWidthInteger>(
        _ type: Number.Type = Number.self
    ) throws(Malformed) -> Number {
        let size = MemoryLayout<Number>.size
        guard remaining >= size else { throw Malformed() }
        Steps.take()
        defer { offset += size }
        return Number(littleEndian: buffer.loadUnaligned(fromByteOffset: offset, as: Number.self))
    }

    /// Reads a count of items of at least this size.
    ///
    /// The count is limited to what fits in the rest of the buffer.
    private mutating func count(ofAtLeast size: Int) throws(Malformed) -> Int {
        var value: UInt64 = 0
        for shift in stride(from: 0, to: 35, by: 7) {
            let byte = try number(UInt8.self)
            value |= UInt64(byte & 0x7F) << UInt64(shift)
            guard byte & 0x80 == 0 else { continue }
            guard value <= UInt64(remaining / size) else { throw Malformed() }
            return Int(value)
        }
        throw Malformed()
    }

    private mutating func text() throws(Malformed) -> String {
        let count = try count(ofAtLeast: 1)
        Steps.take(count)
        defer { offset += count }
        return String(decoding: UnsafeRawBufferPointer(rebasing: buffer[offset..<(offset + count)]), as: UTF8.self)
    }

    private mutating func value(depth: Int) throws(Malformed) -> JSONValue {
        switch try number(UInt8.self) {
        case 0: return .null
        case 1: return .bool(false)
        case 2: return .bool(true)
        case 3: return .integer(try number())
        case 4: return .number(Double(bitPattern: try number()))
        case 5: return .string(try text())
        case 6:
            guard depth < LogRecordWriter.maximumDepth else { throw Malformed() }
            let count = try count(ofAtLeast: 1)
            var values: [JSONValue] = []
            values.reserveCapacity(count)
            for _ in 0..<count { values.append(try value(depth: depth + 1)) }
            return .array(values)
        case 7:
            guard depth < LogRecordWriter.maximumDepth else { throw Malformed() }
            let count = try count(ofAtLeast: 2)
            var members: [String: JSONValue] = [:]
            members.reserveCapacity(count)
            for _ in 0..<count {
                let name = try text()
                members[name] = try value(depth: depth + 1)
            }
            return .object(members)
        case 8:
            let text = try text()
            guard let number = text == "NaN" ? .nan : Decimal(string: text) else { throw Malformed() }
            return .decimal(number)
        default: throw Malformed()
        }
    }
}
