import HTTPChainSupport

/// Writes numbers and texts in sequence; numbers are in little-endian order.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int = 0) {
        bytes.reserveCapacity(capacity)
    }

    mutating func append<Number: FixedWidthInteger>(_ number: Number) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ flag: Bool) { append(UInt8(flag ? 1 : 0)) }

    mutating func append(_ number: Double) { append(number.bitPattern) }

    mutating func append(_ text: String) {
        append(UInt32(clamping: text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    mutating func append(_ text: String?) {
        append(text != nil)
        if let text { append(text) }
    }

    mutating func append(contentsOf buffer: UnsafeRawBufferPointer) { bytes.append(contentsOf: buffer) }

    /// Overwrites bytes that were written before with a number.
    mutating func put<Number: FixedWidthInteger>(_ number: Number, at offset: Int) {
        withUnsafeBytes(of: number.littleEndian) { bytes.replaceSubrange(offset..<(offset + $0.count), with: $0) }
    }
}

extension [UInt8] {
    /// The number at an offset, which must be within the bytes.
    package func number<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type = Number.self) -> Number {
        withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self)) }
    }
}

/// Reads the output of ``ByteWriter``; malformed bytes cause an error, never a trap.
struct ByteReader {
    struct Malformed: Error {}

    private let buffer: UnsafeRawBufferPointer
    private(set) var offset = 0

    /// Creates a reader of a buffer that must outlive it.
    init(_ buffer: UnsafeRawBufferPointer) {
        self.buffer = buffer
    }

    var remaining: Int { buffer.count - offset }

    mutating func take(_ count: Int) throws(Malformed) -> UnsafeRawBufferPointer {
        guard count >= 0, count <= remaining else { throw Malformed() }
        Steps.take(count)
        defer { offset += count }
        return UnsafeRawBufferPointer(rebasing: buffer[offset..<(offset + count)])
    }

    mutating func number<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) throws(Malformed) -> Number {
        let size = MemoryLayout<Number>.size
        guard remaining >= size else { throw Malformed() }
        Steps.take()
        defer { offset += size }
        return Number(littleEndian: buffer.loadUnaligned(fromByteOffset: offset, as: Number.self))
    }

    mutating func flag() throws(Malformed) -> Bool {
        switch try number(UInt8.self) {
        case 0: false
        case 1: true
        default: throw Malformed()
        }
    }

    mutating func double() throws(Malformed) -> Double { Double(bitPattern: try number(UInt64.self)) }

    /// Reads a count; one that doesn't fit a 32-bit `Int` becomes its maximum, which exceeds every buffer.
    mutating func count() throws(Malformed) -> Int { Int(clamping: try number(UInt32.self)) }

    mutating func text() throws(Malformed) -> String {
        String(decoding: try take(try count()), as: UTF8.self)
    }

    mutating func optionalText() throws(Malformed) -> String? { try flag() ? try text() : nil }
}
