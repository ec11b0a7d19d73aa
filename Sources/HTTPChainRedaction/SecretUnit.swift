import HTTPChainSupport

/// A decoded byte of text, which may be written plainly or escaped, as in URLs (`%3D`, `%253D`), JSON (`\/`, `\u003d`)
/// and markup (`&quot;`).
struct SecretUnit {
    /// The decoded byte.
    let byte: UInt8
    /// The number of bytes in its written form.
    let length: Int
    /// The number of times it is percent-encoded.
    var level = 0

    var isEscaped: Bool { length > 1 }

    /// Makes an unescaped byte.
    init(_ byte: UInt8) { (self.byte, length) = (byte, 1) }

    /// Reads the unit at an index, which must be within the bytes.
    ///
    /// - Parameter afterBackslashes: The end of the backslashes at the index, if known.
    init<Bytes: RandomAccessCollection<UInt8>>(_ bytes: Bytes, at index: Int, afterBackslashes: Int? = nil)
    where Bytes.Index == Int {
        let first = bytes[index]
        switch first {
        case UInt8(ascii: "%"):
            if let (byte, length, level) = Self.percent(bytes, index) {
                (self.byte, self.length, self.level) = (byte, length, level)
                return
            }
        case UInt8(ascii: "\\"):
            if let (byte, length) = Self.backslash(bytes, index, afterBackslashes) {
                (self.byte, self.length) = (byte, length)
                return
            }
        case UInt8(ascii: "&"):
            if let (byte, length) = Self.entity(bytes, index) {
                (self.byte, self.length) = (byte, length)
                return
            }
        default: break
        }
        (byte, length) = (first, 1)
    }

    static let deepest = 8

    private static func percent<Bytes: RandomAccessCollection<UInt8>>(
        _ bytes: Bytes,
        _ index: Int
    ) -> (UInt8, Int, Int)? where Bytes.Index == Int {
        var position = index + 1
        for level in 1...deepest {
            guard position + 1 < bytes.endIndex, let high = bytes[position].hexadecimalValue,
                let low = bytes[position + 1].hexadecimalValue
            else { return nil }
            let byte = high << 4 | low
            position += 2
            // This is an escaped percent sign that begins another escape.
            if byte == UInt8(ascii: "%"), level < deepest, position + 1 < bytes.endIndex,
                bytes[position].hexadecimalValue != nil, bytes[position + 1].hexadecimalValue != nil
            {
                continue
            }
            return (byte, position - index, level)
        }
        return nil
    }

    private static func backslash<Bytes: RandomAccessCollection<UInt8>>(
        _ bytes: Bytes,
        _ index: Int,
        _ afterBackslashes: Int?
    ) -> (UInt8, Int)? where Bytes.Index == Int {
        let position = afterBackslashes ?? bytes.afterBackslashes(from: index)
        guard position < bytes.endIndex else { return nil }
        if bytes[position] == UInt8(ascii: "/") { return (UInt8(ascii: "/"), position + 1 - index) }
        guard bytes[position] == UInt8(ascii: "u"), position + 4 < bytes.endIndex else { return nil }
        var value: UInt16 = 0
        for digit in bytes[(position + 1)...(position + 4)] {
            guard let hex = digit.hexadecimalValue else { return nil }
            value = value << 4 | UInt16(hex)
        }
        return value < 0x80 ? (UInt8(value), position + 5 - index) : nil
    }

    private static func entity<Bytes: RandomAccessCollection<UInt8>>(_ bytes: Bytes, _ index: Int) -> (UInt8, Int)?
    where Bytes.Index == Int {
        guard index + 3 < bytes.endIndex, bytes[index + 1] == UInt8(ascii: "#") || bytes[index + 1].isLetter else {
            return nil
        }
        guard let (text, byte) = entities.first(where: { bytes[index...].starts(with: $0.text) }) else { return nil }
        return (byte, text.count)
    }

    private static let entities = [
        ("&quot;", "\""), ("&#34;", "\""), ("&#x22;", "\""), ("&apos;", "'"), ("&#39;", "'"), ("&#x27;", "'"),
        ("&amp;", "&"), ("&#38;", "&"), ("&lt;", "<"), ("&gt;", ">"), ("&equals;", "="), ("&#61;", "="),
        ("&#x3d;", "="),
    ].map { (text: String, scalar: Unicode.Scalar) in (text: Array(text.utf8), byte: UInt8(ascii: scalar)) }
}

extension RandomAccessCollection<UInt8> where Index == Int {
    /// Returns the end of the backslashes at an index, but skips at most 64.
    func afterBackslashes(from start: Int) -> Int {
        start + self[start...].prefix(64).prefix { $0 == UInt8(ascii: "\\") }.count
    }
}
