package import Foundation

/// Checks the nesting depth of a document's elements before a recursive parser reads it.
package struct XMLNesting {
    /// The parsers of documents, which have different rules for the end of a tag.
    package enum Reader: Sendable {
        /// An XML parser, for which an attribute's value may contain ">".
        case xml
        /// Foundation's parser of property lists, which have no attributes.
        case propertyList
    }

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

    /// Checks a document.
    ///
    /// - Throws: A `DecodingError` if elements are nested deeper than ``DocumentDepth/limit``, or the document declares
    ///   an encoding in which its tags can't be found.
    package static func check(_ document: Data, for reader: Reader) throws(DecodingError) {
        let nesting = XMLNesting(document)
        if let encoding = nesting.unreadableEncoding {
            throw corrupted("the document declares the encoding \"\(encoding)\", which is not supported; use UTF-8")
        }
        guard nesting.isShallow(for: reader) else {
            throw corrupted("elements are nested deeper than \(DocumentDepth.limit) levels")
        }
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
        // The declaration is at the start, or after a byte order mark.
        guard let start = (0...3).first(where: { units.dropFirst($0).starts(with: "<?xml".utf8) }) else { return nil }
        let end = find("?>", from: start) ?? units.count
        let declaration = units[start..<min(end, start + Self.declarationLimit)]
        // Checks all occurrences, so that the value of another attribute can't hide one.
        for index in declaration.indices where declaration[index...].starts(with: "encoding".utf8) {
            let name = declaration[(index + 8)...].prefix(60).drop(while: Self.endsName).prefix { !Self.endsName($0) }
            let encoding = String(decoding: name, as: UTF8.self)
            guard isReadable(encoding.lowercased()) else { return encoding }
        }
        return nil
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

    private func isShallow(for reader: Reader) -> Bool {
        // The parser of property lists in OpenStep format has its own limit, and "<" starts data in that format.
        if reader == .propertyList, units.first(where: { $0 > 0x20 && $0 < 0x80 }) != UInt8(ascii: "<") { return true }
        var depth = 0
        var index = 0
        while let open = units[index...].firstIndex(of: UInt8(ascii: "<")) {
            let rest = units[(open + 1)...]
            var next: Int?
            if rest.starts(with: "!--".utf8) {
                next = find("-->", from: open + 4)
            } else if rest.starts(with: "![CDATA[".utf8) {
                next = find("]]>", from: open + 9)
            } else if rest.first == UInt8(ascii: "?") {
                next = find("?>", from: open + 2)
            } else if rest.first == UInt8(ascii: "!") || rest.first == UInt8(ascii: "/") {
                if rest.first == UInt8(ascii: "/") { depth = max(0, depth - 1) }
                next = open + 1
            } else if let tag = tag(from: open + 1, for: reader) {
                guard depth < DocumentDepth.limit else { return false }
                if !tag.closesItself { depth += 1 }
                next = tag.end
            }
            // There is nothing after an unterminated construct.
            guard let next else { return true }
            index = next
        }
        return true
    }

    private func tag(from start: Int, for reader: Reader) -> (end: Int, closesItself: Bool)? {
        var quote: UInt8?
        var hasQuotes = false
        for index in start..<units.count {
            let unit = units[index]
            if unit == UInt8(ascii: ">"), quote == nil || reader == .propertyList {
                return (index, units[index - 1] == UInt8(ascii: "/") && !(reader == .propertyList && hasQuotes))
            }
            guard unit == UInt8(ascii: "\"") || unit == UInt8(ascii: "'") else { continue }
            hasQuotes = true
            if quote == nil { quote = unit } else if quote == unit { quote = nil }
        }
        return nil
    }

    /// Returns the index of the first occurrence of a text.
    private func find(_ text: StaticString, from start: Int) -> Int? {
        let wanted = Array("\(text)".utf8)
        var index = start
        while index < units.count, let next = units[index...].firstIndex(of: wanted[0]) {
            if units[next...].starts(with: wanted) { return next }
            index = next + 1
        }
        return nil
    }
}
