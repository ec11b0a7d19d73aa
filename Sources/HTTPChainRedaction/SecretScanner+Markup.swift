import HTTPChainSupport

/// Finds secrets in elements, and values whose names are in another attribute, another member, or the head of a part.
extension SecretScanner {
    /// Reads the tag at the index; if the element's content is a secret, remembers the content.
    mutating func readTag(_ open: SecretUnit) {
        let nameStart = index + open.length
        let nameEnd =
            bytes[nameStart...].firstIndex { !$0.isNameByte && $0 != UInt8(ascii: ":") } ?? bytes.count
        Steps.take(nameEnd - nameStart)
        let name = bytes[nameStart..<nameEnd]
        let local = name[((name.lastIndex(of: UInt8(ascii: ":")) ?? nameStart - 1) + 1)...]
        index = nameStart
        // A placeholder isn't an element unless it has a closing tag.
        let isPlaceholder = open.length == 1 && bytes[nameStart...].starts(with: "secret>".utf8)
        if isPlaceholder, text.first(.less, from: nameEnd) == nil { return }
        if rules.names.contains(local) {
            rememberContent(ofTag: name)
            // Skips the name, because it isn't an attribute's.
            index = nameEnd
        }
    }

    /// Remembers the content of the element with the given name in its tag.
    private mutating func rememberContent(ofTag name: ArraySlice<UInt8>) {
        if name.isEmpty { return }
        var position = name.endIndex
        while position < bytes.count {
            Steps.take()
            let unit = reading(at: position)
            if unit.byte == UInt8(ascii: "<") { return }
            if unit.byte == UInt8(ascii: ">") {
                if bytes[position - 1] == UInt8(ascii: "/") { return }
                let content = position + unit.length
                element = (content, content..<endOfElement(from: content, name: name))
                return
            }
            position += unit.length
        }
    }

    /// Returns the end of an element's content; the content may contain elements of the same name.
    private func endOfElement(from start: Int, name: ArraySlice<UInt8>) -> Int {
        var depth = 1
        var position = start
        while position < bytes.count {
            Steps.take()
            let unit = reading(at: position)
            let open = position
            position += unit.length
            guard unit.byte == UInt8(ascii: "<"), position < bytes.count else { continue }
            let next = reading(at: position)
            let isClosing = next.byte == UInt8(ascii: "/")
            let rest = bytes[(isClosing ? position + next.length : position)...]
            guard rest.starts(with: name), rest.dropFirst(name.count).first.map({ !$0.isNameByte }) ?? true else {
                continue
            }
            depth += isClosing ? -1 : 1
            if depth == 0 { return open }
        }
        return bytes.count
    }

    // MARK: Values beside their names

    /// The maximum distance from a name at which its value is searched for.
    static let reach = 1024

    private static let nameKeys: WordSet = [
        "field", "for", "header", "id", "itemprop", "k", "key", "label", "n", "name", "param", "parameter", "property",
        "type",
    ]
    private static let partKeys: WordSet = ["name"]
    private static let valueKeys: WordSet = [
        "content", "data", "default", "stringvalue", "text", "v", "val", "value",
    ]

    /// Whether a member with this key may have the name of another member as its value.
    package static func isNameKey(_ key: String) -> Bool { nameKeys.contains(Array(key.utf8)[...]) }

    /// Whether a member with this key may have the value for a name in another member.
    package static func isValueKey(_ key: String) -> Bool { valueKeys.contains(Array(key.utf8)[...]) }

    private static let escapedQuotes = [
        "&quot;", "&#34;", "&#x22;", "&apos;", "&#39;", "&#x27;", "\\u0022", "\\u0027",
    ].map { Array($0.utf8) }
    private static let escapedQuoteEnds = ByteSet(";27")

    /// Redacts the value of a secret whose name is itself a value: `name="password" value="…"`.
    mutating func redactValue(named word: Range<Int>) {
        redactPropertyList(word)
        guard let key = key(before: word.lowerBound) else { return }
        guard Self.nameKeys.contains(bytes[key]) else { return }
        let reachBack = max(0, key.lowerBound - Self.reach)
        if Self.partKeys.contains(bytes[key]) {
            let line = text.last(.newline, in: reachBack..<key.lowerBound).map { $0 + 1 } ?? reachBack
            if containsFormData(line..<key.lowerBound) { return redactPart(after: word.upperBound) }
        }
        if let tag = text.last(.angle, in: reachBack..<key.lowerBound), bytes[tag] == UInt8(ascii: "<") {
            return redactTag(at: tag)
        }
        redactSiblings(of: key.lowerBound..<word.upperBound)
    }

