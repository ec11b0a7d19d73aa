import HTTPChainSupport

/// Percent-encoding, RFC 3986 §2.1.
enum PercentEncoding {
    /// Bytes with all but letters, digits and some others encoded.
    static func encode(_ bytes: [UInt8], keeping others: String) -> String {
        let kept = others.utf8
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for byte in bytes {
            if ASCII.isAlphanumeric(byte) || kept.contains(byte) {
                result.append(byte)
            } else {
                result.append(UInt8(ascii: "%"))
                result.append(upper((byte >> 4).hexadecimalDigit))
                result.append(upper((byte & 0xF).hexadecimalDigit))
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func upper(_ digit: UInt8) -> UInt8 { digit >= UInt8(ascii: "a") ? digit & 0xDF : digit }

    /// The bytes that percent-encoded ones stand for; a `%` that encodes nothing stands for itself.
    static func decode(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(UInt8(ascii: "%")) else { return bytes }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, let high = bytes[index + 1].hexadecimalValue,
                let low = bytes[index + 2].hexadecimalValue
            {
                result.append(high << 4 | low)
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }
}
