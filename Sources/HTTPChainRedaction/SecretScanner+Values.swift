import HTTPChainSupport

/// The context of a secret's name.
struct ValuePlace {
    /// Whether the name is part of a pair in a URL or a form.
    var isPair = false
    /// Whether the value extends to the end of the line.
    var isLine = false
    /// The byte before the name.
    var before: UInt8?
}

/// A quote in its written form: plain, after backslashes (JSON within JSON), as an entity, or percent-encoded.
struct SecretQuote {
    let byte: UInt8
    /// The number of backslashes before it.
    let escapes: Int
    let level: Int
    /// Whether it is escaped.
    let isEscaped: Bool
    let range: Range<Int>

    /// Whether a unit may be the matching quote, or a quote of the enclosing text.
    func matches(_ unit: SecretUnit) -> Bool {
        guard unit.byte == byte, unit.level <= level else { return false }
        // Escaped quotes belong to text in plain quotes, and plain quotes to text in quotes written as entities.
        return unit.isEscaped == isEscaped || level > 0
    }
}

extension SecretScanner {
    /// Returns the value for the name that ends at an index, or `nil` if it has no value or the value isn't a secret.
    func value(after end: Int, _ place: ValuePlace) -> Edit? {
        var position = end
        let nameQuote = quote(at: position)
        if let nameQuote { position = nameQuote.range.upperBound }
        let afterName = position
        position = afterSpace(position, lines: nameQuote != nil)
        guard position < bytes.count else { return nil }
        let separator = reading(at: position)
        let isColon = separator.byte == UInt8(ascii: ":")
        guard isColon || separator.byte == UInt8(ascii: "=") else { return nil }
        var isSpaced = position > afterName
        position += separator.length
        // A percent-encoded separator belongs to a URL within a URL.
        let isPair = nameQuote == nil && (place.isPair || separator.level > 0)
        if isPair {
            // A path has pairs only after a semicolon (RFC 3986 §3.3).
            if isInPath(position), place.before != UInt8(ascii: ";") { return nil }
        } else {
            position = afterOperator(position, isColon: isColon)
            if isColon, position < bytes.count, bytes[position] == UInt8(ascii: ":") { return nil }
            let start = afterSpace(position, lines: nameQuote != nil)
            isSpaced = isSpaced || start > position
            if isColon, nameQuote == nil, !isSpaced, bytes[position...].starts(with: "//".utf8) { return nil }
            position = start
        }
        // The value of a pair extends to its delimiter, even if it begins with a character that isn't allowed in a URL.
        guard position < bytes.count, mode != .text || !bytes[position].isNewline else { return nil }
        if bytes[position...].starts(with: "<redacted>".utf8) || bytes[position...].starts(with: "<secret>".utf8) {
            return nil
        }
        // In a URL or a form, a quote is part of the value, which may continue after the second quote.
        if let open = quote(at: position), !isPair || (mode == .text && open.level >= separator.level) {
            return edit(open.range.upperBound..<closing(open))
        }
        if place.isLine, !isPair, nameQuote == nil {
            let word = bytes[position...].firstIndex { !$0.isLetterOrDigit } ?? bytes.count
            let isWrapped = bytes[word...].first == UInt8(ascii: "(")
            return edit(position..<max(endOfLine(from: position), isWrapped ? endOfNested(at: word) : position))
        }
        if isPair { return edit(position..<endOfPair(from: position, after: position, level: separator.level)) }
        return bareValue(
            at: position,
            separator: separator,
            nameQuote: nameQuote,
            isProse: isColon && isSpaced && nameQuote == nil,
            isSpaced: isSpaced
        )
    }

    private func edit(_ range: Range<Int>) -> Edit? { range.isEmpty ? nil : Edit(range: range) }

    /// Skips the rest of one of the operators `==`, `=>` and `:=`.
    private func afterOperator(_ position: Int, isColon: Bool) -> Int {
        guard position < bytes.count else { return position }
        let next = bytes[position]
        let isLonger = next == UInt8(ascii: "=") || (next == UInt8(ascii: ">") && !isColon)
        return isLonger ? position + 1 : position
    }

