import HTTPChainSupport

/// Writes the wire format of Protocol Buffers.
package struct ProtobufWriter: OTLPEncoder {
    /// The written bytes.
    package private(set) var bytes: [UInt8] = []

    package init(capacity: Int = 256) {
        bytes.reserveCapacity(capacity)
    }

    private enum WireType: UInt64 {
        case varint = 0
        case fixed64 = 1
        case delimited = 2
        case fixed32 = 5
    }

    @inline(__always)
    private mutating func tag(_ number: Int, _ type: WireType) {
        varint(UInt64(number) << 3 | type.rawValue)
    }

    private mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    private mutating func littleEndian(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    package mutating func string(_ name: StaticString, _ number: Int, _ value: String) {
        tag(number, .delimited)
        var value = value
        value.withUTF8 { text in
            varint(UInt64(text.count))
            bytes.append(contentsOf: text)
        }
    }

    package mutating func bool(_ name: StaticString, _ number: Int, _ value: Bool) {
        tag(number, .varint)
        bytes.append(value ? 1 : 0)
    }

    package mutating func int64(_ name: StaticString, _ number: Int, _ value: Int64) {
        tag(number, .varint)
        varint(UInt64(bitPattern: value))
    }

    package mutating func double(_ name: StaticString, _ number: Int, _ value: Double) {
        fixed64(name, number, value.bitPattern)
    }

    package mutating func uint32(_ name: StaticString, _ number: Int, _ value: UInt32) {
        tag(number, .varint)
        varint(UInt64(value))
    }

    package mutating func fixed32(_ name: StaticString, _ number: Int, _ value: UInt32) {
        tag(number, .fixed32)
        littleEndian(value)
    }

    package mutating func fixed64(_ name: StaticString, _ number: Int, _ value: UInt64) {
        tag(number, .fixed64)
        littleEndian(value)
    }

    package mutating func identifier(_ name: StaticString, _ number: Int, _ digits: String) {
        delimited(number) { writer in
            var high: UInt8?
            for digit in digits.utf8 {
                guard let value = digit.hexadecimalValue else { return }
                if let before = high {
                    writer.bytes.append(before << 4 | value)
                    high = nil
                } else {
                    high = value
                }
            }
        }
    }

    package mutating func message(_ name: StaticString, _ number: Int, _ body: (inout Self) -> Void) {
        delimited(number, body)
    }

    package mutating func messages(_ name: StaticString, _ number: Int, count: Int, _ body: (inout Self, Int) -> Void) {
        for position in 0..<count {
            delimited(number) { body(&$0, position) }
        }
    }

    /// Writes a field preceded by its length, which is known only after the field has been written.
    ///
    /// One byte is reserved for the length. If it needs more, the field is moved.
    @inline(__always)
    private mutating func delimited(_ number: Int, _ body: (inout Self) -> Void) {
        tag(number, .delimited)
        let start = bytes.count
        bytes.append(0)
        body(&self)
        let length = UInt64(bytes.count - start - 1)
        bytes[start] = UInt8(truncatingIfNeeded: length & 0x7F)
        var rest = length >> 7
        guard rest > 0 else { return }
        bytes[start] |= 0x80
        var more: [UInt8] = []
        while rest > 0 {
            more.append(UInt8(truncatingIfNeeded: rest & 0x7F) | (rest >= 0x80 ? 0x80 : 0))
            rest >>= 7
        }
        bytes.insert(contentsOf: more, at: start + 1)
    }
}
