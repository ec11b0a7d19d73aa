import Foundation
import HTTPChainSupport

/// Finds the lines that separate parts, RFC 2046 §5.1.1.
///
/// A delimiter is a whole line: two dashes, the boundary, two more dashes after the last part, and whitespace that
/// transports may have added. A longer line that begins in this way is content. It may be a delimiter of a nested
/// message whose boundary begins with this one.
struct DelimiterScanner {
    /// The kind of line ending, determined by the first delimiter line of the message.
    enum LineEnd {
        case crlf
        case lf
    }

    /// The position of a delimiter line, as offsets.
    struct Delimiter {
        /// The end of the content before it.
        ///
        /// The preceding line ending belongs to the delimiter.
        let contentEnd: Int
        /// The beginning of the next line.
        let lineEnd: Int
        let isFinal: Bool
        let ending: LineEnd
    }

    enum Result {
        case found(Delimiter)
        /// There is no delimiter up to this offset.
        ///
        /// The bytes after it may be the beginning of one.
        case none(upTo: Int)
    }

    /// The maximum whitespace after a boundary that counts as padding.
    private static let longestPadding = 1024

    private let marker: [UInt8]
    /// The kind of line ending; `nil` before the first delimiter.
    var lineEnd: LineEnd?

    init(boundary: [UInt8]) {
        marker = Array("--".utf8) + boundary
    }

    /// Searches for the first delimiter.
    ///
    /// - Parameters:
    ///   - buffer: The bytes, beginning at the end of the last search.
    ///   - isLineStart: Whether the first byte begins a line.
    ///   - isEnd: Whether this is the end of the message.
    func search(_ buffer: Data, isLineStart: Bool, isEnd: Bool) -> Result {
        buffer.withUnsafeBytes { bytes in
            if isLineStart, let result = match(bytes, at: 0, contentEnd: 0, isEnd: isEnd) { return result }
            var index = 0
            while let newline = Self.newline(in: bytes, from: index) {
                Steps.take(newline + 1 - index)
                index = newline + 1
                let hasReturn = newline > 0 && bytes[newline - 1] == 0x0D
                if lineEnd == .crlf, !hasReturn { continue }
                let contentEnd = lineEnd != .lf && hasReturn ? newline - 1 : newline
                if let result = match(bytes, at: index, contentEnd: contentEnd, isEnd: isEnd) { return result }
            }
            let endsInReturn = lineEnd != .lf && bytes.last == 0x0D
            return .none(upTo: bytes.count - (endsInReturn && !isEnd ? 1 : 0))
        }
    }

    /// Returns the delimiter if a line is one.
    ///
    /// - Parameters:
    ///   - line: The line without its ending.
    ///   - size: The size of the line, including its ending.
    ///   - ending: The kind of line ending.
    func delimiter(line: Data, size: Int, ending: LineEnd) -> Delimiter? {
        line.withUnsafeBytes { bytes in
            guard case .found(let found) = match(bytes, at: 0, contentEnd: 0, isEnd: true, needsLineEnd: false) else {
                return nil
            }
            return Delimiter(contentEnd: 0, lineEnd: size, isFinal: found.isFinal, ending: ending)
        }
    }

    /// Returns the delimiter line at an offset, or reports that more bytes are needed to recognize it.
    ///
    /// - Returns: `nil` if there is no delimiter.
    private func match(
        _ bytes: UnsafeRawBufferPointer,
        at start: Int,
        contentEnd: Int,
        isEnd: Bool,
        needsLineEnd: Bool = true
    ) -> Result? {
        let unclear = isEnd ? nil : Result.none(upTo: contentEnd)
        let available = min(marker.count, bytes.count - start)
        for offset in 0..<available {
            Steps.take()
            if bytes[start + offset] != marker[offset] { return nil }
        }
        guard available == marker.count else { return unclear }
        var index = start + marker.count
        var isFinal = false
        if index < bytes.count, bytes[index] == UInt8(ascii: "-") {
            guard index + 1 < bytes.count else { return unclear }
            guard bytes[index + 1] == UInt8(ascii: "-") else { return nil }
            isFinal = true
            index += 2
        }
        let padding = index
        while index < bytes.count, ASCII.isSpace(bytes[index]) {
            Steps.take()
            index += 1
        }
        guard index - padding <= Self.longestPadding else { return nil }
        func found(_ lineEnd: Int, _ ending: LineEnd) -> Result? {
            .found(Delimiter(contentEnd: contentEnd, lineEnd: lineEnd, isFinal: isFinal, ending: ending))
        }
        guard index < bytes.count else {
            // The last line of a message often has no line ending.
            return isEnd && (isFinal || !needsLineEnd) ? found(index, .crlf) : unclear
        }
        if bytes[index] == 0x0A { return found(index + 1, .lf) }
        guard bytes[index] == 0x0D else { return nil }
        guard index + 1 < bytes.count else { return isEnd && isFinal ? found(index + 1, .crlf) : unclear }
        return bytes[index + 1] == 0x0A ? found(index + 2, .crlf) : nil
    }

    /// Returns the offset of the first LF at or after another offset.
    static func newline(in buffer: Data, from start: Int) -> Int? {
        buffer.withUnsafeBytes { newline(in: $0, from: start) }
    }

    private static func newline(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard start < bytes.count, let base = bytes.baseAddress,
            let found = memchr(base + start, 0x0A, bytes.count - start)
        else { return nil }
        return UnsafeRawPointer(found) - base
    }
}
