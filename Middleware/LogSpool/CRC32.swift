import CZlib

/// The checksum of gzip and PNG (ISO 3309), which zlib brings.
enum CRC32 {
    static func value(_ buffer: UnsafeRawBufferPointer) -> UInt32 {
        let bytes = buffer.bindMemory(to: UInt8.self)
        // No segment comes near the 4 GiB that zlib takes at once.
        return UInt32(truncatingIfNeeded: crc32(0, bytes.baseAddress, UInt32(clamping: bytes.count)))
    }
}
