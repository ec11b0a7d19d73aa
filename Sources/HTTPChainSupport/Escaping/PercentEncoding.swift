/// Percent-encoding, RFC 3986 §2.1.
extension [UInt8] {
    /// Appends a byte as a percent sign and two uppercase hexadecimal digits.
    @inlinable
    package mutating func append(percentEncoding byte: UInt8) {
        append(UInt8(ascii: "%"))
        append((byte >> 4).uppercaseHexadecimalDigit)
        append((byte & 0xF).uppercaseHexadecimalDigit)
    }

    /// Percent-encodes the square brackets of a path and query.
    ///
    /// RFC 3986 §3.2.2 allows them only around an address in a host. If a path contains them, Foundation's `URL`
    /// encodes the text around them again, including each `%`. Every path is therefore written without them.
    package mutating func encodeSquareBrackets() {
        guard contains(where: ASCII.isSquareBracket) else { return }
        var result: [UInt8] = []
        result.reserveCapacity(count + 16)
        for byte in self {
            Steps.take()
            if ASCII.isSquareBracket(byte) { result.append(percentEncoding: byte) } else { result.append(byte) }
        }
        self = result
    }
}

extension String {
    /// Makes text from bytes, percent-encoding those that aren't kept.
    package init(percentEncoding bytes: some Collection<UInt8>, keeping isKept: (UInt8) -> Bool) {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.underestimatedCount)
        for byte in bytes {
            if isKept(byte) { result.append(byte) } else { result.append(percentEncoding: byte) }
        }
        self.init(decoding: result, as: UTF8.self)
    }

    /// The text of a path and query with its square brackets percent-encoded.
    package var encodingSquareBrackets: String {
        guard utf8.includes(where: ASCII.isSquareBracket) else { return self }
        var bytes = Array(utf8)
        bytes.encodeSquareBrackets()
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Collection<UInt8> where Index == Int {
    /// Returns the byte encoded by `%` and two hexadecimal digits at an index, or `nil` if there is no such escape.
    @inlinable
    package func percentEncodedByte(at index: Int) -> UInt8? {
        guard index + 2 < endIndex, self[index] == UInt8(ascii: "%"), let high = self[index + 1].hexadecimalValue,
            let low = self[index + 2].hexadecimalValue
        else { return nil }
        return high << 4 | low
    }

    /// Decodes percent-encoded bytes; a `%` that isn't part of an escape is literal.
    ///
    /// - Parameter plusIsSpace: Whether a plus sign is decoded as a space, as in forms (URL Standard of the WHATWG,
    ///   §5.1).
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

extension String {
    /// Makes a URL reference from one that a server sent, as browsers do: removes surrounding spaces, replaces
    /// backslashes before the query by slashes, and percent-encodes invalid bytes.
    package init(encodingReference bytes: [UInt8]) {
        var rest = bytes[...]
        while let first = rest.first, first <= 0x20 { rest = rest.dropFirst() }
        while let last = rest.last, last <= 0x20 { rest = rest.dropLast() }
        var result: [UInt8] = []
        result.reserveCapacity(rest.count)
        var part = ReferencePart.path
        for index in rest.indices {
            let byte = rest[index]
            switch byte {
            case UInt8(ascii: "#") where part != .fragment:
                part = .fragment
                result.append(byte)
            case UInt8(ascii: "?") where part == .path:
                part = .query
                result.append(byte)
            case UInt8(ascii: "\\") where part == .path:
                result.append(UInt8(ascii: "/"))
            case UInt8(ascii: "%") where rest.percentEncodedByte(at: index) != nil:
                result.append(byte)
            case ...0x20, 0x7F..., UInt8(ascii: "%"), UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"),
                UInt8(ascii: "\\"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"),
                UInt8(ascii: "}"), UInt8(ascii: "#"):
                result.append(percentEncoding: byte)
            default:
                result.append(byte)
            }
        }
        self.init(decoding: result, as: UTF8.self)
    }

    private enum ReferencePart { case path, query, fragment }
}
