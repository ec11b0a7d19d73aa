import HTTPChainSupport

/// A set of ASCII characters, which determines the bytes of a URL component that aren't encoded.
struct ByteSet: Sendable {
    private let low: UInt64
    private let high: UInt64

    init(_ characters: StaticString) {
        var low: UInt64 = 0
        var high: UInt64 = 0
        characters.withUTF8Buffer { bytes in
            for byte in bytes {
                if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 64) }
            }
        }
        self.low = low
        self.high = high
    }

    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        // For bytes beyond ASCII, the result of the shift is zero.
        (byte < 64 ? low & (1 << UInt64(byte)) : high & (1 << UInt64(byte - 64))) != 0
    }

    /// The unreserved characters, RFC 3986 §2.3.
    static let unreserved = ByteSet("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
    /// The characters that RFC 6570 copies from literals and in reserved expansions, RFC 3986 §2.3 and §2.2.
    static let reserved = ByteSet(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/?#[]@!$&'()*+,;="
    )
}

extension [UInt8] {
    /// Appends the text.
    ///
    /// Bytes outside `allowed` are percent-encoded as UTF-8 (RFC 3986 §2.1).
    ///
    /// - Parameter keepingTriplets: Whether a `%` followed by two hexadecimal digits is kept.
    mutating func append(percentEncoding text: String, allowed: ByteSet, keepingTriplets: Bool = false) {
        var text = text
        text.withUTF8 { append(percentEncoding: $0, allowed: allowed, keepingTriplets: keepingTriplets) }
    }

    mutating func append(
        percentEncoding bytes: UnsafeBufferPointer<UInt8>,
        allowed: ByteSet,
        keepingTriplets: Bool
    ) {
        for index in bytes.indices {
            Steps.take()
            let byte = bytes[index]
            if allowed.contains(byte) || (keepingTriplets && bytes.percentEncodedByte(at: index) != nil) {
                append(byte)
            } else {
                append(percentEncoding: byte)
            }
        }
    }
}

extension Collection where Element == UInt8, Index == Int {
    /// Returns the byte at the index, decoded if it is percent-encoded, and the index of the next one.
    func decodedByte(at index: Int) -> (byte: UInt8, next: Int) {
        percentEncodedByte(at: index).map { ($0, index + 3) } ?? (self[index], index + 1)
    }
}

extension UInt8 {
    static let percent = UInt8(ascii: "%")
    static let slash = UInt8(ascii: "/")
    static let backslash = UInt8(ascii: "\\")
    static let question = UInt8(ascii: "?")
    static let hash = UInt8(ascii: "#")
    static let colon = UInt8(ascii: ":")
    static let dot = UInt8(ascii: ".")
    static let hyphen = UInt8(ascii: "-")
    static let comma = UInt8(ascii: ",")
    static let equals = UInt8(ascii: "=")
    static let ampersand = UInt8(ascii: "&")
    static let openBrace = UInt8(ascii: "{")
    static let closeBrace = UInt8(ascii: "}")

    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    var isLetter: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
    }

    var isControl: Bool { self < 0x20 || self == 0x7F }
}
