import Foundation

/// Cuts chunks into lines.
struct LineSplitter: Sendable {
    /// A line is longer than allowed.
    struct TooLong: Error {
        let number: Int
    }

    private let limit: Int
    /// What has arrived; lines before `start` have been given out.
    private var buffer = Data()
    private var start = 0
    /// Up to here there is no line feed, so that a line in many chunks is searched once.
    private var searched = 0
    /// The line given out last; the first is 1.
    private(set) var number = 0
    private var isLast = false

    init(limit: Int) {
        self.limit = limit
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
        if let feed = buffer[(origin + searched)...].firstIndex(of: 0x0A) {
            return try take(upTo: feed - origin, next: feed - origin + 1)
        }
        searched = buffer.count
        if isLast, start < buffer.count { return try take(upTo: buffer.count, next: buffer.count) }
        // The carriage return before a line feed does not count.
        guard buffer.count - start <= limit &+ 1 || limit == .max else { throw TooLong(number: number + 1) }
        return nil
    }

    private mutating func take(upTo end: Int, next: Int) throws(TooLong) -> Data {
        let origin = buffer.startIndex
        var line = buffer[(origin + start)..<(origin + end)]
        if line.last == 0x0D { line = line.dropLast() }
        number += 1
        guard line.count <= limit else { throw TooLong(number: number) }
        // A byte order mark may stand before the first line.
        if number == 1, line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
        start = next
        searched = next
        return Data(line)
    }
}
