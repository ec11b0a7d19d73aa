import HTTPChainSupport

extension SecretScanner {
    /// Returns the credential after a scheme's name (RFC 9110 §11.4); the parameters of a challenge aren't credentials.
    func credential(_ scheme: CredentialScheme, after end: Int) -> Range<Int>? {
        guard end < bytes.count else { return nil }
        let space = reading(at: end)
        // In a form, a space is written as a plus.
        let isPlus = space.byte == UInt8(ascii: "+") && (mode == .form || url != nil)
        guard space.byte.isBlank || isPlus else { return nil }
        let start = isPlus ? end + 1 : afterSpace(end, lines: false)
        guard start < bytes.count, !"([{".utf8.contains(bytes[start]) else { return nil }
        if let open = quote(at: start) {
            let range = open.range.upperBound..<closing(open)
            return isCredential(range, scheme) ? range : nil
        }
        let range = start..<endOfToken(from: start, level: space.level)
        if let equals = text.first(.equals, from: start), equals < range.upperBound, isParameter(equals, in: range) {
            guard scheme == .digest, let response = text.first(.response, from: start) else { return nil }
            let end = endOfLine(from: start)
            return response + "response=".utf8.count <= end ? start..<end : nil
        }
        return isCredential(range, scheme) ? range : nil
    }

    /// Returns the end of the credential at an index, without trailing punctuation.
    private func endOfToken(from start: Int, level: Int) -> Int {
        let end = text.end(of: .token(level: level), from: start) { position in
            guard !bytes[position].endsURL, bytes[position] != UInt8(ascii: "\\") else { return nil }
            let unit = reading(at: position)
            return unit.byte == UInt8(ascii: "&") && unit.level <= level ? nil : position + unit.length
        }
        return max(start, text.beforePunctuation(end))
    }

    /// Whether an equals sign separates the name and value of a parameter, and isn't the padding of a token68.
    private func isParameter(_ equals: Int, in range: Range<Int>) -> Bool {
        let next = equals + 1 < bytes.count ? bytes[equals + 1] : UInt8(ascii: " ")
        guard
            next == UInt8(ascii: "\"") || next == UInt8(ascii: "\\")
                || (equals + 1 < range.upperBound && next != UInt8(ascii: "="))
        else {
            return false
        }
        return bytes[range.lowerBound..<equals].allSatisfy { $0.isLetter || SecretNames.isIgnored($0) }
    }

    private func isCredential(_ range: Range<Int>, _ scheme: CredentialScheme) -> Bool {
        Steps.take(range.count)
        let text = bytes[range]
        let letters = text.count(where: \.isLetter)
        let isWord = letters == text.count
        if isWord || text.allSatisfy({ $0.isLetter || "-.'/".utf8.contains($0) }) {
            if PlainWords.afterScheme.contains(text.prefix(while: \.isLetter)) { return false }
        }
        guard scheme.isPlainWord else { return text.contains { $0.isLetterOrDigit } }
        let capitals = zip(text, text.dropFirst()).contains { $0 & 0x20 != 0 && $1 &- 0x41 < 26 }
        return text.count >= 6 && letters > 0
            && (text.contains { $0.isDigit || "+=|~".utf8.contains($0) } || (isWord && capitals && text.count >= 16))
    }

    /// Returns a JSON Web Token, RFC 7519 §3: segments separated by dots, the first of which is a JSON object in
    /// Base64.
    func webToken(in word: Range<Int>) -> Range<Int>? {
        var position = word.lowerBound
        while position + 3 <= word.upperBound {
            if bytes[position] == UInt8(ascii: "e"), bytes[position + 1] == UInt8(ascii: "y"),
                bytes[position + 2] == UInt8(ascii: "J"),
                position == word.lowerBound || !bytes[position - 1].isLetterOrDigit
                    || (position >= 2 && bytes[position - 2] == UInt8(ascii: "\\"))
            {
                let end =
                    bytes[position...].firstIndex {
                        !$0.isLetterOrDigit && !SecretNames.isIgnored($0) && $0 != UInt8(ascii: ".")
                    } ?? bytes.count
                Steps.take(end - position)
                let hasDot = bytes[position..<end].contains(UInt8(ascii: "."))
                if hasDot && end - position >= 16 || (isCutOff && end == bytes.count) { return position..<end }
                // A token that begins later in the same run is shorter, and doesn't have more dots.
                position = end
            } else {
                Steps.take()
                position += 1
            }
        }
        return nil
    }

    /// Returns the content of a PEM block (RFC 7468 §2), which may be cut off.
    func armoredBlock(in word: Range<Int>) -> Range<Int>? {
        let begin = Array("-----BEGIN".utf8)
        guard word.count >= begin.count,
            let start = word.first(where: { bytes[$0...].starts(with: begin) }), start + begin.count <= word.upperBound
        else { return nil }
        // The label extends to the next five hyphens.
        let dashes = { (from: Int) in
            let found = self.bytes[from...].indices.first { self.bytes[$0...].starts(with: "-----".utf8) }
            Steps.take((found ?? self.bytes.count) - from)
            return found
        }
        guard let labelEnd = dashes(start + begin.count) else { return isCutOff ? start..<bytes.count : nil }
        guard labelEnd - start < 80 else { return nil }
        let content = labelEnd + 5
        return content..<(dashes(content) ?? bytes.count)
    }
}