    private func bareValue(
        at position: Int,
        separator: SecretUnit,
        nameQuote: SecretQuote?,
        isProse: Bool,
        isSpaced: Bool
    ) -> Edit? {
        let wordEnd = bytes[position...].firstIndex { !$0.isLetterOrDigit } ?? bytes.count
        Steps.take(wordEnd - position)
        let word = bytes[position..<wordEnd]
        let endsWord =
            wordEnd == bytes.count || bytes[wordEnd].isSpace || ",;:.)]}\"'<&\\".utf8.contains(bytes[wordEnd])
        if endsWord, PlainWords.empty.contains(word) { return nil }
        if isProse, wordEnd == bytes.count || bytes[wordEnd].isSpace || ",;:.".utf8.contains(bytes[wordEnd]),
            PlainWords.prose.contains(word)
        {
            return nil
        }
        let quote = nameQuote.map { bytes[$0.range] } ?? []
        let first = reading(at: position)
        if nameQuote != nil || isSpaced, "{[(".utf8.contains(first.byte) {
            return Edit(range: position..<endOfNested(at: position), quote: quote)
        }
        if nameQuote != nil {
            let end = bytes[position...].firstIndex { $0.isSpace || ",}])".utf8.contains($0) } ?? bytes.count
            Steps.take(end - position)
            return end > position ? Edit(range: position..<end, quote: quote) : nil
        }
        var start = position
        // A wrapped value, as in `Optional("…")`.
        if wordEnd > position, wordEnd < bytes.count, bytes[wordEnd] == UInt8(ascii: "(") {
            start = endOfNested(at: wordEnd)
        }
        if separator.byte == UInt8(ascii: "="), !isSpaced {
            return edit(position..<endOfPair(from: start, after: position, level: separator.level))
        }
        return edit(position..<endOfBareText(from: start, after: position))
    }

    /// Returns the value of a command-line option: `--password …`.
    func optionValue(after word: Range<Int>) -> Edit? {
        guard bytes[word.lowerBound] == UInt8(ascii: "-") else { return nil }
        let start = afterSpace(word.upperBound, lines: false)
        guard start > word.upperBound, start < bytes.count, !bytes[start].isNewline, bytes[start] != UInt8(ascii: "-")
        else { return nil }
        if let open = quote(at: start) { return edit(open.range.upperBound..<closing(open)) }
        return edit(start..<endOfBareText(from: start, after: start))
    }

    // MARK: Where a value ends

    /// Returns the end of a value in a query or a form, or after `=` in text.
    private func endOfPair(from start: Int, after first: Int, level: Int) -> Int {
        let limit = min(url?.end ?? bytes.count, bytes.count)
        let inPath = isInPath(start)
        let bracket = text.last(.angle, in: max(0, start - Self.reach)..<start)
        let isInTag = bracket.map { bytes[$0] == UInt8(ascii: "<") } ?? false
        let inFragment = url.map { start > $0.fragmentStart } ?? true
        var position = start
        while position < limit {
            Steps.take()
            let unit = reading(at: position)
            if unit.level <= level {
                if unit.byte == UInt8(ascii: "&") { break }
                if unit.byte == UInt8(ascii: "#"), !inFragment { break }
                if inPath, "/;?".utf8.contains(unit.byte) { break }
            }
            if mode == .text, !unit.isEscaped, !(position == first && opensValue(at: position)),
                endsBareText(at: position) || (isInTag && unit.byte == 0x3E)
            {
                break
            }
            position += unit.length
        }
        return url == nil && mode == .text ? withoutPunctuation(start..<position) : position
    }

    /// Whether an unquoted value ends at a position: at spaces, double quotes and tags.
    private func endsBareText(at position: Int) -> Bool {
        let byte = bytes[position]
        return byte.isSpace || byte == UInt8(ascii: "\"") || (byte == UInt8(ascii: "<") && isTag(at: position))
    }

    /// Whether a `<` is the first byte of a value, or of a tag around the value.
    ///
    /// If the tag is a closing tag, the value is empty.
    private func opensValue(at position: Int) -> Bool {
        bytes[position] == UInt8(ascii: "<") && bytes[(position + 1)...].first != UInt8(ascii: "/")
    }

    private func isTag(at position: Int) -> Bool {
        guard let next = bytes[(position + 1)...].first else { return false }
        return next == UInt8(ascii: "/") || next == UInt8(ascii: "!") || next.isLetter
    }

    /// Returns the end of a value in running text: one word, or two if the first is a scheme's name.
    private func endOfBareText(from start: Int, after first: Int) -> Int {
        var position = start
        while position < bytes.count {
            Steps.take()
            let byte = bytes[position]
            if byte.isBlank {
                guard CredentialScheme(bytes[first..<position]) != nil else { break }
                position = afterSpace(position, lines: false)
                continue
            }
            if endsBareText(at: position), position > first { break }
            if ByteSet.closers.contains(byte), endsSentence(after: position) { break }
            position += 1
        }
        return withoutPunctuation(max(first, start - 1)..<position)
    }

    private func endsSentence(after position: Int) -> Bool {
        guard let next = bytes[(position + 1)...].first else { return true }
        return next.isSpace || ByteSet.sentenceEnds.contains(next)
    }

    /// Returns the end of a range without closing punctuation, as in `(token=abc)`, and without the escape of a quote.
    private func withoutPunctuation(_ range: Range<Int>) -> Int {
        var end = range.upperBound
        while end > range.lowerBound + 1, ByteSet.trailers.contains(bytes[end - 1]) {
            Steps.take()
            end -= 1
        }
        return end
    }

