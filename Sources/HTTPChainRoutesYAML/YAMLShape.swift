#if YAML
import HTTPChainSupport

/// Checks of a YAML file before it is parsed, because libyaml and Yams recurse for each level, and compare keys by
/// their whole content.
package enum YAMLShape {
    /// Whether no value is nested much deeper than the given number of levels.
    ///
    /// Counts brackets outside quotes and comments, and the columns where lines and the text after a dash begin,
    /// because each level of block style needs its own column.
    package static func isShallow(_ text: String, levels: Int) -> Bool {
        let bytes = text.utf8
        var open = 0
        var columns: [Int] = []
        var lineStart = bytes.startIndex
        var index = bytes.startIndex
        var isIndenting = true
        /// Whether a value may begin here.
        var mayBegin = true
        while index < bytes.endIndex {
            Steps.take()
            let byte = bytes[index]
            if isIndenting, !isSpace(byte) {
                let column = bytes.distance(from: lineStart, to: index)
                while let last = columns.last, last >= column { columns.removeLast() }
                columns.append(column)
                // The text after a dash may begin another level in the same line.
                isIndenting = byte == UInt8(ascii: "-") || byte == UInt8(ascii: "?")
            }
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                if mayBegin { index = end(of: byte, in: bytes, from: index) }
                mayBegin = false
            case UInt8(ascii: "#") where mayBegin:
                let end = bytes[index...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
                Steps.take(bytes.distance(from: index, to: end))
                index = end
                continue
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                open += 1
                mayBegin = true
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                open = max(0, open - 1)
                mayBegin = false
            case UInt8(ascii: "\n"):
                isIndenting = true
                mayBegin = true
                lineStart = bytes.index(after: index)
            default: mayBegin = isSpace(byte) ? true : [UInt8(ascii: ":"), UInt8(ascii: ",")].contains(byte)
            }
            guard open + columns.count <= 2 * levels else { return false }
            if index < bytes.endIndex { index = bytes.index(after: index) }
        }
        return true
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
            || byte == UInt8(ascii: "\n")
    }

    /// Returns the end of quoted text, or the end of the file if the quote isn't closed.
    private static func end(of quote: UInt8, in bytes: String.UTF8View, from start: String.Index) -> String.Index {
        var index = bytes.index(after: start)
        while index < bytes.endIndex, bytes[index] != quote {
            Steps.take()
            if quote == UInt8(ascii: "\""), bytes[index] == UInt8(ascii: "\\") { index = bytes.index(after: index) }
            if index < bytes.endIndex { index = bytes.index(after: index) }
        }
        return index
    }
}
#endif
