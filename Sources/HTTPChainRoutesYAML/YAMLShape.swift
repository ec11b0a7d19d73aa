#if YAML
import HTTPChainSupport

/// The nesting of a YAML file.
///
/// It is determined before the file is parsed, because libyaml and Yams recurse for each level, including those that an
/// alias repeats.
///
/// It finds the same tokens as libyaml (YAML 1.2.2 §6 to §8). This is necessary because text in quotes, block scalars
/// and comments has no structure, and only the tokens show where such text begins.
package struct YAMLShape {
    /// An anchor whose node hasn't ended, or the document.
    private struct OpenAnchor {
        let name: ArraySlice<UInt8>
        let index: Int
        /// The level of the node.
        let level: Int
        /// The deepest level within the node, with aliases expanded.
        var deepest: Int
    }

    /// A collection in block style.
    private struct Block {
        let column: Int
        let isMapping: Bool
        /// Whether the position is in a sequence that has the indentation of this mapping.
        var isInSequence = false
    }

    /// The beginning of text that is a key if a colon follows on the same line.
    private struct SimpleKey {
        let index: Int
        let lineStart: Int
    }

    private static let newline = UInt8(ascii: "\n")
    private static let mark: UInt8 = 0xFE

    /// The characters, one byte each.
    ///
    /// Line breaks are "\n"; other non-ASCII characters are not distinguished.
    private let bytes: [UInt8]
    private var index = 0
    private var lineStart = 0
    private var blocks: [Block] = []
    private var open = 0
    private var sequences = 0
    private var key: SimpleKey?
    private var mayBeginKey = true
    private var anchors = [OpenAnchor(name: [], index: 0, level: 0, deepest: 0)]
    private var heights: [ArraySlice<UInt8>: Int] = [:]
    private var highest = 0

    /// The number of nested collections, with aliases expanded.
    ///
    /// It is at least the number in the tree that Yams builds, and at most twice as large.
    package private(set) var deepest = 0

    package init(_ text: String) {
        bytes = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\r", "\u{85}", "\u{2028}", "\u{2029}": Self.newline
            case "\u{FEFF}": Self.mark
            default: scalar.isASCII ? UInt8(scalar.value) : 0x80
            }
        }
        Steps.take(bytes.count)
        while skipToToken() { readToken() }
        close { _ in true }
        deepest = anchors[0].deepest
    }

    // MARK: - Characters

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r") || byte == newline
    }

    private var column: Int { index - lineStart }

    private func byte(_ offset: Int = 0) -> UInt8? {
        index + offset < bytes.count ? bytes[index + offset] : nil
    }

    private func isByte(_ character: Unicode.Scalar, _ offset: Int = 0) -> Bool {
        byte(offset) == UInt8(ascii: character)
    }

    /// Whether a space, a line break or the end of the file is at an offset.
    private func isSeparator(_ offset: Int = 0) -> Bool { byte(offset).map(Self.isSpace) ?? true }

    private var isBlank: Bool { isByte(" ") || isByte("\t") }

    private var isDocumentMarker: Bool {
        guard column == 0, isSeparator(3) else { return false }
        return (0..<3).allSatisfy { isByte("-", $0) } || (0..<3).allSatisfy { isByte(".", $0) }
    }

    private mutating func advance() {
        Steps.take()
        let isBreak = byte() == Self.newline
        index += 1
        if isBreak { lineStart = index }
    }

    private mutating func skip(while condition: (UInt8) -> Bool) {
        while let byte = byte(), condition(byte) { advance() }
    }

    /// Skips spaces and comments; returns `false` at the end of the file.
    private mutating func skipToToken() -> Bool {
        while true {
            if column == 0, byte() == Self.mark { advance() }
            while isByte(" ") || isByte("\t") && (open > 0 || !mayBeginKey) { advance() }
            if isByte("#") { skip { $0 != Self.newline } }
            guard byte() == Self.newline else { return byte() != nil }
            advance()
            if open == 0 { mayBeginKey = true }
        }
    }

    // MARK: - Tokens

    private mutating func readToken() {
        if let key, key.lineStart < lineStart || key.index + 1024 < index { self.key = nil }
        if open == 0 { endBlocks(after: column) }
        if column == 0, isByte("%") || isDocumentMarker {
            if open == 0 { endBlocks(after: -1) }
            (key, mayBeginKey) = (nil, false)
            let isDirective = isByte("%")
            for _ in 0..<3 where !isDirective { advance() }
            if isDirective { skip { $0 != Self.newline } }
            return
        }
        if open == 0, let last = blocks.last, last.isMapping, last.column == column,
            !isByte("-") || !isSeparator(1)
        {
            // A key begins here, so the value before it has ended.
            endSequence()
            endNode()
        }
        switch bytes[index] {
        case UInt8(ascii: "["), UInt8(ascii: "{"): beginFlow()
        case UInt8(ascii: "]"), UInt8(ascii: "}"): endFlow()
        case UInt8(ascii: ","): readSeparator()
        case UInt8(ascii: "-") where isSeparator(1): readEntry()
        case UInt8(ascii: "?") where open > 0 || isSeparator(1): readKey()
        case UInt8(ascii: ":") where open > 0 || isSeparator(1): readValue()
        case UInt8(ascii: "*"), UInt8(ascii: "&"): readName()
        case UInt8(ascii: "!"): readTag()
        case UInt8(ascii: "|") where open == 0, UInt8(ascii: ">") where open == 0: readBlockScalar()
        case UInt8(ascii: "'"), UInt8(ascii: "\""): readQuoted()
        default: readPlain()
        }
    }

    private mutating func beginFlow() {
        beginNode()
        open += 1
        mayBeginKey = true
        reach(level)
        advance()
    }

    private mutating func endFlow() {
        if open == 0 { key = nil }
        open = max(0, open - 1)
        mayBeginKey = false
        let level = level
        close { $0.level > level }
        advance()
    }

    private mutating func readSeparator() {
        if open == 0 { key = nil }
        mayBeginKey = true
        endNode()
        advance()
    }

    private mutating func readEntry() {
        if open == 0 {
            beginBlock(at: column, isMapping: false)
            if let last = blocks.indices.last, blocks[last].isMapping, !blocks[last].isInSequence {
                blocks[last].isInSequence = true
                sequences += 1
                reach(level)
            }
            key = nil
        }
        mayBeginKey = true
        endNode()
        advance()
    }

    private mutating func readKey() {
        if open == 0 {
            beginBlock(at: column, isMapping: true)
            endSequence()
            key = nil
        }
        mayBeginKey = open == 0
        endNode()
        advance()
    }

    private mutating func readValue() {
        if open == 0 {
            if let key { close { $0.index > key.index } }
            beginBlock(at: key.map { $0.index - $0.lineStart } ?? column, isMapping: true)
            endSequence()
        }
        mayBeginKey = open == 0 && key == nil
        if open == 0 { key = nil }
        endNode()
        advance()
    }

    private mutating func readName() {
        beginNode()
        mayBeginKey = false
        let isAlias = isByte("*")
        advance()
        let start = index
        skip { ASCII.isAlphanumeric($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }
        let name = bytes[start..<index]
        if isAlias {
            reach(level + (heights[name] ?? highest))
        } else {
            anchors.append(OpenAnchor(name: name, index: start, level: level, deepest: level))
        }
    }

    private mutating func readTag() {
        beginNode()
        mayBeginKey = false
        let isVerbatim = isByte("<", 1)
        skip { byte in
            if isVerbatim, "<>,[]".utf8.contains(byte) { return true }
            return ASCII.isAlphanumeric(byte) || "_-;/?:@&=+$.!~*'()%".utf8.contains(byte)
        }
    }

    private mutating func readQuoted() {
        beginNode()
        mayBeginKey = false
        let quote = bytes[index]
        advance()
        while let byte = byte() {
            let isEscape = quote == UInt8(ascii: "\"") ? byte == UInt8(ascii: "\\") : isByte("'") && isByte("'", 1)
            if isEscape {
                advance()
            } else if byte == quote {
                break
            }
            advance()
        }
        advance()
    }

    private mutating func readPlain() {
        beginNode()
        mayBeginKey = false
        let indentation = blocks.last?.column ?? -1
        repeat { advance() } while !isSeparator() && !endsPlain
        while isSeparator(), byte() != nil {
            let line = lineStart
            skip(while: Self.isSpace)
            mayBeginKey = line != lineStart
            guard !isDocumentMarker, !isByte("#"), open > 0 || column > indentation else { return }
            while !isSeparator(), !endsPlain {
                advance()
                mayBeginKey = false
            }
        }
    }

    /// Whether a plain scalar ends before the character.
    private var endsPlain: Bool {
        if isByte(":"), isSeparator(1) { return true }
        guard open > 0, let byte = byte() else { return false }
        return ",[]{}".utf8.contains(byte) || isByte(":") && self.byte(1).map(",?[]{}".utf8.contains) == true
    }

    private mutating func readBlockScalar() {
        key = nil
        mayBeginKey = true
        advance()
        var indentation = 0
        let parent = blocks.last?.column ?? -1
        for _ in 0..<2 {
            if isByte("+") || isByte("-") {
                advance()
            } else if let byte = byte(), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte), indentation == 0 {
                indentation = max(0, parent) + Int(byte - UInt8(ascii: "0"))
                advance()
            }
        }
        while isBlank { advance() }
        if isByte("#") { skip { $0 != Self.newline } }
        guard byte() == Self.newline else { return }
        advance()
        var widest = 0
        while true {
            while isByte(" "), indentation == 0 || column < indentation { advance() }
            widest = max(widest, column)
            if byte() == Self.newline {
                advance()
                continue
            }
            if indentation == 0 { indentation = max(widest, parent + 1, 1) }
            guard byte() != nil, column == indentation else { return }
            skip { $0 != Self.newline }
        }
    }

    // MARK: - Levels

    /// The level of the position; a mapping and a sequence with the same indentation are two levels.
    private var level: Int { 2 * (open + blocks.count) + sequences }

    private mutating func reach(_ level: Int) {
        anchors[anchors.count - 1].deepest = max(anchors[anchors.count - 1].deepest, level)
        highest = max(highest, level)
    }

    private mutating func beginNode() {
        if mayBeginKey, open == 0 { key = SimpleKey(index: index, lineStart: lineStart) }
    }

    /// Ends the nodes of the collection that the position is in.
    private mutating func endNode() {
        let level = level
        close { $0.level >= level }
    }

    private mutating func beginBlock(at column: Int, isMapping: Bool) {
        guard column > blocks.last?.column ?? -1 else { return }
        blocks.append(Block(column: column, isMapping: isMapping))
        reach(level)
    }

    private mutating func endBlocks(after column: Int) {
        while let last = blocks.last, last.column > column {
            if last.isInSequence { sequences -= 1 }
            blocks.removeLast()
        }
        let level = level
        close { $0.level > level }
    }

    private mutating func endSequence() {
        guard let last = blocks.indices.last, blocks[last].isInSequence else { return }
        blocks[last].isInSequence = false
        sequences -= 1
    }

    private mutating func close(where condition: (OpenAnchor) -> Bool) {
        while anchors.count > 1, let last = anchors.last, condition(last) {
            anchors.removeLast()
            heights[last.name] = last.deepest - last.level
            anchors[anchors.count - 1].deepest = max(anchors[anchors.count - 1].deepest, last.deepest)
        }
    }
}
#endif