    /// Returns the key that text is assigned to: the word before the preceding quotes, spaces and separator.
    private func key(before start: Int) -> Range<Int>? {
        var end = start
        func skip(_ isSkipped: (UInt8) -> Bool) {
            while let last = bytes[..<end].last, isSkipped(last) {
                Steps.take()
                end -= 1
            }
        }
        func skipSpelling() {
            while true {
                skip { $0.isSpace || "\"'\\`".utf8.contains($0) }
                if let (byte, start) = percent(before: end), byte.isSpace || "\"'\\`".utf8.contains(byte) {
                    end = start
                } else if let last = bytes[..<end].last, Self.escapedQuoteEnds.contains(last),
                    let entity = Self.escapedQuotes.first(where: { bytes[..<end].suffix($0.count).elementsEqual($0) })
                {
                    end -= entity.count
                } else {
                    return
                }
            }
        }
        skipSpelling()
        if let last = bytes[..<end].last, "=:".utf8.contains(last) {
            end -= 1
        } else if let (byte, start) = percent(before: end), "=:".utf8.contains(byte) {
            end = start
        } else {
            return nil
        }
        skipSpelling()
        var keyStart = (bytes[..<end].lastIndex { !$0.isLetterOrDigit } ?? -1) + 1
        Steps.take(end - keyStart)
        // The digits of an escape aren't part of the key.
        if keyStart > 0 { keyStart = min(end, keyStart - 1 + reading(at: keyStart - 1).length) }
        return keyStart..<end
    }

    /// Returns the byte that is percent-encoded (at any depth) directly before an index, and its start.
    private func percent(before end: Int) -> (byte: UInt8, start: Int)? {
        guard bytes[..<end].suffix(2).allSatisfy({ $0.hexadecimalValue != nil }) else { return nil }
        var escape = bytes[..<end].dropLast(2)
        for _ in 0..<SecretUnit.deepest where escape.suffix(2).elementsEqual("25".utf8) { escape = escape.dropLast(2) }
        guard let start = escape.indices.last else { return nil }
        let unit = reading(at: start)
        return start + unit.length == end ? (unit.byte, start) : nil
    }

    private func containsFormData(_ range: Range<Int>) -> Bool {
        let last = range.upperBound - "form-data".utf8.count + 1
        return last > range.lowerBound && text.last(.formData, in: range.lowerBound..<last) != nil
    }

    /// Redacts the content of a part of a multipart body (RFC 7578 §4), up to the next delimiter.
    ///
    /// Line ends may be escaped.
    private mutating func redactPart(after end: Int) {
        let content = afterParameters(end)
        if bytes[content - 1].isBlank, lineEnd(at: content) == nil {
            return redactFlattenedPart(at: content)
        }
        guard hasBlankLine, let start = blankLine(from: end) else {
            hasBlankLine = false
            return
        }
        let delimiter = (start..<bytes.count).first {
            Steps.take()
            return lineEnd(at: $0).map { bytes[$0...].starts(with: "--".utf8) } ?? false
        }
        redact(start..<(delimiter ?? bytes.count))
        index = max(index, delimiter ?? bytes.count)
    }

    /// Returns the start of the line after the first blank line.
    private func blankLine(from start: Int) -> Int? {
        for position in start..<bytes.count {
            Steps.take()
            if let line = lineEnd(at: position), let content = lineEnd(at: line) { return content }
        }
        return nil
    }

    /// Returns the index after the parameters of a field and any spaces.
    ///
    /// The first parameter ends at the given index.
    private func afterParameters(_ end: Int) -> Int {
        let start = afterSpace(quote(at: end)?.range.upperBound ?? end, lines: false)
        return text.end(of: .parameters, from: start, near: 4) { next in
            guard bytes[next] == UInt8(ascii: ";") else { return nil }
            var position = afterSpace(next + 1, lines: false)
            while position < bytes.count, !bytes[position].isSpace, bytes[position] != UInt8(ascii: ";") {
                Steps.take()
                if let open = quote(at: position) {
                    position = min(bytes.count, closing(open) + open.range.count)
                } else {
                    position += 1
                }
            }
            return afterSpace(position, lines: false)
        }
    }

