import Foundation

/// Cuts chunks into lines, or into the records of a JSON sequence.
struct LineSplitter: Sendable {
    /// A line is longer than allowed.
    struct TooLong: Error {
        let number: Int
    }

    static let lineFeed: UInt8 = 0x0A
    /// RFC 7464 §2.1.
    static let recordSeparator: UInt8 = 0x1E

    private let limit: Int
    let separator: UInt8
    /// The bytes that have arrived; lines before `start` have been given out.
    private var buffer = Data()
    private var start = 0
    /// Up to here there is no line feed, so that a line in many chunks is searched once.
    private var searched = 0
    /// The line given out last; the first is 1.
    private(set) var number = 0
    private var isLast = false

    init(limit: Int, separator: UInt8 = lineFeed) {
        self.limit = limit
        self.separator = separator
    }

    /// Whether nothing more will come.
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

    /// The next whole line, without its end; `nil` when more must arrive first.
    mutating func next() throws(TooLong) -> Data? {
        let origin = buffer.startIndex
        if let feed = buffer[(origin + searched)...].firstIndex(of: separator) {
            return try take(upTo: feed - origin, next: feed - origin + 1)
        }
        searched = buffer.count
        if isLast, start < buffer.count { return try take(upTo: buffer.count, next: buffer.count) }
        // The carriage return before a line feed does not count.
        guard buffer.count - start <= limit &+ 1 || limit == .max else { throw TooLong(number: number + 1) }
        return nil
    }

    /// Of a sequence, what has arrived after the last separator, where it ends with a line feed.
    var pendingRecord: Data? {
        guard separator == Self.recordSeparator, number > 0, start < buffer.count, searched == buffer.count,
            buffer.last == Self.lineFeed
        else { return nil }
        return Data(buffer.dropFirst(start))
    }

    /// Passes over what has arrived after the last separator: it has been read.
    mutating func dropPending() {
        start = buffer.count
        searched = start
    }

    private mutating func take(upTo end: Int, next: Int) throws(TooLong) -> Data {
        let origin = buffer.startIndex
        var line = buffer[(origin + start)..<(origin + end)]
        if separator == Self.lineFeed, line.last == 0x0D { line = line.dropLast() }
        number += 1
        guard line.count <= limit else { throw TooLong(number: number) }
        // A byte order mark may stand before the first line.
        if number == 1, line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
        start = next
        searched = next
        return Data(line)
    }
}
