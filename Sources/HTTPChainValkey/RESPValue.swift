#if Valkey
import HTTPChainSupport

/// A reply in RESP2, the protocol of Valkey and Redis.
package indirect enum RESPValue: Sendable, Hashable {
    case text(String)
    case error(String)
    case number(Int64)
    case bytes([UInt8])
    case null
    case list([RESPValue])

    /// The bytes of a string of either kind.
    package var data: [UInt8]? {
        switch self {
        case .text(let text): Array(text.utf8)
        case .bytes(let bytes): bytes
        default: nil
        }
    }

    /// The text of a string of either kind.
    package var string: String? { data.map { String(decoding: $0, as: UTF8.self) } }
}

/// Parses replies from bytes, which may arrive in chunks of any size, within limits.
///
/// Each byte is read only once, because the parsed part of an incomplete reply is kept until more bytes arrive.
package struct RESPParser: Sendable {
    /// An error for bytes that aren't a reply.
    package struct Malformed: Error, Hashable {
        package let reason: String
    }

    /// An incomplete list.
    private struct OpenList {
        var missing: Int
        var elements: [RESPValue] = []
    }

    /// The maximum length of a line: a simple string, an error, or a length.
    package static let longestLine = 64 * 1024
    /// The maximum nesting of lists.
    package static let deepest = 16
    /// The maximum number of values in a reply, including those of its lists.
    package static let mostValues = 1 << 20
    /// The maximum number of bytes in a reply, including its lines.
    package static let longestReply = 64 * 1024 * 1024

    private let longestReply: Int
    private var buffer: [UInt8] = []
    /// The index of the first unread byte.
    private var start = 0
    /// The index of the first byte of the line at ``start`` that has not been searched yet.
    private var searched = 0
    /// The length of the string to read next.
    private var stringLength: Int?
    private var lists: [OpenList] = []
    /// The number of bytes and values read of the current reply.
    private var length = 0
    private var values = 0

    /// - Parameter longestReply: The maximum number of bytes in a reply.
    package init(longestReply: Int = RESPParser.longestReply) {
        self.longestReply = longestReply
    }

    /// Whether there are neither unread bytes nor an incomplete reply.
    package var isEmpty: Bool { start == buffer.count && length == 0 }

    package mutating func append(_ bytes: some Collection<UInt8>) {
        if start > 0 {
            Steps.take(buffer.count - start)
            buffer.removeFirst(start)
            searched -= start
            start = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// Returns the next reply; `nil` if more bytes are needed.
    package mutating func next() throws(Malformed) -> RESPValue? {
        while var value = try nextValue() {
            Steps.take()
            while let list = lists.indices.last {
                lists[list].elements.append(value)
                lists[list].missing -= 1
                guard lists[list].missing == 0 else { break }
                value = .list(lists.removeLast().elements)
            }
            guard lists.isEmpty else { continue }
            (length, values) = (0, 0)
            return value
        }
        guard length + buffer.count - start <= longestReply else { throw Malformed(reason: "a reply is too long") }
        return nil
    }

    /// Returns the next value, except the beginning of a list.
    private mutating func nextValue() throws(Malformed) -> RESPValue? {
        while true {
            if let stringLength {
                guard buffer.count - start >= stringLength + 2 else { return nil }
                let end = start + stringLength
                guard buffer[end] == 13, buffer[end + 1] == 10 else {
                    throw Malformed(reason: "a string is longer than it declares")
                }
                let value = RESPValue.bytes(Array(buffer[start..<end]))
                self.stringLength = nil
                try take(stringLength + 2)
                return value
            }
            guard let line = try line() else { return nil }
            values += 1
            guard values <= Self.mostValues else { throw Malformed(reason: "a reply has too many values") }
            let text = line.dropFirst()
            switch line.first {
            case UInt8(ascii: "+"): return .text(String(decoding: text, as: UTF8.self))
            case UInt8(ascii: "-"): return .error(String(decoding: text, as: UTF8.self))
            case UInt8(ascii: ":"): return .number(try number(text))
            case UInt8(ascii: "$"):
                guard let length = try count(text, upTo: longestReply - length) else { return .null }
                stringLength = length
            case UInt8(ascii: "*"):
                guard let count = try count(text, upTo: Self.mostValues - values) else { return .null }
                if count == 0 { return .list([]) }
                guard lists.count < Self.deepest else { throw Malformed(reason: "lists are nested too deep") }
                lists.append(OpenList(missing: count))
            default: throw Malformed(reason: "a reply does not begin with its type")
            }
        }
    }

    /// Returns the next line without its end.
    private mutating func line() throws(Malformed) -> ArraySlice<UInt8>? {
        let first = max(searched, start)
        let found = buffer[first...].firstIndex(of: 13)
        Steps.take((found ?? buffer.count) - first)
        guard let end = found, end + 1 < buffer.count else {
            guard buffer.count - start <= Self.longestLine + 2 else { throw Malformed(reason: "a line is too long") }
            searched = max(start, buffer.last == 13 ? buffer.count - 1 : buffer.count)
            return nil
        }
        guard end - start <= Self.longestLine else { throw Malformed(reason: "a line is too long") }
        guard buffer[end + 1] == 10 else { throw Malformed(reason: "a line does not end with CR LF") }
        let line = buffer[start..<end]
        try take(line.count + 2)
        return line
    }

    /// Counts bytes that were read.
    private mutating func take(_ count: Int) throws(Malformed) {
        Steps.take(count)
        start += count
        length += count
        guard length <= longestReply else { throw Malformed(reason: "a reply is too long") }
    }

    private func number(_ line: ArraySlice<UInt8>) throws(Malformed) -> Int64 {
        guard let number = Int64(String(decoding: line, as: UTF8.self)) else {
            throw Malformed(reason: "a number contains something other than digits")
        }
        return number
    }

    /// Parses a length or a number of values; returns `nil` for -1, which is the null of RESP2.
    private func count(_ line: ArraySlice<UInt8>, upTo limit: Int) throws(Malformed) -> Int? {
        let number = try number(line)
        if number == -1 { return nil }
        guard number >= 0, number <= Int64(limit) else { throw Malformed(reason: "a length is out of range") }
        return Int(number)
    }
}

/// A command, as its name and its arguments.
package struct ValkeyCommand: Sendable {
    package let parts: [[UInt8]]

    package init(_ parts: [String]) {
        self.parts = parts.map { Array($0.utf8) }
    }

    /// A command whose arguments may be any bytes.
    package init(_ parts: [[UInt8]]) {
        self.parts = parts
    }

    /// The command as an array of bulk strings, which may contain any bytes.
    package var encoded: [UInt8] {
        var bytes = Array("*\(parts.count)\r\n".utf8)
        bytes.reserveCapacity(parts.reduce(bytes.count) { $0 + $1.count + 16 })
        for part in parts {
            bytes += Array("$\(part.count)\r\n".utf8)
            bytes += part
            bytes += [13, 10]
        }
        return bytes
    }
}
#endif
