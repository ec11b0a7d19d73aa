/// The checksum of gzip and PNG (ISO 3309), eight bytes at a time.
enum CRC32 {
    /// Eight tables of 256 numbers; the first is that of the bytewise algorithm.
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 8 * 256)
        for byte in 0..<256 {
            var value = UInt32(byte)
            for _ in 0..<8 { value = value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
            tables[byte] = value
        }
        for index in 256..<tables.count {
            let before = tables[index - 256]
            tables[index] = (before >> 8) ^ tables[Int(before & 0xFF)]
        }
        return tables
    }()

    static func value(_ buffer: UnsafeRawBufferPointer) -> UInt32 {
        tables.withUnsafeBufferPointer { tables in
            var crc = ~UInt32(0)
            var index = 0
            while index + 8 <= buffer.count {
                let word = UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: index, as: UInt64.self))
                let low = crc ^ UInt32(truncatingIfNeeded: word)
                let high = UInt32(truncatingIfNeeded: word >> 32)
                let first = tables[1792 + Int(low & 0xFF)] ^ tables[1536 + Int(low >> 8 & 0xFF)]
                let second = tables[1280 + Int(low >> 16 & 0xFF)] ^ tables[1024 + Int(low >> 24)]
                let third = tables[768 + Int(high & 0xFF)] ^ tables[512 + Int(high >> 8 & 0xFF)]
                let fourth = tables[256 + Int(high >> 16 & 0xFF)] ^ tables[Int(high >> 24)]
                crc = first ^ second ^ third ^ fourth
                index += 8
            }
            while index < buffer.count {
                crc = (crc >> 8) ^ tables[Int((crc ^ UInt32(buffer[index])) & 0xFF)]
                index += 1
            }
            return ~crc
        }
    }
}
