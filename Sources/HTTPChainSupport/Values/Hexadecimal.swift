extension Sequence<UInt8> {
    /// Two lower-case hexadecimal digits for each byte.
    @inlinable
    package var hexadecimal: [UInt8] {
        func digit(_ value: UInt8) -> UInt8 {
            value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
        }
        var digits: [UInt8] = []
        digits.reserveCapacity(2 * underestimatedCount)
        for byte in self {
            digits.append(digit(byte >> 4))
            digits.append(digit(byte & 0xF))
        }
        return digits
    }
}

extension UInt64 {
    /// 16 lower-case hexadecimal digits.
    package var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
