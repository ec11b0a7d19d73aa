/// The numbers and the escapes of JSON (RFC 8259), for the two JSON readers in this package.
///
/// The reader of archives keeps numbers as text and salvages a truncated file. The reader of route files continues
/// after a mistake and reports the position of each value. `JSONDecoder`, which is used everywhere else, does neither.
package enum JSONLexer {
    /// The reason that a number or an escape can't be read.
    package enum Fault: Error, Hashable {
        /// The text ends within the number or escape.
        case cut
        /// Another byte is expected at an index.
        case unexpected(at: Int, expected: String)
    }

    /// A decoded escape, and the index after it.
    package enum Escape: Hashable {
        case scalar(Unicode.Scalar, end: Int)
        /// Half of a surrogate pair, which isn't a character (§8.2).
        case loneSurrogate(end: Int)
    }

    /// Returns the index after the number that begins at `start` (§6).
    package static func endOfNumber(
        in bytes: UnsafeBufferPointer<UInt8>,
        from start: Int
    ) throws(Fault) -> Int {
        var index = start
        func current() -> UInt8? { index < bytes.count ? bytes[index] : nil }
        func digits() throws(Fault) {
            guard let first = current() else { throw .cut }
            guard (0x30...0x39).contains(first) else { throw .unexpected(at: index, expected: "a digit") }
            while let byte = current(), (0x30...0x39).contains(byte) {
                Steps.take()
                index += 1
            }
        }
        if current() == UInt8(ascii: "-") { index += 1 }
        // The integer part can't have leading zeros.
        if current() == UInt8(ascii: "0") { index += 1 } else { try digits() }
        if current() == UInt8(ascii: ".") {
            index += 1
            try digits()
        }
        if current() == UInt8(ascii: "e") || current() == UInt8(ascii: "E") {
            index += 1
            if current() == UInt8(ascii: "+") || current() == UInt8(ascii: "-") { index += 1 }
            try digits()
        }
        return index
    }

    /// Reads the rest of an escape after its backslash (§7).
    ///
    /// A character beyond the Basic Multilingual Plane is written as two escapes.
    package static func escape(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) throws(Fault) -> Escape {
        guard start < bytes.count else { throw .cut }
        let end = start + 1
        switch bytes[start] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
            return .scalar(Unicode.Scalar(bytes[start]), end: end)
        case UInt8(ascii: "b"): return .scalar("\u{8}", end: end)
        case UInt8(ascii: "f"): return .scalar("\u{C}", end: end)
        case UInt8(ascii: "n"): return .scalar("\n", end: end)
        case UInt8(ascii: "r"): return .scalar("\r", end: end)
        case UInt8(ascii: "t"): return .scalar("\t", end: end)
        case UInt8(ascii: "u"): break
        default: throw .unexpected(at: start, expected: "an escape")
        }
        let first = try unit(in: bytes, at: end)
        if let scalar = Unicode.Scalar(UInt32(first)) { return .scalar(scalar, end: end + 4) }
        let next = end + 4
        guard (0xD800..<0xDC00).contains(first), next + 1 < bytes.count, bytes[next] == UInt8(ascii: "\\"),
            bytes[next + 1] == UInt8(ascii: "u")
        else { return .loneSurrogate(end: next) }
        let second = try unit(in: bytes, at: next + 2)
        guard (0xDC00..<0xE000).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
        else { return .loneSurrogate(end: next) }
        return .scalar(scalar, end: next + 6)
    }

    /// Reads four hexadecimal digits.
    private static func unit(in bytes: UnsafeBufferPointer<UInt8>, at start: Int) throws(Fault) -> UInt16 {
        var unit: UInt16 = 0
        for index in start..<start + 4 {
            guard index < bytes.count else { throw .cut }
            guard let digit = bytes[index].hexadecimalValue else {
                throw .unexpected(at: index, expected: "four hexadecimal digits")
            }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }
}
