import Foundation
import HTTPChainCore
import HTTPChainSupport

/// Reads JSON (RFC 8259) and records the place of each value; if possible, continues after a mistake.
///
/// It returns `nil` for a file that is too large, too deep, or not UTF-8.
struct RouteJSONParser {
    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var lineStart = 0
    private var depth = 0
    /// The position up to which the characters of the line have been counted, and the column there.
    private var counted = 0
    private var column = 1
    private(set) var mistakes: [RouteMistake] = []
    private var isLost = false
    /// The path from the root to the current position: names of members and indexes of elements.
    private var steps: [String] = []

    init(_ data: Data) {
        bytes = data.count <= RouteTable.maximumFileSize ? [UInt8](data) : []
        if data.count > RouteTable.maximumFileSize {
            add("the file is larger than \(RouteTable.maximumFileSize >> 20) MiB")
            isLost = true
        } else if String(validUTF8: bytes) == nil {
            add("the file is not UTF-8")
            isLost = true
        }
        // A byte order mark may be ignored, RFC 8259 §8.1.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { (position, lineStart) = (3, 3) }
    }

    /// Returns the value of the file, or `nil` if there is none to check further.
    mutating func parse() -> RouteNode? {
        guard !isLost, let root = value() else { return nil }
        skipSpace()
        if !isLost, position < bytes.count { add("there is text after the end of the JSON") }
        return root
    }

    /// The current place.
    ///
    /// The column is counted from where it was last needed, so that a single-line file isn't scanned again for each
    /// value.
    private var place: RouteNode.Place {
        mutating get {
            if counted < lineStart { (counted, column) = (lineStart, 1) }
            while counted < min(position, bytes.count) {
                Steps.take()
                // Every byte of a character except the first begins with the bits 10.
                if bytes[counted] & 0xC0 != 0x80 { column += 1 }
                counted += 1
            }
            return RouteNode.Place(line: line, column: column)
        }
    }

    private mutating func add(_ text: String, at place: RouteNode.Place? = nil) {
        Steps.take(steps.count)
        if !mistakes.add(steps, place ?? self.place, text) { isLost = true }
    }

    /// Adds a mistake after which parsing can't continue.
    private mutating func lose(_ text: String) {
        guard !isLost else { return }
        add(text)
        isLost = true
    }

    private mutating func skipSpace() {
        while position < bytes.count {
            Steps.take()
            switch bytes[position] {
            case 0x0A:
                line += 1
                lineStart = position + 1
            case 0x20, 0x09, 0x0D: break
            default: return
            }
            position += 1
        }
    }

    private mutating func value() -> RouteNode? {
        skipSpace()
        let place = place
        guard position < bytes.count else {
            lose("the file ends where a value is expected")
            return nil
        }
        switch bytes[position] {
        case UInt8(ascii: "{"): return nested { $0.object(at: place) }
        case UInt8(ascii: "["): return nested { $0.array(at: place) }
        case UInt8(ascii: "\""): return string().map { RouteNode(.string($0), at: place) }
        case UInt8(ascii: "t") where word("true"): return RouteNode(.bool(true), at: place)
        case UInt8(ascii: "f") where word("false"): return RouteNode(.bool(false), at: place)
        case UInt8(ascii: "n") where word("null"): return RouteNode(.null, at: place)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return number(at: place)
        default:
            lose(
                "a value is expected: an object, an array, a string in double quotes, a number, true, false or null"
            )
            return nil
        }
    }

    private mutating func nested(_ read: (inout RouteJSONParser) -> RouteNode?) -> RouteNode? {
        guard depth < RouteTable.maximumFileDepth else {
            lose("values are nested deeper than \(RouteTable.maximumFileDepth) levels")
            return nil
        }
        depth += 1
        defer { depth -= 1 }
        position += 1
        return read(&self)
    }

    private mutating func word(_ text: String) -> Bool {
        guard bytes[position...].starts(with: text.utf8) else { return false }
        position += text.utf8.count
        return true
    }

