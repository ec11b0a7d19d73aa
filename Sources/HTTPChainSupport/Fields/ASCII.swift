/// The character classes in the grammar of fields.
package enum ASCII {
    /// Whether two names are equal, ignoring ASCII letter case, RFC 9110 §11.1.
    package static func equalFolded(_ one: String, _ other: String) -> Bool {
        one.utf8.count == other.utf8.count && zip(one.utf8, other.utf8).allSatisfy { lower($0) == lower($1) }
    }

    /// Whether a byte may occur in a token, RFC 9110 §5.6.2.
    @inlinable
    package static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "!"), UInt8(ascii: "#")...UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^")...UInt8(ascii: "`"), UInt8(ascii: "|"),
            UInt8(ascii: "~"):
            true
        default: isAlphanumeric(byte)
        }
    }

    /// Whether a byte may occur in a token68, except padding, RFC 9110 §11.2.
    package static func isToken68Byte(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || "-._~+/".utf8.contains(byte)
    }

    /// Whether a byte is a visible ASCII character (VCHAR, RFC 5234 §B.1), not a space or a control character.
    @inlinable
    package static func isVisible(_ byte: UInt8) -> Bool { (0x21...0x7E).contains(byte) }

    /// Whether a byte is a space or a tab, RFC 9110 §5.6.3.
    package static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    /// Whether RFC 9110 §5.5 forbids a byte in a field value: a control character other than the tab.
    package static func isFieldControl(_ byte: UInt8) -> Bool {
        (byte < 0x20 && byte != UInt8(ascii: "\t")) || byte == 0x7F
    }

    /// Whether a byte is a letter or a digit.
    @inlinable
    package static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }

    /// Whether a byte is an opening or closing square bracket.
    package static func isSquareBracket(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]")
    }

    /// Returns the byte, with an uppercase letter converted to lowercase.
    package static func lower(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    /// Whether a byte means the same in a URI with and without percent-encoding, RFC 3986 §2.3.
    @inlinable
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || "-._~".utf8.contains(byte)
    }
}

extension BidirectionalCollection<UInt8> {
    /// Returns the bytes without surrounding spaces and tabs (RFC 9110 §5.6.3).
    package func trimmingSpace() -> SubSequence {
        let front = drop(while: ASCII.isSpace)
        guard let last = front.lastIndex(where: { !ASCII.isSpace($0) }) else { return front }
        return front[...last]
    }
}

extension Collection<UInt8> {
    /// The same as `contains(where:)`, but takes a quarter of the time for text.
    @inlinable
    package func includes(where isFound: (UInt8) -> Bool) -> Bool {
        withContiguousStorageIfAvailable { $0.contains(where: isFound) } ?? contains(where: isFound)
    }
}
