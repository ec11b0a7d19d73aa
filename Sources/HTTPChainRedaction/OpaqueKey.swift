import HTTPChainSupport

/// Distinguishes keys and tokens from names, words and numbers by their characters.
enum OpaqueKey {
    /// The minimum number of consecutive letters and digits in a key.
    static let shortest = 20

    /// Whether a segment of a URL's path looks like a key: a JSON Web Token, or a long run in which letters and digits
    /// alternate too often for words.
    ///
    /// A UUID, a number, a date, a hexadecimal identifier of up to 31 digits, and a name in any style of capitalization
    /// don't look like a key.
    ///
    /// - Parameter isCutOff: Whether the segment may be cut off, so that fewer characters are enough.
    static func isLikely<Bytes: RandomAccessCollection<UInt8>>(_ piece: Bytes, isCutOff: Bool = false) -> Bool
    where Bytes.Index == Int {
        let shortest = isCutOff ? 8 : shortest
        if piece.count < shortest { return false }
        var start = piece.startIndex
        while start < piece.endIndex {
            guard piece[start].isLetterOrDigit else {
                start += 1
                continue
            }
            let end = piece[start...].firstIndex { !$0.isLetterOrDigit } ?? piece.endIndex
            if end - start >= shortest, isRandom(piece[start..<end], isCutOff: isCutOff) { return true }
            start = end
        }
        return false
    }

    private static func isRandom(_ run: some RandomAccessCollection<UInt8>, isCutOff: Bool) -> Bool {
        var pieces = 1
        var hasDigits = false
        var isHexadecimal = true
        var previous: Kind?
        for byte in run {
            let kind = Kind(byte)
            if kind == .digit { hasDigits = true }
            if byte.hexadecimalValue == nil { isHexadecimal = false }
            // A capital and the lowercase letters after it count as one piece, as in a word.
            if let previous, kind != previous, !(previous == .upper && kind == .lower) { pieces += 1 }
            previous = kind
        }
        if isHexadecimal, !hasDigits || (run.count < 32 && !isCutOff) { return false }
        // Consecutive words average four letters or more; in random text, pieces average about two.
        return run.count * 10 < pieces * 33
    }

    private enum Kind {
        case digit, upper, lower

        init(_ byte: UInt8) {
            self = byte.isDigit ? .digit : byte & 0x20 == 0 ? .upper : .lower
        }
    }
}
