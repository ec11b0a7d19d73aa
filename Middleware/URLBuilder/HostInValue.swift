/// Detects values that would change the host if they were interpreted as a URL reference.
package enum HostInValue {
    /// Returns whether the text begins with two slashes or backslashes, or with a scheme and a slash.
    ///
    /// Percent-encoded ones count too.
    package static func isSuspected(in text: String) -> Bool {
        let bytes = Array(text.utf8.drop { $0 == 0x20 })
        return startsAuthority(bytes[...]) || startsWithScheme(bytes)
    }

    /// Returns whether the text begins with two slashes or backslashes.
    static func startsAuthority(_ bytes: ArraySlice<UInt8>) -> Bool {
        var index = bytes.startIndex
        for _ in 0..<2 {
            guard index < bytes.endIndex else { return false }
            let (byte, next) = bytes.decodedByte(at: index)
            guard byte == .slash || byte == .backslash else { return false }
            index = next
        }
        return true
    }

    /// Returns whether the text begins with a scheme of at least two letters.
    ///
    /// A single letter is a drive, as in `C:\`.
    private static func startsWithScheme(_ bytes: [UInt8]) -> Bool {
        guard let first = bytes.first, first.isLetter else { return false }
        var index = 1
        while index < bytes.count {
            let (byte, next) = bytes.decodedByte(at: index)
            if byte == .colon {
                guard index > 1, next < bytes.count else { return false }
                let (after, _) = bytes.decodedByte(at: next)
                return after == .slash || after == .backslash
            }
            guard byte.isLetter || byte.isDigit || byte == UInt8(ascii: "+") || byte == .hyphen || byte == .dot else {
                return false
            }
            index = next
        }
        return false
    }
}