    /// Redacts the content of a part whose line ends were replaced by spaces, up to the next delimiter or the end of
    /// the line.
    private mutating func redactFlattenedPart(at start: Int) {
        var end = start
        while end < bytes.count, !bytes[end].isNewline {
            Steps.take()
            if bytes[end].isBlank, bytes[(end + 1)...].starts(with: "--".utf8) { break }
            end += 1
        }
        redact(start..<end)
        index = max(index, end)
    }

    /// Returns the start of the next line if a line ends at an index, with CRLF or LF, plain or escaped.
    private func lineEnd(at start: Int) -> Int? {
        func end(of plain: UInt8, _ escaped: UInt8, at start: Int) -> Int? {
            let position = text.afterBackslashes(from: start)
            return bytes[position...].first == (position > start ? escaped : plain) ? position + 1 : nil
        }
        return end(of: 0x0A, UInt8(ascii: "n"), at: end(of: 0x0D, UInt8(ascii: "r"), at: start) ?? start)
    }

    private mutating func redactTag(at start: Int) {
        if lastTag == start { return }
        lastTag = start
        let end = text.first(.greater, from: start) ?? bytes.count
        redactValues(in: start..<min(end, start + 2 * Self.reach))
        let name = bytes[(start + 1)...].prefix { $0.isLetterOrDigit || "_-.:".utf8.contains($0) }
        let isVoid = ["input", "meta", "param", "add", "link", "label", "option"].contains {
            $0.utf8.elementsEqual(name.map(SecretNames.folded))
        }
        if !isVoid { rememberContent(ofTag: name) }
    }

    /// Redacts the values in the same braces, or on the same line if there are none.
    private mutating func redactSiblings(of pair: Range<Int>) {
        let open = text.brackets.opening(before: pair.lowerBound).map { $0 + 1 } ?? 0
        let close = text.brackets.closing(from: pair.upperBound) ?? bytes.count
        redactValues(in: max(open, pair.lowerBound - Self.reach)..<min(close, pair.upperBound + Self.reach))
    }

    /// Redacts the values in a range, skipping ranges already searched.
    private mutating func redactValues(in range: Range<Int>) {
        var seen = range
        var gaps: [Range<Int>] = []
        var end = range.upperBound
        while let last = siblings.last, last.upperBound >= range.lowerBound {
            siblings.removeLast()
            if last.upperBound < end { gaps.append(last.upperBound..<end) }
            end = min(end, last.lowerBound)
            seen = min(seen.lowerBound, last.lowerBound)..<max(seen.upperBound, last.upperBound)
        }
        if range.lowerBound < end { gaps.append(range.lowerBound..<end) }
        for gap in gaps.reversed() { seen = seen.lowerBound..<max(seen.upperBound, redactNewValues(in: gap)) }
        siblings.append(seen)
    }

    /// Redacts the values in a range, and returns the index after the last of them.
    private mutating func redactNewValues(in range: Range<Int>) -> Int {
        var position = range.lowerBound
        while position < range.upperBound {
            Steps.take()
            guard bytes[position].isLetterOrDigit else {
                position += reading(at: position).length
                continue
            }
            let start = position
            position = bytes[start...].firstIndex { !$0.isNameByte } ?? bytes.count
            Steps.take(position - start)
            guard Self.valueKeys.contains(bytes[start..<position]), let value = value(after: position, ValuePlace())
            else { continue }
            edits.append(value)
            position = max(position, value.range.upperBound)
        }
        return position
    }

    /// Redacts the value in `<key>password</key><string>…</string>`, as in property lists.
    private mutating func redactPropertyList(_ word: Range<Int>) {
        guard bytes[..<word.lowerBound].suffix(5).elementsEqual("<key>".utf8),
            bytes[word.upperBound...].starts(with: "</key>".utf8)
        else { return }
        let next = bytes[afterSpace(word.upperBound + 6, lines: true)...]
        guard next.first == UInt8(ascii: "<") else { return }
        rememberContent(ofTag: next.dropFirst().prefix { $0.isLetterOrDigit })
    }
}
