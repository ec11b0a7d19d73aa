import Foundation
import HTTPChainCore
import HTTPChainLogShipper
import HTTPChainRemoteLogging

/// Writes numbers, texts and records in sequence.
///
/// Numbers have their least significant byte first. Lengths and counts take as few bytes as possible.
struct LogRecordWriter {
    /// The maximum depth of nested values.
    static let maximumDepth = 64

    /// The error for a value that is nested too deeply to be read again.
    struct TooDeep: Error {}

    private(set) var bytes: [UInt8] = []

    init(capacity: Int) {
        bytes.reserveCapacity(capacity)
    }

    @inline(__always)
    mutating func append<Number: FixedWidthInteger>(_ number: Number) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Replaces bytes written earlier with a number.
    mutating func put(_ number: UInt32, at offset: Int) {
        bytes.withUnsafeMutableBytes {
            $0.storeBytes(of: number.littleEndian, toByteOffset: offset, as: UInt32.self)
        }
    }

    mutating func append(_ record: LogRecord) throws(TooDeep) {
        append(record.date.timeIntervalSinceReferenceDate.bitPattern)
        bytes.append(UInt8(record.level.rank))
        append(record.component)
        append(record.message)
        append(count: record.attributes.list.count)
        for attribute in record.attributes.list {
            append(attribute.name)
            try append(attribute.value, depth: 0)
        }
    }

    /// Appends seven bits per byte.
    ///
    /// The highest bit indicates that more bytes follow.
    private mutating func append(count: Int) {
        var rest = UInt64(count)
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    private mutating func append(_ text: String) {
        append(count: text.utf8.count)
        let isDone: Void? = text.utf8.withContiguousStorageIfAvailable { bytes.append(contentsOf: $0) }
        if isDone == nil { bytes.append(contentsOf: text.utf8) }
    }

    private mutating func append(_ value: JSONValue, depth: Int) throws(TooDeep) {
        switch value {
        case .null: bytes.append(0)
        case .bool(let flag): bytes.append(flag ? 2 : 1)
        case .integer(let number):
            bytes.append(3)
            append(number)
        case .number(let number):
            bytes.append(4)
            append(number.bitPattern)
        case .decimal(let number):
            bytes.append(8)
            append("\(number)")
        case .string(let text):
            bytes.append(5)
            append(text)
        case .array(let values):
            guard depth < Self.maximumDepth else { throw TooDeep() }
            bytes.append(6)
            append(count: values.count)
            for value in values { try append(value, depth: depth + 1) }
        case .object(let members):
            guard depth < Self.maximumDepth else { throw TooDeep() }
            bytes.append(7)
            append(count: members.count)
            for (name, value) in members {
                append(name)
                try append(value, depth: depth + 1)
            }
        }
    }
}
