package import Foundation

/// Checks the nesting depth of a property list's elements before Foundation's recursive parser reads it.
package struct XMLNesting {
    /// The document, with non-ASCII code units replaced by one without meaning in markup.
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
    /// - Throws: A `DecodingError` if elements are nested deeper than ``DocumentDepth/limit``, or can't be found: because
    ///   of the encoding that the list declares, or in a document type with its own declarations.
    package static func check(_ propertyList: Data) throws(DecodingError) {
        let nesting = XMLNesting(propertyList)
        if let encoding = nesting.unreadableEncoding {
            throw corrupted("the document declares the encoding \"\(encoding)\", which is not supported; use UTF-8")
        }
        // The parser of lists in OpenStep format has its own limit, and "<" starts data in that format.
        guard nesting.units.first(where: { $0 > 0x20 && $0 < 0x80 }) == UInt8(ascii: "<") else { return }
        if let start = nesting.declaration, nesting.declarationEnd(from: start) == nil {
            throw corrupted("the XML declaration doesn't end within \(declarationLimit) bytes")
        }
        try nesting.checkDepth()
    }

    /// Returns the encoding that a document declares if its tags can't be found without decoding it; nil for UTF-8,
    /// UTF-16, UTF-32 and encodings that extend ASCII.
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

    /// The start of the XML declaration: of the document, or after a byte order mark.
    private var declaration: Int? { (0...3).first { units.dropFirst($0).starts(with: "<?xml".utf8) } }

    private func declarationEnd(from start: Int) -> Int? {
        find("?>", in: start..<min(units.count, start + Self.declarationLimit))
    }

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
                guard depth < DocumentDepth.limit else { throw DocumentDepth.exceeded }
                if !tag.closesItself { depth += 1 }
                next = tag.end
            }
            guard let next else {
                throw Self.corrupted("a tag, comment, section or declaration doesn't end, or isn't supported")
            }
            index = next
        }
    }

    /// Returns the end of a document type; nil if it has own declarations in brackets, or markup in a quoted text.
    ///
    /// Parsers disagree on whether ">" ends a document type within quotes.
    private func documentTypeEnd(from start: Int) -> Int? {
        var quote: UInt8?
        for index in start..<units.count {
            switch units[index] {
            case UInt8(ascii: ">"): return quote == nil ? index : nil
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
            if units[next..<range.upperBound].starts(with: wanted) { return next }
            index = next + 1
        }
        return nil
    }
}
