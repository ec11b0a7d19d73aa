import HTTPChainSupport

/// The parameters of a query, as HTML forms encode them, for `@query-param` (RFC 9421 §2.2.8).
enum QueryParameters {
    /// The values of the parameters with a name, each encoded anew.
    ///
    /// - Parameters:
    ///   - name: The name, encoded.
    ///   - query: The query without its question mark.
    static func values(of name: String, in query: some StringProtocol) -> [String] {
        query.utf8.split(separator: UInt8(ascii: "&")).compactMap { pair in
            let end = pair.firstIndex(of: UInt8(ascii: "="))
            guard encode(decode(pair[..<(end ?? pair.endIndex)])) == name else { return nil }
            guard let end else { return "" }
            return encode(decode(pair[pair.index(after: end)...]))
        }
    }

    /// Bytes with all but letters, digits and `*-._` percent-encoded (the URL Standard's
    /// application/x-www-form-urlencoded percent-encode set).
    static func encode(_ bytes: [UInt8]) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for byte in bytes {
            if ASCII.isAlphanumeric(byte) || "*-._".utf8.contains(byte) {
                result.append(byte)
            } else {
                PercentEncoding.append(byte, to: &result)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func decode(_ bytes: some Collection<UInt8>) -> [UInt8] {
        let spaced = bytes.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        return PercentEncoding.decode(spaced)
    }
}

/// Percent-encoding, RFC 3986 §2.1.
enum PercentEncoding {
    static func append(_ byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "%"))
        bytes.append(upper((byte >> 4).hexadecimalDigit))
        bytes.append(upper((byte & 0xF).hexadecimalDigit))
    }

    private static func upper(_ digit: UInt8) -> UInt8 { digit >= UInt8(ascii: "a") ? digit & 0xDF : digit }

    /// The bytes that percent-encoded ones stand for; a `%` that encodes nothing stands for itself.
    static func decode(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(UInt8(ascii: "%")) else { return bytes }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, let high = digit(bytes[index + 1]),
                let low = digit(bytes[index + 2])
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

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
