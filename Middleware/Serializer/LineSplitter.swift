import Foundation
import HTTPChainSupport

/// Splits chunks into lines, or into the records of a JSON sequence.
struct LineSplitter: Sendable {
    /// The error for a line that is longer than allowed.
    struct TooLong: Error {
        let number: Int
    }

    static let lineFeed: UInt8 = 0x0A
    /// RFC 7464 §2.1.
    static let recordSeparator: UInt8 = 0x1E

    private let limit: Int
    let separator: UInt8
    /// The bytes that have arrived.
    ///
    /// Lines before `start` have been returned.
    private var buffer = Data()
    private var start = 0
    /// The position before which there is no line feed, so that a line in many chunks is searched only once.
    private var searched = 0
    /// The number of the last line that was returned, counted from 1.
    private(set) var number = 0
    private var isLast = false
    /// What is known of the value after the last separator of a sequence.
    private var pending = PendingValue()

    init(limit: Int, separator: UInt8 = lineFeed) {
        self.limit = limit
        self.separator = separator
    }

    /// Whether everything has been returned.
    var isEnded: Bool { isLast && start >= buffer.count }

    mutating func append(_ chunk: Data) {
        if start > 0 {
            buffer = Data(buffer.dropFirst(start))
            searched -= start
            start = 0
        }
        buffer.append(chunk)
    }

    mutating func end() {
        isLast = true
    }

    /// Returns the next complete line without its ending, or `nil` if more bytes must arrive first.
    mutating func next() throws(TooLong) -> Data? {
        let origin = buffer.startIndex
        if let feed = buffer[(origin + searched)...].firstIndex(of: separator) {
            return try take(upTo: feed - origin, next: feed - origin + 1)
        }
        searched = buffer.count
        if isLast, start < buffer.count { return try take(upTo: buffer.count, next: buffer.count) }
        // A carriage return before a line feed doesn't count.
        guard buffer.count - start <= limit &+ 1 || limit == .max else { throw TooLong(number: number + 1) }
        return nil
    }

    /// Returns the bytes after the last separator of a sequence once they end with a line feed and their brackets and
    /// strings are closed: further bytes add nothing to the value.
    mutating func pendingRecord() -> Data? {
        guard separator == Self.recordSeparator, number > 0, start < buffer.count, searched == buffer.count else {
            return nil
        }
        pending.read(buffer.dropFirst(start + pending.count))
        return pending.isClosed && buffer.last == Self.lineFeed ? Data(buffer.dropFirst(start)) : nil
    }

    /// Discards the bytes after the last separator, because they have been decoded.
    mutating func dropPending() {
        move(to: buffer.count)
    }

    private mutating func move(to position: Int) {
        start = position
        searched = position
        pending = PendingValue()
    }

    private mutating func take(upTo end: Int, next: Int) throws(TooLong) -> Data {
        let origin = buffer.startIndex
        var line = buffer[(origin + start)..<(origin + end)]
        if separator == Self.lineFeed, line.last == 0x0D { line = line.dropLast() }
        number += 1
        guard line.count <= limit else { throw TooLong(number: number) }
        // The first line may begin with a byte order mark.
        if number == 1, line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
        move(to: next)
        return Data(line)
    }
}

/// The brackets and strings of a JSON text whose end has not arrived; each byte is read once.
private struct PendingValue: Sendable {
    private(set) var count = 0
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    private var hasContent = false

    var isClosed: Bool { hasContent && depth <= 0 && !isInString }

    mutating func read(_ bytes: Data) {
        Steps.take(bytes.count)
        count += bytes.count
        for byte in bytes {
            if !byte.isJSONSpace { hasContent = true }
            if isEscaped {
                isEscaped = false
                continue
            }
            switch byte {
            case UInt8(ascii: "\\"): isEscaped = isInString
            case UInt8(ascii: "\""): isInString.toggle()
            case UInt8(ascii: "["), UInt8(ascii: "{"): if !isInString { depth += 1 }
            case UInt8(ascii: "]"), UInt8(ascii: "}"): if !isInString { depth -= 1 }
            default: break
            }
        }
    }
}
