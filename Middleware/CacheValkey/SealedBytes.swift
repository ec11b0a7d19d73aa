#if Valkey
import HTTPChainCache

/// Bytes under a checksum, which also knows their name: what is damaged, and what is another's, is not taken.
enum SealedBytes {
    /// How many bytes longer they are.
    static let overhead = 8

    static func seal(_ bytes: [UInt8], name: String) -> [UInt8] {
        withUnsafeBytes(of: checksum(bytes, name).littleEndian) { Array($0) } + bytes
    }

    /// The bytes; nil where they are not what was sealed.
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
