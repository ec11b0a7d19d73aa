/// A fast check that detects in one pass, without allocation, that most texts have no secrets.
///
/// It may raise false alarms, but if it raises none, the ``SecretScanner`` wouldn't change the text.
struct SecretSuspicion {
    let rules: SecretRules
    let isURL: Bool

    /// Whether the text has to be scanned.
    func isRaised(by text: String) -> Bool {
        var text = text
        return text.withUTF8 { isRaised(by: $0) }
    }

    func isRaised(by bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        rules.tails.withTest { mayEndName in
            var index = 0
            var wordStart = 0
            var tail: UInt32 = 0
            var isCandidate = false
            var hasKeyRun = false
            var run = 0
            // Whether the index is in the authority or path of a URL, which may contain user information or a key.
            var isInURL = isURL
            while index < bytes.count {
                let byte = bytes[index]
                if byte.isNameByte {
                    if byte.isLetterOrDigit {
                        run += 1
                        if run >= OpaqueKey.shortest { hasKeyRun = true }
                    } else {
                        run = 0
                    }
                    if !SecretNames.isIgnored(byte) {
                        tail = tail << 8 | UInt32(SecretNames.folded(byte))
                        if mayEndName(tail) { isCandidate = true }
                        if tail & 0xFF_FFFF == 0x65796A, byte == UInt8(ascii: "J") { return true }
                    }
                    index += 1
                    continue
                }
                if isCandidate, isSuspicious(bytes, wordStart..<index) { return true }
                if isInURL, hasKeyRun { return true }
                switch byte {
                case UInt8(ascii: "%"), UInt8(ascii: "&"):
                    // An escaped character may be a delimiter, or a letter of a name.
                    if SecretUnit(bytes, at: index).isEscaped { return true }
                case UInt8(ascii: "\\"):
                    // Slashes of URLs in JSON may be escaped, and so may quotes and letters.
                    let next = bytes[(index + 1)...].first
                    if next == UInt8(ascii: "u") || next == UInt8(ascii: "/") || next == byte { return true }
                case UInt8(ascii: ":"):
                    if bytes[(index + 1)...].starts(with: "//".utf8) { isInURL = true }
                case UInt8(ascii: "@"):
                    if isInURL { return true }
                case _ where !isURL && byte.endsURL: isInURL = false
                default: break
                }
                index += 1
                wordStart = index
                tail = 0
                run = 0
                (isCandidate, hasKeyRun) = (false, false)
            }
            return (isCandidate && isSuspicious(bytes, wordStart..<index)) || (isInURL && hasKeyRun)
        }
    }

    private func isSuspicious(_ bytes: UnsafeBufferPointer<UInt8>, _ word: Range<Int>) -> Bool {
        let name = bytes[word]
        if rules.pairNames.contains(name) { return true }
        if CredentialScheme(name.drop { !$0.isLetterOrDigit }) != nil { return true }
        // After a backslash, the first letter may belong to an escape.
        if bytes[..<word.lowerBound].last == UInt8(ascii: "\\"), rules.pairNames.contains(name.dropFirst()) {
            return true
        }
        var hyphens = 0
        return name.contains { byte in
            hyphens = byte == UInt8(ascii: "-") ? hyphens + 1 : 0
            return hyphens == 5
        }
    }
}

/// A set of ASCII bytes.
struct ByteSet: Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    init(_ text: StaticString) {
        for byte in UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount) {
            if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte & 63) }
        }
    }

    func contains(_ byte: UInt8) -> Bool {
        byte < 128 && (byte < 64 ? low : high) >> UInt64(byte & 63) & 1 != 0
    }

    static let quotes = ByteSet("\"'`")
    /// The delimiters of URLs: after an authority, and between the segments of a path.
    static let authorityEnds = ByteSet("/?#")
    static let pathDelimiters = ByteSet("/;,:")
    /// The punctuation after a value, and after a credential.
    static let closers = ByteSet(",;)]}'")
    static let trailers = ByteSet(",;)]}'\\")
    static let credentialTrailers = ByteSet(".,;:)]}")
    static let sentenceEnds = ByteSet(",;)]}'\"<")
}

extension UInt8 {
    /// Whether names may contain the byte, including the brackets and dots of paths.
    var isNameByte: Bool {
        isLetterOrDigit || self >= 0x80 || self == UInt8(ascii: "_") || self == UInt8(ascii: "-")
            || self == UInt8(ascii: ".") || self == UInt8(ascii: "[") || self == UInt8(ascii: "]")
    }

    var isLetterOrDigit: Bool { isLetter || isDigit }

    var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }

    var isDigit: Bool { self &- 0x30 < 10 }

    var isBlank: Bool { self == 0x20 || self == 0x09 }

    var isNewline: Bool { self == 0x0A || self == 0x0D }

    var isSpace: Bool { isBlank || (0x0A...0x0D).contains(self) }

    /// Whether the byte ends a URL in a text.
    var endsURL: Bool {
        self <= 0x20 || self == 0x7F || self == UInt8(ascii: "\"") || self == UInt8(ascii: "'")
            || self == UInt8(ascii: "<") || self == UInt8(ascii: ">") || self == UInt8(ascii: "`")
    }
}
