import HTTPChainSupport

/// The `.` and `..` segments of a path (RFC 3986 §5.2.4), in all forms that servers recognize: with percent-encoded
/// dots, with backslashes and encoded slashes as separators, and with parameters after the dots (`..;x`).
package struct DotSegments {
    /// The positions of the segments.
    package private(set) var ranges: [Range<Int>] = []
    /// Whether some `..`, from left to right, would go up beyond the beginning of the path.
    package private(set) var climbsOut = false

    package init(in path: ArraySlice<UInt8>) {
        Steps.take(path.count)
        guard path.withUnsafeBufferPointer(Self.mayBe) else { return }
        var depth = 0
        var start = path.startIndex
        var index = path.startIndex
        while index <= path.endIndex {
            Steps.take()
            let isEnd = index == path.endIndex
            let (byte, next) = isEnd ? (.slash, index + 1) : path.decodedByte(at: index)
            if byte == .slash || byte == .backslash {
                switch Self.dots(in: path[start..<index]) {
                case 1: ranges.append(start..<index)
                case 2:
                    ranges.append(start..<index)
                    depth -= 1
                    if depth < 0 { climbsOut = true }
                // Servers that merge slashes ignore empty segments.
                default: if index > start { depth += 1 }
                }
                start = next
            }
            index = next
        }
    }

    /// Returns whether there is a dot, plain or encoded, at a possible beginning of a segment.
    ///
    /// This is a quick check for most paths.
    private static func mayBe(in path: UnsafeBufferPointer<UInt8>) -> Bool {
        var previous = UInt8.slash
        for index in path.indices {
            let byte = path[index]
            if byte == .dot {
                // The position is after a slash, or after the last digit of an encoded one (%2F, %5C).
                let letter = previous & 0xDF
                if previous == .slash || previous == .backslash || letter == 0x46 || letter == 0x43 { return true }
            } else if byte == .percent, index + 2 < path.count, path[index + 1] == 0x32, path[index + 2] | 0x20 == 0x65
            {
                return true
            }
            previous = byte
        }
        return false
    }

    /// Returns 1 for `.`, 2 for `..`, and otherwise `nil`.
    private static func dots(in segment: ArraySlice<UInt8>) -> Int? {
        var count = 0
        var index = segment.startIndex
        while index < segment.endIndex {
            Steps.take()
            let (byte, next) = segment.decodedByte(at: index)
            if byte == UInt8(ascii: ";") { break }
            guard byte == .dot, count < 2 else { return nil }
            count += 1
            index = next
        }
        return count == 0 ? nil : count
    }
}
