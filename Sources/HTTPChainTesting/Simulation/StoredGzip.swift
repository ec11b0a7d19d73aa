import Foundation

/// Encodes gzip (RFC 1952) with stored blocks only (RFC 1951 §3.2.4), so that tests don't need a compressor.
enum StoredGzip {
    private static let crcTable: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { crc, _ in crc & 1 == 1 ? 0xEDB8_8320 ^ (crc >> 1) : crc >> 1 }
    }

    static func encode(_ bytes: Data) -> Data {
        var coded = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255])
        var rest = bytes[...]
        repeat {
            let block = rest.prefix(65_535)
            rest = rest.dropFirst(block.count)
            coded.append(rest.isEmpty ? 1 : 0)
            let length = UInt16(block.count)
            for number in [length, ~length] { append(UInt32(number), bytes: 2, to: &coded) }
            coded.append(block)
        } while !rest.isEmpty
        let crc = ~bytes.reduce(~UInt32(0)) { crc, byte in
            crcTable[Int((crc ^ UInt32(byte)) & 255)] ^ (crc >> 8)
        }
        append(crc, bytes: 4, to: &coded)
        append(UInt32(truncatingIfNeeded: bytes.count), bytes: 4, to: &coded)
        return coded
    }

    private static func append(_ number: UInt32, bytes: UInt32, to data: inout Data) {
        for index in 0..<bytes { data.append(UInt8(truncatingIfNeeded: number >> (8 * index))) }
    }
}