    /// Returns the end of the line, or of the enclosing string.
    ///
    /// The value may contain strings (`response="…"`), which are escaped in JSON.
    func endOfLine(from start: Int) -> Int {
        // The value may start with a tag.
        let first = start < bytes.count && bytes[start] == UInt8(ascii: "<") ? start + 1 : start
        return text.end(of: .line, from: first) { position in
            let byte = bytes[position]
            if byte.isNewline { return nil }
            switch byte {
            case UInt8(ascii: "\\"): return position + 2
            case UInt8(ascii: "\"") where bytes[..<position].last == UInt8(ascii: "="):
                let closing = bytes[(position + 1)...].firstIndex(of: UInt8(ascii: "\"")) ?? bytes.count
                Steps.take(closing - position)
                return closing + 1
            case UInt8(ascii: "\""): return nil
            case UInt8(ascii: "<") where bytes[position...].starts(with: "</".utf8): return nil
            default: return position + 1
            }
        }
    }

    /// Returns the end of the text in brackets, or of the whole text.
    private func endOfNested(at start: Int) -> Int {
        var depth = 0
        var position = start
        while position < bytes.count {
            Steps.take()
            // After a letter, this is an apostrophe.
            if let open = quote(at: position), open.byte == UInt8(ascii: "\"") || !bytes[position - 1].isLetterOrDigit {
                position = closing(open) + open.range.count
                continue
            }
            let unit = reading(at: position)
            switch unit.byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "("): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ")"): depth -= 1
            default: break
            }
            position += unit.length
            if depth == 0 { return position }
        }
        return bytes.count
    }

    // MARK: Quotes and spaces

    /// Returns the quote at an index, with the backslashes before it.
    func quote(at start: Int) -> SecretQuote? {
        guard start < bytes.count else { return nil }
        var position = start
        var unit = reading(at: start)
        if unit.byte == UInt8(ascii: "\\") {
            position = text.afterBackslashes(from: start)
            guard position < bytes.count else { return nil }
            unit = reading(at: position)
        }
        guard ByteSet.quotes.contains(unit.byte) else { return nil }
        return SecretQuote(
            byte: unit.byte,
            escapes: position - start,
            level: unit.level,
            isEscaped: unit.isEscaped,
            range: start..<position + unit.length
        )
    }

    /// Returns the end of quoted text: the position of the same quote, or of a quote of the enclosing text.
    func closing(_ open: SecretQuote) -> Int {
        var position = open.range.upperBound
        var escapes = 0
        while position < bytes.count {
            Steps.take()
            if bytes[position] == UInt8(ascii: "\\"), !reading(at: position).isEscaped {
                escapes += 1
                position += 1
                continue
            }
            let unit = reading(at: position)
            // Each level of quoting doubles the backslashes and adds one.
            if open.matches(unit), escapes % (2 * (open.escapes + 1)) == open.escapes || escapes < open.escapes {
                return position - min(escapes, open.escapes)
            }
            escapes = 0
            position += unit.length
        }
        return bytes.count
    }

    /// Returns the first index that isn't a space; with `lines`, line ends count as spaces, even if escaped.
    func afterSpace(_ start: Int, lines: Bool) -> Int {
        var position = start
        while position < bytes.count {
            Steps.take()
            let unit = reading(at: position)
            if unit.byte.isBlank || (lines && unit.byte.isSpace) {
                position += unit.length
                continue
            }
            let letter = text.afterBackslashes(from: position)
            guard lines, letter > position, letter < bytes.count, "nrt".utf8.contains(bytes[letter]) else { break }
            position = letter + 1
        }
        return position
    }
}

/// Words that appear in place of a secret's value but aren't secrets.
enum PlainWords {
    static let empty: WordSet = ["null", "nil", "none", "true", "false", "undefined"]

    /// Words that follow a colon in prose about a secret.
    static let prose: WordSet = [
        "a", "all", "an", "and", "any", "are", "as", "at", "by", "can", "each", "every", "for", "from", "how", "if",
        "in", "is", "it", "its", "no", "not", "of", "on", "one", "only", "or", "see", "string", "such", "that", "the",
        "they", "this", "to", "use", "what", "when", "where", "whether", "which", "who", "whose", "with",
    ]

    /// Words that follow the name of a scheme in prose about it.
    static let afterScheme: WordSet = [
        "access", "and", "are", "auth", "authentication", "authorization", "can", "cannot", "challenge", "challenges",
        "client", "credential", "credentials", "endpoint", "error", "expired", "failed", "for", "from", "has", "in",
        "is", "it", "middleware", "must", "needs", "not", "of", "on", "only", "or", "over", "password", "realm",
        "request", "response", "scheme", "server", "session", "stage", "support", "that", "the", "to", "token",
        "tokens", "type", "was", "when", "which", "with", "without",
    ]
}
