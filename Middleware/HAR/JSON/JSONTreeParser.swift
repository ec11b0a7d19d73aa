import HTTPChainSupport

/// Reads JSON texts (RFC 8259) into trees, within limits.
///
/// It is lenient if that is harmless: a byte order mark is ignored, and invalid UTF-8 and unpaired surrogates become
/// U+FFFD. Truncation is reported as a separate error, and the complete part of a truncated text can be recovered.
struct JSONTreeParser {
    /// The position of the elements of `log.entries`, used for appending to a file.
    struct EntriesPlace: Hashable {
        /// After the bracket that opens the array, or after its last complete element.
        var end: Int
        var count = 0
    }

    private let bytes: UnsafeBufferPointer<UInt8>
    private let depthLimit: Int
    private let salvages: Bool
    private var index = 0
    private var depth = 0
    /// The names of the current members in the outermost two objects.
    private var names = ("", "")
    /// Whether the text was truncated.
    private(set) var isCut = false
    private(set) var entries: EntriesPlace?

    private init(_ bytes: UnsafeBufferPointer<UInt8>, depthLimit: Int, salvages: Bool) {
        self.bytes = bytes
        self.depthLimit = depthLimit
        self.salvages = salvages
    }

    /// The result of reading a text.
    struct Result {
        var tree: JSONTree
        /// Whether the text was truncated, so that the tree is incomplete.
        var isCut: Bool
        var entries: EntriesPlace?
    }

    /// Reads a text.
    ///
    /// - Parameters:
    ///   - bytes: The text in UTF-8.
    ///   - depthLimit: The maximum nesting depth of arrays and objects.
    ///   - salvages: Whether to return the complete part of a truncated text. An array lacks its last element. An
    ///     object has the beginning of its last member if that is an array or an object.
    static func parse(
        _ bytes: UnsafeBufferPointer<UInt8>,
        depthLimit: Int,
        salvages: Bool = false
    ) throws(HARError) -> Result {
        var parser = JSONTreeParser(bytes, depthLimit: depthLimit, salvages: salvages)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { parser.index = 3 }
        let tree = try parser.value()
        if !parser.isCut {
            parser.skipSpace()
            if parser.index < bytes.count { throw HARError(.malformed(offset: parser.index, expected: "the end")) }
        }
        return Result(tree: tree, isCut: parser.isCut, entries: parser.entries)
    }

    /// Reads a complete text.
    static func parse(_ text: String, depthLimit: Int = 512) throws(HARError) -> JSONTree {
        var text = text
        let result = text.withUTF8 { bytes in
            Swift.Result { () throws(HARError) in try parse(bytes, depthLimit: depthLimit) }
        }
        return try result.get().tree
    }

    private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipSpace() {
        Steps.take()
        while index < bytes.count, bytes[index] == 0x20 || (0x09...0x0D).contains(bytes[index]) {
            Steps.take()
            index += 1
        }
    }

    /// Stops reading because the text is truncated, and returns the partial tree if that was requested.
    private mutating func cut(_ tree: JSONTree) throws(HARError) -> JSONTree {
        guard salvages else { throw HARError(.cut) }
        isCut = true
        return tree
    }

