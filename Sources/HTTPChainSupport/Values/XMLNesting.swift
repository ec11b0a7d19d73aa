package import Foundation

/// Checks the markup of an XML document before a parser of the platform reads it.
package struct XMLNesting {
    /// The document's code units; each non-ASCII code unit is replaced by one that has no meaning in markup.
    private let units: [UInt8]
    /// The number of bytes in a code unit.
    private let width: Int

    private init(_ document: Data) {
        let bytes = [UInt8](document)
        let order = Self.order(of: bytes)
        let width = order.width
        self.width = width
        guard width > 1 else {
            units = bytes
            return
        }
        units = stride(from: 0, through: bytes.count - width, by: width).map { start in
            let last = start + width - 1
            let low = order.isLittleEndian ? start : last
            return (start...last).allSatisfy { $0 == low || bytes[$0] == 0 } ? bytes[low] : 0x80
        }
    }

    /// Checks a property list.
    ///
    /// - Returns: `false` for a list that isn't XML. The depth of such a list isn't checked.
    /// - Throws: A `DecodingError` if elements are nested deeper than ``DocumentDepth/limit``, if the list declares an
    ///   encoding in which they can't be found, or if it has a document type with its own declarations.
    package static func check(_ propertyList: Data) throws(DecodingError) -> Bool {
        let nesting = XMLNesting(propertyList)
        if let refusal = nesting.encodingRefusal { throw refusal }
        // Data in OpenStep format also starts with "<".
        guard nesting.units.first(where: { $0 > 0x20 && $0 < 0x80 }) == UInt8(ascii: "<") else { return false }
        if let refusal = nesting.declarationRefusal { throw refusal }
        try nesting.checkDepth()
        return true
    }

    /// Checks a document before `XMLParser` reads it.
    ///
    /// On Linux, that parser ends the process at a processing instruction without data, at many declarations in a
    /// document type, and at a name or a comment that isn't valid text. On all platforms, it copies the declared
    /// entities and defaults into each attribute.
    ///
    /// - Throws: A `DecodingError` if the document has such an instruction, a document type with its own declarations,
    ///   or bytes that are invalid in its encoding; also if the encoding makes it impossible to find them.
    package static func checkDeclarations(_ document: Data) throws(DecodingError) {
        let markup = XMLNesting(document)
        let isUTF16 = [[0xFE, 0xFF], [0xFF, 0xFE]].contains { document.starts(with: $0) } && markup.width == 2
        guard markup.width == 1 || isUTF16, !markup.units.contains(0) else {
            throw corrupted("the document's encoding is not supported; use UTF-8, or UTF-16 with a byte order mark")
        }
        if let refusal = markup.encodingRefusal ?? markup.declarationRefusal { throw refusal }
        let isUTF8 = markup.width == 1 && String(validUTF8: markup.units) != nil
        guard isUTF16 || isUTF8 || markup.declaresAnotherEncoding else {
            throw corrupted("the document is not valid UTF-8, and declares no other encoding")
        }
        try markup.checkDeclarations(isUTF8: isUTF8)
    }

    /// Returns the declared encoding of a document if its tags can't be found without decoding it.
    ///
    /// Returns nil for UTF-8, UTF-16, UTF-32 and encodings that extend ASCII.
    package static func unreadableEncoding(of document: Data) -> String? {
        XMLNesting(document.prefix(declarationLimit)).unreadableEncoding
    }

    private static func corrupted(_ description: String) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: description))
    }

    // MARK: - Encodings, XML 1.0 appendix F

    private static let declarationLimit = 4096

    private static func order(of bytes: [UInt8]) -> (width: Int, isLittleEndian: Bool) {
        switch bytes.prefix(4) {
        case [0x00, 0x00, 0xFE, 0xFF], [0x00, 0x00, 0x00, 0x3C]: (4, false)
        case [0xFF, 0xFE, 0x00, 0x00], [0x3C, 0x00, 0x00, 0x00]: (4, true)
        case let start where start.starts(with: [0xFE, 0xFF]) || start.starts(with: [0x00, 0x3C]): (2, false)
        case let start where start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0x3C, 0x00]): (2, true)
        default: (1, false)
        }
    }

    private var unreadableEncoding: String? {
        if units.starts(with: [0x4C, 0x6F, 0xA7, 0x94]) { return "EBCDIC" }
        guard let start = declaration else { return nil }
        let end = declarationEnd(from: start) ?? min(units.count, start + Self.declarationLimit)
        let declaration = units[start..<end]
        // Checks all occurrences, so that the value of another attribute can't hide one.
        for index in declaration.indices where declaration[index...].starts(with: "encoding".utf8) {
            let name = declaration[(index + 8)...].prefix(60).drop(while: Self.endsName).prefix { !Self.endsName($0) }
            let encoding = String(decoding: name, as: UTF8.self)
            guard isReadable(encoding.lowercased()) else { return encoding }
        }
        return nil
    }

    /// The error for an encoding in which tags can't be found.
    private var encodingRefusal: DecodingError? {
        unreadableEncoding.map {
            Self.corrupted("the document declares the encoding \"\($0)\", which is not supported; use UTF-8")
        }
    }

    /// The error for an XML declaration that may declare such an encoding after the part that is read.
    private var declarationRefusal: DecodingError? {
        guard let start = declaration, declarationEnd(from: start) == nil else { return nil }
        return Self.corrupted("the XML declaration doesn't end within \(Self.declarationLimit) bytes")
    }

    /// The start of the XML declaration: of the document, or after a byte order mark.
    private var declaration: Int? { (0...3).first { units.dropFirst($0).starts(with: "<?xml".utf8) } }

    private func declarationEnd(from start: Int) -> Int? {
        find("?>", in: start..<min(units.count, start + Self.declarationLimit))
    }

    /// Whether the document consists of bytes, and declares an encoding other than UTF-8 in a way that a parser obeys.
    ///
    /// A parser ignores a declaration after a byte order mark, and an invalid one.
    private var declaresAnotherEncoding: Bool {
        guard declaration == 0 else { return false }
        var rest = units.dropFirst(5)
        guard let version = Self.attribute("version", in: &rest), ["1.0", "1.1"].contains(version),
            let encoding = Self.attribute("encoding", in: &rest)
        else { return false }
        let isName = encoding.utf8.allSatisfy { ASCII.isAlphanumeric($0) || "-._".utf8.contains($0) }
        return isName && !["", "utf-8", "utf8"].contains(encoding.lowercased())
    }

    /// Removes an attribute from the start of an XML declaration, and returns its value.
    ///
    /// Returns nil if another attribute comes first.
    private static func attribute(_ name: String, in rest: inout ArraySlice<UInt8>) -> String? {
        let start = rest.drop { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: "?") }
        let before = String(decoding: rest[..<start.startIndex], as: UTF8.self)
        let value = start.dropFirst().drop(while: isSpace)
        guard let first = before.utf8.first, isSpace(first),
            before.trimming({ " \t\r\n".unicodeScalars.contains($0) }) == name,
            start.first == UInt8(ascii: "="), let quote = value.first, "'\"".utf8.contains(quote),
            let end = value.dropFirst().firstIndex(of: quote)
        else { return nil }
        rest = value[(end + 1)...]
        return String(decoding: value[..<end].dropFirst(), as: UTF8.self)
    }

    private static func isSpace(_ unit: UInt8) -> Bool { " \t\r\n".utf8.contains(unit) }

    private static func endsName(_ unit: UInt8) -> Bool { " \t\r\n='\"".utf8.contains(unit) }

    private func isReadable(_ encoding: String) -> Bool {
        switch width {
        case 2: encoding == "utf-16" || encoding == "utf-16le" || encoding == "utf-16be"
        case 4: encoding == "utf-32" || encoding == "utf-32le" || encoding == "utf-32be"
        default:
            ["utf-8", "utf8", "us-ascii", "ascii", "latin1", "macintosh"].contains(encoding)
                || ["iso-8859-", "windows-125", "cp125", "koi8-", "euc-"].contains { encoding.begins(with: $0) }
        }
    }

    // MARK: - Tags

    private func checkDepth() throws(DecodingError) {
        var depth = 0
        var index = 0
        while let open = units[index...].firstIndex(of: UInt8(ascii: "<")) {
            let rest = units[(open + 1)...]
            var next: Int?
            if rest.starts(with: "!--".utf8) {
                next = find("-->", in: min(open + 4, units.count)..<units.count)
            } else if rest.starts(with: "![CDATA[".utf8) {
                next = find("]]>", in: (open + 9)..<units.count)
            } else if rest.first == UInt8(ascii: "?") {
                next = find("?>", in: (open + 2)..<units.count)
            } else if rest.starts(with: "!DOCTYPE".utf8) {
                next = documentTypeEnd(from: open + 9)
            } else if rest.first == UInt8(ascii: "/") {
                depth = max(0, depth - 1)
                next = open + 1
            } else if rest.first != UInt8(ascii: "!"), let tag = tag(from: open + 1) {
                guard depth < DocumentDepth.limit else { throw DocumentDepth.exceeded(DocumentDepth.limit) }
                if !tag.closesItself { depth += 1 }
                next = tag.end
            }
            guard let next else {
                throw Self.corrupted("a tag, comment, section or declaration doesn't end, or isn't supported")
            }
            index = next
        }
    }

    // MARK: - Declarations and processing instructions

    /// Ignores the content of comments, CDATA sections and processing instructions.
    ///
    /// This ends at the first mistake in the markup, because a parser that continues after it may find markup in that
    /// content.
    private func checkDeclarations(isUTF8: Bool) throws(DecodingError) {
        // Whether all non-ASCII characters are allowed in XML (XML 1.0 §2.2), as far as this can be determined.
        let isText =
            isUTF8 && ![[0xEF, 0xBF, 0xBE], [0xEF, 0xBF, 0xBF]].contains { units.firstRange(of: $0) != nil }
        var isWellFormed = true
        var index = 0
        while let open = units[index...].firstIndex(of: UInt8(ascii: "<")) {
            Steps.take()
            let rest = units[(open + 1)...]
            if rest.starts(with: "!DOCTYPE".utf8), documentTypeEnd(from: open + 9) == nil {
                throw Self.corrupted("a document type has its own declarations, which are not supported")
            }
            if let target = instructionTarget(from: open), units[target.endIndex...].starts(with: "?>".utf8) {
                throw Self.corrupted("a processing instruction has no data, which is not supported")
            }
            let end = isWellFormed ? wellFormedEnd(from: open, isText: isText) : nil
            isWellFormed = end != nil
            index = end ?? open + 1
        }
    }

    /// Returns the end of a tag, comment, section, instruction or document type.
    ///
    /// Returns nil if a parser may disagree about the end.
    private func wellFormedEnd(from open: Int, isText: Bool) -> Int? {
        let rest = units[(open + 1)...]
        if rest.starts(with: "!--".utf8) {
            return sectionEnd("--", from: open + 4, isText: isText).flatMap {
                units[$0...].first == UInt8(ascii: ">") ? $0 + 1 : nil
            }
        }
        if rest.starts(with: "![CDATA[".utf8) { return sectionEnd("]]>", from: open + 9, isText: isText) }
        if let target = instructionTarget(from: open) {
            guard let first = target.first, ASCII.isAlphanumeric(first) && first > UInt8(ascii: "9"),
                target.allSatisfy({ $0 < 0x80 }),
                let space = units[target.endIndex...].first, Self.isSpace(space)
            else { return nil }
            return sectionEnd("?>", from: target.endIndex, isText: isText)
        }
        if rest.starts(with: "!DOCTYPE".utf8) { return documentTypeEnd(from: open + 9) }
        guard rest.first != UInt8(ascii: "!"), rest.first != UInt8(ascii: "?") else { return nil }
        return quotingTagEnd(from: open + 1)
    }

    /// Returns the shortest target of a processing instruction that a parser may read; nil if there is none.
    private func instructionTarget(from open: Int) -> ArraySlice<UInt8>? {
        guard units[open...].starts(with: "<?".utf8) else { return nil }
        let target = units[(open + 2)...].prefix { unit in
            unit >= 0x80 || ASCII.isAlphanumeric(unit) || "_:-.".utf8.contains(unit)
        }
        Steps.take(target.count)
        return target.isEmpty ? nil : target
    }

    /// Returns the index after a section's end; nil if it has no end, or contains characters at which a parser may
    /// leave it.
    private func sectionEnd(_ end: StaticString, from start: Int, isText: Bool) -> Int? {
        guard let found = find(end, in: min(start, units.count)..<units.count) else { return nil }
        Steps.take(found - min(start, found))
        let isSound = units[start..<found].allSatisfy { unit in
            unit < 0x80 ? unit >= 0x20 || Self.isSpace(unit) : isText
        }
        return isSound ? found + end.utf8CodeUnitCount : nil
    }

    /// Returns the index after a tag, whose attributes may contain ">"; nil if they contain "<".
    private func quotingTagEnd(from start: Int) -> Int? {
        var quote: UInt8?
        for index in start..<units.count {
            Steps.take()
            switch units[index] {
            case UInt8(ascii: "<"): return nil
            case UInt8(ascii: ">") where quote == nil: return index + 1
            case let unit where unit == UInt8(ascii: "\"") || unit == UInt8(ascii: "'"):
                if quote == nil { quote = unit } else if quote == unit { quote = nil }
            default: continue
            }
        }
        return nil
    }

    /// Returns the end of a document type; nil if it has its own declarations in brackets, or markup in quoted text.
    ///
    /// Parsers disagree on whether ">" within quotes ends a document type.
    private func documentTypeEnd(from start: Int) -> Int? {
        var quote: UInt8?
        for index in start..<units.count {
            Steps.take()
            switch units[index] {
            case UInt8(ascii: ">"):
                // A parser also accepts the document's own declarations after this.
                let next = units[(index + 1)...].first { !Self.isSpace($0) }
                return quote == nil && next != UInt8(ascii: "[") ? index : nil
            case UInt8(ascii: "<"), UInt8(ascii: "["): return nil
            case let unit where unit == UInt8(ascii: "\"") || unit == UInt8(ascii: "'"):
                if quote == nil { quote = unit } else if quote == unit { quote = nil }
            default: continue
            }
        }
        return nil
    }

    /// Returns the end of a tag, which is the first ">" because property lists have no attributes.
    private func tag(from start: Int) -> (end: Int, closesItself: Bool)? {
        guard let end = units[start...].firstIndex(of: UInt8(ascii: ">")) else { return nil }
        let hasQuotes = units[start..<end].contains { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'") }
        return (end, units[end - 1] == UInt8(ascii: "/") && !hasQuotes)
    }

    /// Returns the index of the first occurrence of a text.
    private func find(_ text: StaticString, in range: Range<Int>) -> Int? {
        let wanted = Array("\(text)".utf8)
        var index = range.lowerBound
        while let next = units[index..<range.upperBound].firstIndex(of: wanted[0]) {
            Steps.take(next - index + 1)
            if units[next..<range.upperBound].starts(with: wanted) { return next }
            index = next + 1
        }
        return nil
    }
}