    /// Returns whether the list continues, and reports a missing or extra separator.
    private mutating func goesOn(until end: UInt8, isFirst: Bool) -> Bool {
        skipSpace()
        guard !isLost else { return false }
        guard position < bytes.count else {
            lose("the file ends before \"\(Character(UnicodeScalar(end)))\"")
            return false
        }
        if bytes[position] == end {
            position += 1
            return false
        }
        guard !isFirst else { return true }
        guard bytes[position] == UInt8(ascii: ",") else {
            // A missing comma doesn't prevent the rest from being read.
            add("a comma is missing before this")
            return !isLost
        }
        let comma = place
        position += 1
        skipSpace()
        if position < bytes.count, bytes[position] == end {
            add("the comma before \"\(Character(UnicodeScalar(end)))\" is extra; remove it", at: comma)
            position += 1
            return false
        }
        return true
    }

    private mutating func object(at place: RouteNode.Place) -> RouteNode? {
        var members: [RouteNode.Member] = []
        var seen: Set<String> = []
        while goesOn(until: UInt8(ascii: "}"), isFirst: members.isEmpty) {
            let keyPlace = self.place
            guard bytes.indices.contains(position), bytes[position] == UInt8(ascii: "\"") else {
                lose("the name of a member is expected here, in double quotes")
                return nil
            }
            guard let key = string() else { return nil }
            steps.append(key)
            defer { steps.removeLast() }
            skipSpace()
            guard position < bytes.count, bytes[position] == UInt8(ascii: ":") else {
                lose("a colon is missing after the name")
                return nil
            }
            position += 1
            guard let node = value() else { return nil }
            if !seen.insert(key).inserted { add("there are two members with this name", at: keyPlace) }
            members.append(RouteNode.Member(key: key, place: keyPlace, node: node))
        }
        return isLost ? nil : RouteNode(.object(members), at: place)
    }

    private mutating func array(at place: RouteNode.Place) -> RouteNode? {
        var items: [RouteNode] = []
        while goesOn(until: UInt8(ascii: "]"), isFirst: items.isEmpty) {
            steps.append("\(items.count)")
            defer { steps.removeLast() }
            guard let node = value() else { return nil }
            items.append(node)
        }
        return isLost ? nil : RouteNode(.array(items), at: place)
    }

    private mutating func number(at place: RouteNode.Place) -> RouteNode? {
        let start = position
        let end = bytes.withUnsafeBufferPointer { try? JSONLexer.endOfNumber(in: $0, from: start) }
        // Trailing characters, as in `01` or `1.x`, are part of the same mistake.
        while position < bytes.count, "+-.eE0123456789".utf8.contains(bytes[position]) {
            Steps.take()
            position += 1
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        guard end == position, let number = Double(text), number.isFinite else {
            lose("\"\(text.printable(upTo: 40))\" is not a JSON number")
            return nil
        }
        return RouteNode(.number(number), at: place)
    }

    private mutating func string() -> String? {
        position += 1
        var text: [UInt8] = []
        while position < bytes.count {
            Steps.take()
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let scalar = escape() else { return nil }
                text += scalar.utf8
            case 0..<0x20:
                position -= 1
                lose("a string cannot contain a line break or another control character")
                return nil
            default: text.append(byte)
            }
        }
        lose("the string is not closed")
        return nil
    }

    private mutating func escape() -> UnicodeScalar? {
        let start = position
        do throws(JSONLexer.Fault) {
            let escape = try bytes.withUnsafeBufferPointer { bytes throws(JSONLexer.Fault) in
                try JSONLexer.escape(in: bytes, from: start)
            }
            if case .scalar(let scalar, let end) = escape {
                position = end
                return scalar
            }
        } catch {
            if error == .cut {
                lose("the string is not closed")
                return nil
            }
        }
        lose("the string has an escape that JSON does not have")
        return nil
    }
}
