/// Elements, and values whose name stands beside them: in another attribute, another member, or the head of a part.
extension SecretScanner {
    /// Looks at the tag that begins at the index, and remembers its element's content where that is a secret.
    mutating func readTag(_ open: SecretUnit) {
        let nameStart = index + open.length
        let nameEnd =
            bytes[min(nameStart, bytes.count)...].firstIndex {
                !$0.isNameByte && $0 != UInt8(ascii: ":")
            } ?? bytes.count
        guard nameEnd > nameStart else { return }
        let name = bytes[nameStart..<nameEnd]
        let local = name[((name.lastIndex(of: UInt8(ascii: ":")) ?? nameStart - 1) + 1)...]
        index = nameStart
        before = UInt8(ascii: "<")
        // A placeholder of ours is no element, unless it is closed like one.
        let isPlaceholder = open.length == 1 && bytes[nameStart...].starts(with: "secret>".utf8)
        if isPlaceholder, !bytes[nameEnd...].contains(UInt8(ascii: "<")) { return }
        if rules.names.contains(local) {
            rememberContent(ofTagAt: nameStart, name: name)
            // The name of an element is no name of an attribute.
            index = nameEnd
        }
    }

    private mutating func rememberContent(ofTagAt start: Int, name: ArraySlice<UInt8>) {
        var position = start
        while position < bytes.count {
            let unit = SecretUnit(bytes, at: position)
            if unit.byte == UInt8(ascii: "<") { return }
            if unit.byte == UInt8(ascii: ">") {
                if bytes[position - 1] == UInt8(ascii: "/") { return }
                let content = position + unit.length
                element = (content, content..<endOfElement(from: content, name: Array(name)))
                return
            }
            position += unit.length
        }
    }

