extension UInt8 {
    /// The lower-case hexadecimal digit of a value below 16.
    @inlinable
    package var hexadecimalDigit: UInt8 { self < 10 ? UInt8(ascii: "0") + self : UInt8(ascii: "a") + self - 10 }
}

extension Sequence<UInt8> {
    /// Two lower-case hexadecimal digits for each byte.
    @inlinable
    package var hexadecimal: [UInt8] {
        var digits: [UInt8] = []
        // A hash does not tell how long it is; the longest has 64 bytes.
        digits.reserveCapacity(2 * Swift.max(underestimatedCount, 64))
        for byte in self {
            digits.append((byte >> 4).hexadecimalDigit)
            digits.append((byte & 0xF).hexadecimalDigit)
        }
        return digits
    }
}

extension UInt64 {
    /// 16 lower-case hexadecimal digits.
    package var hexadecimal: String {
        String(unsafeUninitializedCapacity: 16) { digits in
            writeHexadecimal(to: digits, at: 0)
            return 16
        }
    }

    /// Writes 16 lower-case hexadecimal digits into a buffer, which has room for them from a position on.
    @inlinable
    package func writeHexadecimal(to digits: UnsafeMutableBufferPointer<UInt8>, at position: Int) {
        for index in 0..<16 {
            let digit = UInt8(truncatingIfNeeded: self >> UInt64(60 - 4 * index)) & 0xF
            digits[position + index] = digit.hexadecimalDigit
        }
    }
}
