package import Foundation
import HTTPChainSupport

/// Reads the wire format of Protocol Buffers field by field, without a schema.
///
/// It never reads beyond its bytes, and a length beyond the end is an error. The work is therefore limited by the size
/// of the content.
package struct ProtobufReader: Sendable {
    /// The content of a field.
    package enum Value: Sendable, Hashable {
        /// An integer, an enumeration or a Boolean.
        case varint(UInt64)
        /// Eight bytes, the least significant first.
        case fixed64(UInt64)
        /// Text, bytes, or a message.
        case bytes(Data)
        /// Four bytes, the least significant first.
        case fixed32(UInt32)

        /// The integer, or `nil` for anything else.
        package var integer: Int64? {
            switch self {
            case .varint(let value), .fixed64(let value): Int64(bitPattern: value)
            case .fixed32(let value): Int64(value)
            case .bytes: nil
            }
        }

        /// Eight bytes as a floating-point number.
        package var double: Double? { if case .fixed64(let bits) = self { Double(bitPattern: bits) } else { nil } }

        /// The bytes.
        package var data: Data? { if case .bytes(let data) = self { data } else { nil } }

        /// The bytes as text, or `nil` if they aren't UTF-8.
        package var text: String? { data.flatMap { String(validUTF8: $0) } }
    }

    /// The error for bytes that aren't a Protocol Buffers message.
    package struct Malformed: Error {
        /// Makes the error.
        package init() {}
    }

    private let bytes: Data
    private var position: Data.Index

    /// Reads a message.
    package init(_ bytes: Data) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    /// Returns the next field, or `nil` at the end.
    ///
    /// - Throws: ``Malformed``.
    package mutating func next() throws(Malformed) -> (number: Int, value: Value)? {
        Steps.take()
        guard position < bytes.endIndex else { return nil }
        let tag = try varint()
        let number = Int(truncatingIfNeeded: tag >> 3)
        guard tag >> 3 >= 1, tag >> 3 < 1 << 29 else { throw Malformed() }
        switch tag & 7 {
        case 0: return (number, .varint(try varint()))
        case 1: return (number, .fixed64(try littleEndian(8)))
        case 2:
            let length = try varint()
            guard length <= UInt64(bytes.endIndex - position) else { throw Malformed() }
            let end = position + Int(length)
            defer { position = end }
            return (number, .bytes(bytes[position..<end]))
        case 5: return (number, .fixed32(UInt32(truncatingIfNeeded: try littleEndian(4))))
        // These are groups, which are deprecated, or undefined types.
        default: throw Malformed()
        }
    }

    private mutating func varint() throws(Malformed) -> UInt64 {
        var value: UInt64 = 0
        for index in 0..<10 {
            Steps.take()
            guard position < bytes.endIndex else { throw Malformed() }
            let byte = bytes[position]
            position += 1
            // Only one bit of the tenth byte may be used.
            guard index < 9 || byte <= 1 else { throw Malformed() }
            value |= UInt64(byte & 0x7F) << UInt64(7 * index)
            if byte < 0x80 { return value }
        }
        throw Malformed()
    }

    private mutating func littleEndian(_ count: Int) throws(Malformed) -> UInt64 {
        guard bytes.endIndex - position >= count else { throw Malformed() }
        var value: UInt64 = 0
        for index in 0..<count { value |= UInt64(bytes[position + index]) << UInt64(8 * index) }
        position += count
        return value
    }
}
