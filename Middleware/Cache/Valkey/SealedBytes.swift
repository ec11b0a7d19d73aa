#if Valkey
import HTTPChainCache

/// Bytes with a checksum that also covers their name, so that damaged and misplaced bytes are rejected.
enum SealedBytes {
    /// The number of bytes added.
    static let overhead = 8

    static func seal(_ bytes: [UInt8], name: String) -> [UInt8] {
        withUnsafeBytes(of: checksum(bytes, name).littleEndian) { Array($0) } + bytes
    }

    /// Returns the bytes; nil if they aren't the ones that were sealed.
    static func open(_ sealed: [UInt8], name: String) -> [UInt8]? {
        guard sealed.count >= overhead else { return nil }
        let bytes = Array(sealed[overhead...])
        let expected = withUnsafeBytes(of: checksum(bytes, name).littleEndian) { Array($0) }
        return sealed.prefix(overhead).elementsEqual(expected) ? bytes : nil
    }

    private static func checksum(_ bytes: [UInt8], _ name: String) -> UInt64 {
        var checksum = ContentChecksum(of: Array(name.utf8))
        checksum.update(bytes)
        return checksum.value
    }
}
#endif
