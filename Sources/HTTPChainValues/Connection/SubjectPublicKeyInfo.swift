/// The DER encoding of a public key with its algorithm, RFC 5280 §4.1, whose hash is pinned.
///
/// On platforms that only provide the key itself, the algorithm must be prepended.
package enum SubjectPublicKeyInfo {
    /// Encodes an RSA key, given in PKCS #1 format (RFC 8017 §A.1.1).
    package static func der(rsa key: [UInt8]) -> [UInt8] {
        // rsaEncryption with no parameters, RFC 3279 §2.3.1.
        der([0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00], key)
    }

    /// Encodes a key on a NIST curve, given as an uncompressed point (RFC 5480 §2.2).
    ///
    /// - Returns: nil if the length isn't that of a key on P-256, P-384 or P-521.
    package static func der(ecPoint key: [UInt8]) -> [UInt8]? {
        let ecPublicKey: [UInt8] = [0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
        let curve: [UInt8]
        switch key.count {
        case 65: curve = [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
        case 97: curve = [0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x22]
        case 133: curve = [0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x23]
        default: return nil
        }
        return der(ecPublicKey + curve, key)
    }

    private static func der(_ algorithm: [UInt8], _ key: [UInt8]) -> [UInt8] {
        element(0x30, element(0x30, algorithm) + element(0x03, [0x00] + key))
    }

    /// Encodes a tag, the length of the content and the content (X.690 §8.1).
    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        guard content.count >= 0x80 else { return [tag, UInt8(content.count)] + content }
        var length: [UInt8] = []
        var rest = content.count
        while rest > 0 {
            length.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }
}
