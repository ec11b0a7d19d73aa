import HTTPChainSupport

/// Finds the secrets in text and replaces each with a placeholder.
///
/// It isn't a parser, because it must find secrets even in text that is cut off or isn't a valid document. It scans the
/// text once, word by word. The characters around the name of a secret determine where its value is. A single scanner
/// can therefore handle JSON (even within a JSON string), forms, URLs (even percent-encoded within another URL),
/// markup, header fields, and the text of errors and logs.
package struct SecretScanner {
    /// A kind of text.
    enum Mode {
        case text
        /// A URL or a reference, which may contain spaces and quotes.
        case url
        /// The pairs of a form, in which a value extends to the next `&`, regardless of its characters.
        case form
    }

    /// The URL at the scanner's position.
    struct URLPlace {
        var end: Int
        /// The end of the path.
        var queryStart: Int
        /// The start of the fragment, including its `#`.
        var fragmentStart: Int
    }

    /// A range to replace.
    struct Edit {
        var range: Range<Int>
        /// The quotes to add around the placeholder, if the name is in quotes and the value isn't.
        var quote: ArraySlice<UInt8> = []
    }

    let bytes: [UInt8]
    let text: TextIndex
    let rules: SecretRules
    private let tails: TailFilter
    let mode: Mode
    /// Whether the text is truncated, so that it may end within a secret.
    let isCutOff: Bool

    var edits: [Edit] = []
    var index = 0
    var url: URLPlace?
    /// The content of the element whose tag is being read.
    var element: (start: Int, content: Range<Int>)?
    /// The ranges that have already been searched for values next to a secret's name, in order.
    var siblings: [Range<Int>] = []
    /// The last tag that was searched for such values.
    var lastTag: Int?
    /// Whether a blank line may follow.
    var hasBlankLine = true
    /// The byte before the index, unescaped.
    var before: UInt8?

    init(_ bytes: [UInt8], rules: SecretRules, mode: Mode = .text, isCutOff: Bool = false) {
        self.bytes = bytes
        text = TextIndex(bytes)
        self.rules = rules
        tails = rules.tails
        self.mode = mode
        self.isCutOff = isCutOff
    }

    /// Returns the text with a placeholder for each secret, or `nil` if there are none.
    ///
    /// - Parameter values: Strings that are secrets wherever they occur.
    mutating func redacted(values: [String] = []) -> String? {
        scan()
        for value in values { find(Array(value.utf8)) }
        return edits.isEmpty ? nil : edited()
    }

    private mutating func scan() {
        if mode == .url { enterReference() }
        while index < bytes.count {
            if let element, index >= element.start {
                self.element = nil
                redact(element.content)
                index = max(index, element.content.upperBound)
                continue
            }
            if let url, index >= url.end { self.url = nil }
            Steps.take()
            let unit = reading(at: index)
            if unit.byte.isNameByte {
                readWord()
                continue
            }
            before = unit.byte
            let start = index
            switch unit.byte {
            case UInt8(ascii: "<"): readTag(unit)
            case UInt8(ascii: ":"): enterURL(unit)
            default: break
            }
            if index == start { index += unit.length }
        }
        if let element { redact(element.content) }
    }

    /// Returns the unit at an index, which must be within the text.
    func reading(at index: Int) -> SecretUnit { text.reading(at: index) }

    mutating func redact(_ range: Range<Int>) {
        if !range.isEmpty { edits.append(Edit(range: range)) }
    }

    // MARK: Words

    private mutating func readWord() {
        let start = index
        let word = word(at: start)
        let end = word.end
        index = end
        let name = word.decoded.map { $0[...] } ?? bytes[start..<end]
        let follows = before
        before = name.last
        if !word.mayBeNamed { return }
        if word.mayHoldToken, let token = webToken(in: start..<end) {
            redact(token)
            index = max(end, token.upperBound)
            return
        }
        let isPair = isPair(after: follows)
        let isSecret = isSecret(name, after: follows, isPair: isPair, isQuoted: quote(at: end) != nil)
        if isSecret {
            let place = ValuePlace(isPair: isPair, isLine: LineField.contains(name), before: follows)
            if let value = value(after: end, place) ?? optionValue(after: start..<end) {
                edits.append(value)
                index = max(end, value.range.upperBound)
                return
            }
        }
        if let scheme = CredentialScheme(name.drop { !$0.isLetterOrDigit }), let secret = credential(scheme, after: end)
        {
            redact(secret)
            index = max(end, secret.upperBound)
        } else if word.mayHoldBlock, let block = armoredBlock(in: start..<end) {
            redact(block)
            index = max(end, block.upperBound)
        } else if isSecret {
            redactValue(named: start..<end)
        }
    }

    /// A sequence of bytes that may occur in names.
    struct Word {
        var end: Int
        /// The unescaped bytes, if some are escaped.
        var decoded: [UInt8]?
        /// Whether it may be the name of a secret or a scheme, or contain the start of a token or a PEM block.
        var mayBeNamed = false
        /// Whether it may contain the start of a web token.
        var mayHoldToken = false
        /// Whether it may contain the start of a PEM block.
        var mayHoldBlock = false
    }

    /// Returns the word at an index.
    func word(at start: Int) -> Word {
        var word = Word(end: start)
        var tail: UInt32 = 0
        var letters: UInt32 = 0
        var hyphens = 0
        while word.end < bytes.count {
            Steps.take()
            let plain = bytes[word.end]
            let unit = plain.isNameByte ? SecretUnit(plain) : reading(at: word.end)
            guard unit.byte.isNameByte else { break }
            if !SecretNames.isIgnored(unit.byte) {
                letters = letters << 8 | UInt32(SecretNames.folded(unit.byte))
                if tails.contains(letters) { word.mayBeNamed = true }
            }
            if unit.isEscaped, word.decoded == nil { word.decoded = Array(bytes[start..<word.end]) }
            word.decoded?.append(unit.byte)
            word.end += unit.length
            // Checks the byte in its written form, because the last digit of an escape may be a letter of a token.
            let last = bytes[word.end - 1]
            tail = tail << 8 | UInt32(last)
            if tail & 0xFF_FFFF == 0x65_794A { (word.mayHoldToken, word.mayBeNamed) = (true, true) }
            hyphens = last == UInt8(ascii: "-") ? hyphens + 1 : 0
            if hyphens == 5 { word.mayHoldBlock = true }
        }
        return word
    }

    /// Whether a word is at the start of a pair in a query or a form.
    private func isPair(after follows: UInt8?) -> Bool {
        mode != .text || url != nil || follows == UInt8(ascii: "?") || follows == UInt8(ascii: "&")
    }

    private func isSecret(_ name: ArraySlice<UInt8>, after follows: UInt8?, isPair: Bool, isQuoted: Bool) -> Bool {
        let names = isPair ? rules.pairNames : rules.names
        // After a backslash, the first letter may belong to an escape.
        if follows == UInt8(ascii: "\\"), names.contains(name.dropFirst()) { return true }
        if isPair || isQuoted || name.contains(UInt8(ascii: "[")) { return names.contains(name) }
        // In prose and code, the part before a dot is the end of a sentence, a type or a file.
        let trimmed = name[..<((name.lastIndex { $0 != UInt8(ascii: ".") } ?? name.startIndex - 1) + 1)]
        return names.contains(trimmed.suffix { $0 != UInt8(ascii: ".") })
    }

    // MARK: Result

    /// Finds all occurrences of a value and, at the end of truncated text, its beginning (Knuth-Morris-Pratt
    /// algorithm).
    private mutating func find(_ value: [UInt8]) {
        // For each prefix of the value, the length of the longest shorter prefix that is also its suffix.
        var fallbacks = [0]
        func matched(_ byte: UInt8, after count: Int) -> Int {
            var count = count
            while count > 0, count == value.count || value[count] != byte {
                Steps.take()
                count = fallbacks[count - 1]
            }
            return value[count] == byte ? count + 1 : 0
        }
        for byte in value.dropFirst() { fallbacks.append(matched(byte, after: fallbacks[fallbacks.count - 1])) }
        var count = 0
        for (position, byte) in bytes.enumerated() {
            Steps.take()
            count = matched(byte, after: count)
            if count == value.count { redact(position + 1 - count..<position + 1) }
        }
        if isCutOff, count >= Self.shortestBeginning { redact(bytes.count - count..<bytes.count) }
    }

    /// The minimum number of bytes by which a value that is cut off is recognized.
    private static let shortestBeginning = 3

    private func edited() -> String {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var copied = 0
        for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            // Overlapping ranges count as one secret.
            guard edit.range.lowerBound >= copied else {
                copied = max(copied, edit.range.upperBound)
                continue
            }
            output += bytes[copied..<edit.range.lowerBound]
            output += edit.quote
            output += Redaction.placeholder.utf8
            output += edit.quote
            copied = edit.range.upperBound
        }
        return String(decoding: output + bytes[copied...], as: UTF8.self)
    }
}

extension ArraySlice<UInt8> {
    /// Returns the longest suffix whose bytes all satisfy the predicate.
    fileprivate func suffix(while predicate: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        self[((lastIndex { !predicate($0) } ?? startIndex - 1) + 1)...]
    }
}
