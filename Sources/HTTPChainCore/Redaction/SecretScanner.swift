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
    let rules: SecretRules
    let mode: Mode
    /// Whether the text goes on, so that the beginning of a secret may stand at its end.
    let isCutOff: Bool

    var edits: [Edit] = []
    var index = 0
    var url: URLPlace?
    /// The content of an element whose tag is being read.
    var element: (start: Int, content: Range<Int>)?
    /// Where the values beside a secret's name were looked for last, and whether the place ends there.
    var siblings: (range: Range<Int>, isClosed: Bool)?
    /// Whether a blank line may follow.
    var hasBlankLine = true
    /// The byte that is meant before the index, escaped or not.
    var before: UInt8?

    init(_ bytes: [UInt8], rules: SecretRules, mode: Mode = .text, isCutOff: Bool = false) {
        self.bytes = bytes
        self.rules = rules
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
            let unit = SecretUnit(bytes, at: index)
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

    mutating func redact(_ range: Range<Int>) {
        if !range.isEmpty { edits.append(Edit(range: range)) }
    }

    // MARK: Words

    private mutating func readWord() {
        let start = index
        let (end, decoded) = word(at: start)
        index = end
        let name = decoded.map { $0[...] } ?? bytes[start..<end]
        let follows = before
        before = name.last
        if let token = webToken(in: start..<end) {
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
        } else if let block = armoredBlock(in: start..<end) {
            redact(block)
            index = max(end, block.upperBound)
        } else if isSecret {
            redactValue(named: start..<end)
        }
    }

    /// Where the word ends that begins at an index, and its letters where some are escaped.
    func word(at start: Int) -> (end: Int, decoded: [UInt8]?) {
        var position = start
        var decoded: [UInt8]?
        while position < bytes.count {
            let unit = SecretUnit(bytes, at: position)
            guard unit.byte.isNameByte else { break }
            if unit.isEscaped, decoded == nil { decoded = Array(bytes[start..<position]) }
            decoded?.append(unit.byte)
            position += unit.length
        }
        return (position, decoded)
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

    private mutating func find(_ value: [UInt8]) {
        var rest = bytes[...]
        while let first = value.first, let start = rest.firstIndex(of: first) {
            let end = rest[start...].starts(with: value) ? start + value.count : start
            redact(start..<end)
            rest = rest[max(end, start + 1)...]
        }
    }

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
