/// Percent-encoding, RFC 3986 §2.1.
extension [UInt8] {
    /// Appends a byte as a percent sign and two upper-case hexadecimal digits.
    @inlinable
    package mutating func append(percentEncoding byte: UInt8) {
        append(UInt8(ascii: "%"))
        append((byte >> 4).uppercaseHexadecimalDigit)
        append((byte & 0xF).uppercaseHexadecimalDigit)
    }
}

extension String {
    /// Creates a text of bytes, each percent-encoded that is not kept.
    package init(percentEncoding bytes: some Collection<UInt8>, keeping isKept: (UInt8) -> Bool) {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.underestimatedCount)
        for byte in bytes {
            if isKept(byte) { result.append(byte) } else { result.append(percentEncoding: byte) }
        }
        self.init(decoding: result, as: UTF8.self)
    }
}

extension Collection<UInt8> where Index == Int {
    /// The byte that `%` and two hexadecimal digits at an index stand for; `nil` where something else stands there.
    @inlinable
    package func percentEncodedByte(at index: Int) -> UInt8? {
        guard index + 2 < endIndex, self[index] == UInt8(ascii: "%"), let high = self[index + 1].hexadecimalValue,
            let low = self[index + 2].hexadecimalValue
        else { return nil }
        return high << 4 | low
    }

    /// The bytes with each decoded that is percent-encoded; a `%` that encodes nothing stands for itself.
    ///
    /// - Parameter plusIsSpace: Whether a plus sign is a space, as in forms (URL Standard of the WHATWG, §5.1).
    package func percentDecoded(plusIsSpace: Bool = false) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(count)
        var index = startIndex
        while index < endIndex {
            Steps.take()
            if let byte = percentEncodedByte(at: index) {
                result.append(byte)
                index += 3
            } else {
                let byte = self[index]
                result.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
                index += 1
            }
        }
        return result
    }
}