    private mutating func value() throws(HARError) -> JSONTree {
        skipSpace()
        guard let byte = current else { return try cut(.null) }
        switch byte {
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "["): return try array()
        case UInt8(ascii: "\""):
            guard let text = try string() else { return try cut(.null) }
            return .string(text)
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default: throw HARError(.malformed(offset: index, expected: "a value"))
        }
    }

    private mutating func word(_ word: StaticString, _ tree: JSONTree) throws(HARError) -> JSONTree {
        let letters = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        for letter in letters {
            guard let byte = current else { return try cut(.null) }
            guard byte == letter else { throw HARError(.malformed(offset: index, expected: "\(word)")) }
            index += 1
        }
        return tree
    }

    private mutating func number() throws(HARError) -> JSONTree {
        let start = index
        do throws(JSONLexer.Fault) {
            index = try JSONLexer.endOfNumber(in: bytes, from: start)
        } catch {
            guard case .unexpected(let offset, let expected) = error else { return try cut(.null) }
            throw HARError(.malformed(offset: offset, expected: expected))
        }
        // The number may be truncated too.
        if depth > 0, index == bytes.count { return try cut(.null) }
        return .number(String(decoding: bytes[start..<index], as: UTF8.self))
    }

    private mutating func enter() throws(HARError) {
        index += 1
        depth += 1
        if depth > depthLimit { throw HARError(.tooDeep(limit: depthLimit)) }
    }

    private mutating func array() throws(HARError) -> JSONTree {
        try enter()
        defer { depth -= 1 }
        let isEntries = depth == 3 && names.0 == "log" && names.1 == "entries"
        if isEntries { entries = EntriesPlace(end: index) }
        var elements: [JSONTree] = []
        skipSpace()
        if current == UInt8(ascii: "]") {
            index += 1
            return .array([])
        }
        while true {
            let element = try value()
            if isCut { return .array(elements) }
            elements.append(element)
            if isEntries {
                entries?.end = index
                entries?.count += 1
            }
            skipSpace()
            guard let byte = current else { return try cut(.array(elements)) }
            index += 1
            if byte == UInt8(ascii: "]") { return .array(elements) }
            guard byte == UInt8(ascii: ",") else { throw HARError(.malformed(offset: index - 1, expected: ", or ]")) }
        }
    }

    private mutating func object() throws(HARError) -> JSONTree {
        try enter()
        defer { depth -= 1 }
        var members: [JSONTree.Member] = []
        skipSpace()
        if current == UInt8(ascii: "}") {
            index += 1
            return .object([])
        }
        while true {
            skipSpace()
            guard let quote = current else { return try cut(.object(members)) }
            guard quote == UInt8(ascii: "\"") else { throw HARError(.malformed(offset: index, expected: "a name")) }
            guard let name = try string() else { return try cut(.object(members)) }
            skipSpace()
            guard let colon = current else { return try cut(.object(members)) }
            guard colon == UInt8(ascii: ":") else { throw HARError(.malformed(offset: index, expected: ":")) }
            index += 1
            if depth == 1 { names.0 = name }
            if depth == 2 { names.1 = name }
            let value = try value()
            if isCut {
                switch value {
                case .array, .object: members.append(JSONTree.Member(name: name, value: value))
                default: break
                }
                return .object(members)
            }
            members.append(JSONTree.Member(name: name, value: value))
            skipSpace()
            guard let byte = current else { return try cut(.object(members)) }
            index += 1
            if byte == UInt8(ascii: "}") { return .object(members) }
            guard byte == UInt8(ascii: ",") else { throw HARError(.malformed(offset: index - 1, expected: ", or }")) }
        }
    }

    /// Reads a string.
    ///
    /// Returns `nil` if the string is truncated.
    private mutating func string() throws(HARError) -> String? {
        index += 1
        let start = index
        while let byte = current, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
            Steps.take()
            index += 1
        }
        if current == UInt8(ascii: "\"") {
            defer { index += 1 }
            return String(decoding: bytes[start..<index], as: UTF8.self)
        }
        var text = Array(bytes[start..<index])
        while let byte = current {
            Steps.take()
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard try escape(&text) else { return nil }
            case ..<0x20: throw HARError(.malformed(offset: index - 1, expected: "no control character in a string"))
            default: text.append(byte)
            }
        }
        return nil
    }

    /// Reads the rest of an escape sequence after the backslash.
    ///
    /// Returns `false` if the text ends there.
    private mutating func escape(_ text: inout [UInt8]) throws(HARError) -> Bool {
        do throws(JSONLexer.Fault) {
            switch try JSONLexer.escape(in: bytes, from: index) {
            case .scalar(let scalar, let end):
                text += String(scalar).utf8
                index = end
            case .loneSurrogate(let end):
                text += "\u{FFFD}".utf8
                index = end
            }
            return true
        } catch {
            guard case .unexpected(let offset, let expected) = error else { return false }
            throw HARError(.malformed(offset: offset, expected: expected))
        }
    }
}
