import HTTPChainSupport

/// Finds the secrets of a text and puts a placeholder in place of each.
///
/// It is not a parser: the text may be cut off, or be no document at all, and nothing that follows a secret's name may
/// pass for that reason. It goes through the text once, word by word; what stands around a word that is the name of a
/// secret tells where the value is. So one scanner serves JSON (also within a string of JSON), forms, URLs (also
/// percent-encoded within another), markup, header fields, and what people write into errors and logs.
struct SecretScanner {
    /// A kind of text.
    enum Mode {
        case text
        /// A URL or a reference: spaces and quotes belong to it.
        case url
        /// The pairs of a form: a value goes on to the next `&`, whatever is in it.
        case form
    }

    /// A URL that the scanner is in.
    struct URLPlace {
        var end: Int
        /// Where the path ends.
        var queryStart: Int
        /// Where the fragment begins, with its `#`.
        var fragmentStart: Int
    }

    /// A range that is replaced.
    struct Edit {
        var range: Range<Int>
        /// The quotes around the placeholder: the quotes of a value that had none.
        var quote: ArraySlice<UInt8> = []
    }

    let bytes: [UInt8]
    let text: TextIndex
    let rules: SecretRules
    private let tails: TailFilter
    let mode: Mode
    /// Whether the text goes on, so that the beginning of a secret may stand at its end.
    let isCutOff: Bool

    var edits: [Edit] = []
    var index = 0
    var url: URLPlace?
    /// The content of an element whose tag is being read.
    var element: (start: Int, content: Range<Int>)?
    /// Where the values beside a secret's name were looked for, in order.
    var siblings: [Range<Int>] = []
    /// The tag in which they were looked for last.
    var lastTag: Int?
    /// Whether a blank line may follow.
    var hasBlankLine = true
    /// The byte that is meant before the index, escaped or not.
    var before: UInt8?

    init(_ bytes: [UInt8], rules: SecretRules, mode: Mode = .text, isCutOff: Bool = false) {
        self.bytes = bytes
        text = TextIndex(bytes)
        self.rules = rules
        tails = rules.tails
        self.mode = mode
        self.isCutOff = isCutOff
    }

    /// The text with a placeholder for each secret; `nil` where there is none.
    ///
    /// - Parameter values: Texts that are secrets wherever they stand.
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

    /// What stands at an index, which must be one of the text's.
    func reading(at index: Int) -> SecretUnit {
        let byte = bytes[index]
        guard byte == UInt8(ascii: "\\") else { return SecretUnit(bytes, at: index) }
        return SecretUnit(bytes, at: index, afterBackslashes: text.afterBackslashes(from: index))
    }

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

    /// A row of bytes that names are made of.
    struct Word {
        var end: Int
        /// Its letters if some are escaped.
        var decoded: [UInt8]?
        /// Whether it may be the name of a secret or a scheme, or hold the beginning of a token or a PEM block.
        var mayBeNamed = false
        /// Whether a web token may begin in it.
        var mayHoldToken = false
        /// Whether a PEM block may begin in it.
        var mayHoldBlock = false
    }

    /// The word that begins at an index.
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
            // As it is written: the last digit of an escape may be a letter of a token.
            let last = bytes[word.end - 1]
            tail = tail << 8 | UInt32(last)
            if tail & 0xFF_FFFF == 0x65_794A { (word.mayHoldToken, word.mayBeNamed) = (true, true) }
            hyphens = last == UInt8(ascii: "-") ? hyphens + 1 : 0
            if hyphens == 5 { word.mayHoldBlock = true }
        }
        return word
    }

    /// Whether a word stands where a pair of a query or a form begins.
    private func isPair(after follows: UInt8?) -> Bool {
        mode != .text || url != nil || follows == UInt8(ascii: "?") || follows == UInt8(ascii: "&")
    }

    private func isSecret(_ name: ArraySlice<UInt8>, after follows: UInt8?, isPair: Bool, isQuoted: Bool) -> Bool {
        let names = isPair ? rules.pairNames : rules.names
        // After a backslash the first letter may belong to an escape.
        if follows == UInt8(ascii: "\\"), names.contains(name.dropFirst()) { return true }
        if isPair || isQuoted || name.contains(UInt8(ascii: "[")) { return names.contains(name) }
        // In prose and code what stands before a dot is a sentence, a type or a file.
        let trimmed = name[..<((name.lastIndex { $0 != UInt8(ascii: ".") } ?? name.startIndex - 1) + 1)]
        return names.contains(trimmed.suffix { $0 != UInt8(ascii: ".") })
    }

    // MARK: Result

    /// Finds a value wherever it stands, and the beginning of it at the end of a text that goes on (the algorithm of
    /// Knuth, Morris and Pratt).
    private mutating func find(_ value: [UInt8]) {
        // For each beginning of the value the longest shorter one that ends it.
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

    /// How many bytes of a value that is cut off tell it from other text.
    private static let shortestBeginning = 3

    private func edited() -> String {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var copied = 0
        for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            // What overlaps is one secret.
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
    /// Returns the part after the last byte of a kind.
    fileprivate func suffix(while predicate: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        self[((lastIndex { !predicate($0) } ?? startIndex - 1) + 1)...]
    }
}
