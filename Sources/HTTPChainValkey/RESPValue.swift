#if Valkey
/// An answer in RESP2, the protocol of Valkey and Redis.
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
    package var string: String? {
        switch self {
        case .text(let text): text
        case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
        default: nil
        }
    }
}

/// Reads answers from bytes, however they are cut, and keeps to limits.
package struct RESPParser: Sendable {
    /// The error for bytes that are no answer.
    package struct Malformed: Error, Hashable {
        package let reason: String
    }

    /// The longest line: a simple string, an error, or a length.
    package static let longestLine = 64 * 1024
    /// The number of lists that may lie in each other.
    package static let deepest = 16

    private var buffer: [UInt8] = []
    private var start = 0
    private let longestString: Int

    /// - Parameter longestString: How many bytes a string may have; also how many elements a list may have.
    package init(longestString: Int = 64 * 1024 * 1024) {
        self.longestString = longestString
    }

    package mutating func append(_ bytes: some Collection<UInt8>) {
        if start > 0 {
            buffer.removeFirst(start)
            start = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// The next answer; `nil` until more bytes have come.
    package mutating func next() throws(Malformed) -> RESPValue? {
        var position = start
        guard let value = try value(at: &position, depth: 0) else { return nil }
        start = position
        return value
    }

    private func value(at position: inout Int, depth: Int) throws(Malformed) -> RESPValue? {
        guard depth <= Self.deepest else { throw Malformed(reason: "lists lie too deep") }
        guard position < buffer.count else { return nil }
        let kind = buffer[position]
        var next = position + 1
        guard let line = try line(at: &next) else { return nil }
        let value: RESPValue
        switch kind {
        case UInt8(ascii: "+"): value = .text(String(decoding: line, as: UTF8.self))
        case UInt8(ascii: "-"): value = .error(String(decoding: line, as: UTF8.self))
        case UInt8(ascii: ":"): value = .number(try number(line))
        case UInt8(ascii: "$"):
            guard let length = try length(line) else {
                value = .null
                break
            }
            guard buffer.count - next >= length + 2 else { return nil }
            guard buffer[next + length] == 13, buffer[next + length + 1] == 10 else {
                throw Malformed(reason: "a string is longer than it says")
            }
            value = .bytes(Array(buffer[next..<(next + length)]))
            next += length + 2
        case UInt8(ascii: "*"):
            guard let count = try length(line) else {
                value = .null
                break
            }
            var elements: [RESPValue] = []
            for _ in 0..<count {
                guard let element = try self.value(at: &next, depth: depth + 1) else { return nil }
                elements.append(element)
            }
            value = .list(elements)
        default: throw Malformed(reason: "an answer does not begin with its kind")
        }
        position = next
        return value
    }

    private func line(at position: inout Int) throws(Malformed) -> ArraySlice<UInt8>? {
        guard let end = buffer[position...].prefix(Self.longestLine + 2).firstIndex(of: 13) else {
            if buffer.count - position > Self.longestLine { throw Malformed(reason: "a line is too long") }
            return nil
        }
        guard end + 1 < buffer.count else { return nil }
        guard buffer[end + 1] == 10 else { throw Malformed(reason: "a line does not end with CR LF") }
        defer { position = end + 2 }
        return buffer[position..<end]
    }

    private func number(_ line: ArraySlice<UInt8>) throws(Malformed) -> Int64 {
        guard let number = Int64(String(decoding: line, as: UTF8.self)) else {
            throw Malformed(reason: "a number has other characters than digits")
        }
        return number
    }

    private func length(_ line: ArraySlice<UInt8>) throws(Malformed) -> Int? {
        let number = try number(line)
        if number == -1 { return nil }
        guard number >= 0, number <= Int64(longestString) else { throw Malformed(reason: "a length is out of range") }
        return Int(number)
    }
}

/// A command: its name and its arguments.
package struct ValkeyCommand: Sendable {
    package let parts: [[UInt8]]

    package init(_ parts: [String]) {
        self.parts = parts.map { Array($0.utf8) }
    }

    /// A command whose arguments may be any bytes.
    package init(_ parts: [[UInt8]]) {
        self.parts = parts
    }

    /// As an array of bulk strings, which may hold anything.
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