    /// Where the content of an element ends, elements of the same name within it included.
    private func endOfElement(from start: Int, name: [UInt8]) -> Int {
        var depth = 1
        var position = start
        while position < bytes.count {
            let unit = SecretUnit(bytes, at: position)
            let open = position
            position += unit.length
            guard unit.byte == UInt8(ascii: "<"), position < bytes.count else { continue }
            let next = SecretUnit(bytes, at: position)
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

    /// How far around a name its value is looked for.
    private static let reach = 1024

    private static let nameKeys: Set<String> = [
        "field", "for", "header", "id", "itemprop", "k", "key", "label", "n", "name", "param", "parameter", "property",
        "type",
    ]
    private static let valueKeys: Set<String> = [
        "content", "data", "default", "stringvalue", "text", "v", "val", "value",
    ]

    /// Redacts the value of a secret whose name is itself a value: `name="password" value="…"`.
    mutating func redactValue(named word: Range<Int>) {
        if redactPropertyList(word) { return }
        guard let key = key(before: word.lowerBound) else { return }
        let name = String(decoding: bytes[key], as: UTF8.self).lowercased()
        guard Self.nameKeys.contains(name) else { return }
        let reachBack = max(0, key.lowerBound - Self.reach)
        let line = (bytes[reachBack..<key.lowerBound].lastIndex { $0.isNewline } ?? reachBack - 1) + 1
        if name == "name", containsFormData(line..<key.lowerBound) {
            return redactPart(after: word.upperBound)
        }
        if let tag = bytes[reachBack..<key.lowerBound].lastIndex(where: { "<>".utf8.contains($0) }),
            bytes[tag] == UInt8(ascii: "<")
        {
            return redactTag(at: tag)
        }
        redactSiblings(of: key.lowerBound..<word.upperBound)
    }

    /// The key to which a text is assigned: what stands before the quotes, spaces and separator before it.
    private func key(before start: Int) -> Range<Int>? {
        var end = start
        func skip(_ isSkipped: (UInt8) -> Bool) {
            while end > 0, isSkipped(bytes[end - 1]) { end -= 1 }
        }
        func skipSpelling() {
            while true {
                skip { $0.isSpace || "\"'\\`".utf8.contains($0) }
                if let (byte, start) = percent(before: end), byte.isSpace || "\"'\\`".utf8.contains(byte) {
                    end = start
                } else if let entity = ["&quot;", "&#34;"].first(where: {
                    bytes[..<end].suffix($0.utf8.count).elementsEqual($0.utf8)
                }) {
                    end -= entity.utf8.count
                } else {
                    return
                }
            }
        }
        skipSpelling()
        if end > 0, "=:".utf8.contains(bytes[end - 1]) {
            end -= 1
        } else if let (byte, start) = percent(before: end), "=:".utf8.contains(byte) {
            end = start
        } else {
            return nil
        }
        skipSpelling()
        var keyStart = (bytes[..<end].lastIndex { !$0.isLetterOrDigit } ?? -1) + 1
        // The digits of an escape are no letters of the key.
        if keyStart > 0, bytes[keyStart - 1] == UInt8(ascii: "%") {
            keyStart = min(end, keyStart - 1 + SecretUnit(bytes, at: keyStart - 1).length)
        }
        return keyStart < end ? keyStart..<end : nil
    }

    /// Returns the byte that is percent-encoded, however often, just before an index, and where it begins.
    private func percent(before end: Int) -> (byte: UInt8, start: Int)? {
        var start = end - 2
        while start >= 2, bytes[start - 2] == UInt8(ascii: "2"), bytes[start - 1] == UInt8(ascii: "5") { start -= 2 }
        guard start >= 1, bytes[start - 1] == UInt8(ascii: "%") else { return nil }
        let unit = SecretUnit(bytes, at: start - 1)
        return unit.length == end - start + 1 ? (unit.byte, start - 1) : nil
    }

    private func containsFormData(_ range: Range<Int>) -> Bool {
        let wanted = Array("form-data".utf8)
        var position = range.lowerBound
        while position + wanted.count <= range.upperBound {
            if bytes[position] | 0x20 == UInt8(ascii: "f"),
                zip(bytes[position..<range.upperBound], wanted).allSatisfy({ SecretNames.folded($0) == $1 })
            {
                return true
            }
            position += 1
        }
        return false
    }

    /// The content of a part of a multipart body (RFC 7578 §4), up to the next delimiter; line ends may be escaped.
    private mutating func redactPart(after end: Int) {
        let content = afterParameters(end)
        if content < bytes.count, bytes[content - 1].isBlank, lineEnd(at: content) == nil {
            return redactFlattenedPart(at: content)
        }
        var position = end
        while position < bytes.count {
            guard let line = lineEnd(at: position) else {
                position += 1
                continue
            }
            guard let start = lineEnd(at: line) else {
                position = line
                continue
            }
            var end = start
            while end < bytes.count {
                if let next = lineEnd(at: end), bytes[next...].starts(with: "--".utf8) { break }
                end += 1
            }
            if end > start { edits.append(Edit(range: start..<end)) }
            index = max(index, end)
            return
        }
    }

    /// Returns the index after the parameters of a field, the first of which ends at an index, and the spaces after
    /// them.
    private func afterParameters(_ end: Int) -> Int {
        var position = quote(at: end)?.range.upperBound ?? end
        while true {
            let next = afterSpace(position, lines: false)
            guard next < bytes.count, bytes[next] == UInt8(ascii: ";") else { return next }
            position = afterSpace(next + 1, lines: false)
            while position < bytes.count, !bytes[position].isSpace, bytes[position] != UInt8(ascii: ";") {
                if let open = quote(at: position) {
                    position = min(bytes.count, closing(open) + open.range.count)
                } else {
                    position += 1
                }
            }
        }
    }

    /// The content of a part whose line ends have become spaces, up to the next delimiter or the end of the line.
    private mutating func redactFlattenedPart(at start: Int) {
        var end = start
        while end < bytes.count, !bytes[end].isNewline {
            if bytes[end].isBlank, bytes[(end + 1)...].starts(with: "--".utf8) { break }
            end += 1
        }
        edits.append(Edit(range: start..<end))
        index = max(index, end)
    }

    /// Where the line begins whose predecessor ends at an index, with CRLF or LF, plainly or escaped.
    private func lineEnd(at start: Int) -> Int? {
        func end(of plain: UInt8, _ escaped: UInt8, at start: Int) -> Int? {
            var position = start
            while position < bytes.count, bytes[position] == UInt8(ascii: "\\"), position - start < 64 { position += 1 }
            guard position < bytes.count else { return nil }
            return bytes[position] == (position > start ? escaped : plain) ? position + 1 : nil
        }
        return end(of: 0x0A, UInt8(ascii: "n"), at: end(of: 0x0D, UInt8(ascii: "r"), at: start) ?? start)
    }

    private mutating func redactTag(at start: Int) {
        let end = bytes[(start + 1)...].firstIndex { $0 == UInt8(ascii: ">") } ?? bytes.count
        redactValues(in: start..<min(end, start + 2 * Self.reach), skipping: start..<start)
        let name = bytes[(start + 1)..<end].prefix { $0.isLetterOrDigit || "_-.:".utf8.contains($0) }
        let isVoid = ["input", "meta", "param", "add", "link", "label", "option"].contains {
            $0.utf8.elementsEqual(name.map(SecretNames.folded))
        }
        if !isVoid, !name.isEmpty { rememberContent(ofTagAt: start + 1, name: name) }
    }

    /// The values in the same braces, or on the same line where there are none.
    private mutating func redactSiblings(of pair: Range<Int>) {
        if siblings.range.contains(pair.lowerBound),
            siblings.isClosed || pair.upperBound + Self.reach / 4 < siblings.range.upperBound
        {
            return
        }
        var depth = 0
        var start = pair.lowerBound
        let first = max(0, start - Self.reach)
        while start > first {
            let byte = bytes[start - 1]
            if "}])".utf8.contains(byte) { depth += 1 }
            if "{[(".utf8.contains(byte) {
                if depth == 0 { break }
                depth -= 1
            }
            start -= 1
        }
        depth = 0
        var end = pair.upperBound
        let last = min(bytes.count, end + Self.reach)
        while end < last {
            let byte = bytes[end]
            if "{[(".utf8.contains(byte) { depth += 1 }
            if "}])".utf8.contains(byte) {
                if depth == 0 { break }
                depth -= 1
            }
            end += 1
        }
        siblings = (start..<end, end < last)
        redactValues(in: start..<end, skipping: pair)
    }

    private mutating func redactValues(in range: Range<Int>, skipping pair: Range<Int>) {
        var position = range.lowerBound
        while position < range.upperBound {
            if pair.contains(position) { position = pair.upperBound }
            guard position < range.upperBound else { return }
            guard bytes[position].isLetterOrDigit else {
                position += SecretUnit(bytes, at: position).length
                continue
            }
            let end = bytes[position...].firstIndex { !$0.isNameByte } ?? bytes.count
            let word = String(decoding: bytes[position..<end].prefix(16), as: UTF8.self).lowercased()
            position = end
            guard Self.valueKeys.contains(word), let value = value(after: end, ValuePlace()) else { continue }
            edits.append(value)
            position = max(position, value.range.upperBound)
        }
    }

    /// `<key>password</key><string>…</string>`, as property lists have it.
    private mutating func redactPropertyList(_ word: Range<Int>) -> Bool {
        guard bytes[..<word.lowerBound].suffix(5).elementsEqual("<key>".utf8),
            bytes[word.upperBound...].starts(with: "</key>".utf8)
        else { return false }
        let next = afterSpace(word.upperBound + 6, lines: true)
        guard next < bytes.count, bytes[next] == UInt8(ascii: "<") else { return true }
        let name = bytes[(next + 1)...].prefix { $0.isLetterOrDigit }
        if !name.isEmpty { rememberContent(ofTagAt: next + 1, name: name) }
        return true
    }
}
