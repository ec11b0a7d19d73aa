extension UInt8 {
    /// The lowercase hexadecimal digit of a value below 16.
    @inlinable
    package var hexadecimalDigit: UInt8 { self < 10 ? UInt8(ascii: "0") + self : UInt8(ascii: "a") + self - 10 }

    /// The uppercase hexadecimal digit of a value below 16.
    @inlinable
    package var uppercaseHexadecimalDigit: UInt8 {
        self < 10 ? UInt8(ascii: "0") + self : UInt8(ascii: "A") + self - 10
    }

    /// The value of a hexadecimal digit in either letter case, or `nil` for other bytes.
    @inlinable
    package var hexadecimalValue: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x37
        case 0x61...0x66: self - 0x57
        default: nil
        }
    }
}

extension Sequence<UInt8> {
    /// Two lowercase hexadecimal digits for each byte.
    @inlinable
    package var hexadecimal: [UInt8] {
        var digits: [UInt8] = []
        // A hash, which has at most 64 bytes, doesn't report its length.
        digits.reserveCapacity(2 * Swift.max(underestimatedCount, 64))
        for byte in self {
            digits.append((byte >> 4).hexadecimalDigit)
            digits.append((byte & 0xF).hexadecimalDigit)
        }
        return digits
    }
}

extension UInt64 {
    /// The number as 16 lowercase hexadecimal digits.
    package var hexadecimal: String {
        String(unsafeUninitializedCapacity: 16) { digits in
            writeHexadecimal(to: digits, at: 0)
            return 16
        }
    }

    /// Writes 16 lowercase hexadecimal digits into a buffer, which must have room for them at the position.
    @inlinable
    package func writeHexadecimal(to digits: UnsafeMutableBufferPointer<UInt8>, at position: Int) {
        let bytes = UnsafeMutableRawBufferPointer(digits)
        for half in 0..<2 {
            let word = Self.hexadecimalDigits(of: UInt32(truncatingIfNeeded: self >> UInt64(32 - 32 * half)))
            bytes.storeBytes(of: word.bigEndian, toByteOffset: position + 8 * half, as: UInt64.self)
        }
    }

    /// Returns the eight digits of a number, the last one in the lowest byte.
    ///
    /// They are computed in parallel, which takes a fifth of the time.
    @inlinable
    static func hexadecimalDigits(of number: UInt32) -> UInt64 {
        var nibbles = UInt64(number)
        nibbles = (nibbles | nibbles &<< 16) & 0x0000_FFFF_0000_FFFF
        nibbles = (nibbles | nibbles &<< 8) & 0x00FF_00FF_00FF_00FF
        nibbles = (nibbles | nibbles &<< 4) & 0x0F0F_0F0F_0F0F_0F0F
        // Sets the lowest bit of each byte whose digit is a letter: adding 6 to a value of 10 or more sets bit 4.
        let letters = ((nibbles &+ 0x0606_0606_0606_0606) &>> 4) & 0x0101_0101_0101_0101
        return nibbles &+ 0x3030_3030_3030_3030 &+ letters &* UInt64(UInt8(ascii: "a") - 10 - UInt8(ascii: "0"))
    }
}
