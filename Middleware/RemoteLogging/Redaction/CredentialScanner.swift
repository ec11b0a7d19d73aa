import HTTPChainCore

/// Blots credentials out of running text: what follows the name of a scheme (`Bearer …`), or the name of a secret and
/// a colon (`Cookie: …`), and JSON Web Tokens wherever they stand.
///
/// Text that people wrote follows no grammar, so it takes what looks like a credential for one.
struct CredentialScanner {
    private let text: String
    private let bytes: [UInt8]
    /// The names that stand before a secret; `nil` looks for tokens alone.
    private let names: SecretNames?
    private var output: [UInt8] = []
    private var index = 0

    init(_ text: String, names: SecretNames?) {
        self.text = text
        bytes = Array(text.utf8)
        self.names = names
    }

    /// Whether there may be a JSON Web Token in a text.
    static func mayHoldToken(_ text: String) -> Bool {
        var before: (UInt8, UInt8) = (0, 0)
        for byte in text.utf8 {
            if byte == UInt8(ascii: "J"), before == (UInt8(ascii: "e"), UInt8(ascii: "y")) { return true }
            before = (before.1, byte)
        }
        return false
    }

    /// Whether there may be any credential in a text: a colon after a name, a scheme, or a token.
    static func mayHoldCredential(_ text: String) -> Bool {
        var (start, length): (UInt32, Int) = (0, 0)
        for byte in text.utf8 {
            if byte == UInt8(ascii: ":") { return true }
            guard byte.isWord else {
                (start, length) = (0, 0)
                continue
            }
            guard length < 4 else { continue }
            start = start << 8 | UInt32(byte | 0x20)
            length += 1
            if (length == 3 && start == tokenStart) || (length == 4 && schemeStarts.contains(start)) { return true }
        }
        return false
    }

    mutating func redacted() -> String {
        var copied = 0
        while index < bytes.count {
            guard bytes[index].isWord else {
                index += 1
                continue
            }
            let end = bytes[index...].firstIndex { !$0.isWord } ?? bytes.count
            if let secret = token(index..<end) ?? names.flatMap({ afterName(index..<end, in: $0) }) {
                output += bytes[copied..<secret.lowerBound] + Array(Redaction.placeholder.utf8)
                copied = secret.upperBound
                index = max(secret.upperBound, end)
            } else {
                index = end
            }
        }
        return copied == 0 ? text : String(decoding: output + bytes[copied...], as: UTF8.self)
    }

    /// A JSON Web Token, RFC 7519 §3: three or five pieces between dots, of which the first is a JSON object in Base64.
    private func token(_ word: Range<Int>) -> Range<Int>? {
        guard bytes[word].starts(with: "eyJ".utf8) else { return nil }
        let end = bytes[word.lowerBound...].firstIndex { !$0.isWord && $0 != UInt8(ascii: ".") } ?? bytes.count
        let dots = bytes[word.lowerBound..<end].count { $0 == UInt8(ascii: ".") }
        return dots >= 1 && end - word.lowerBound >= 16 ? word.lowerBound..<end : nil
    }

    private func afterName(_ word: Range<Int>, in names: SecretNames) -> Range<Int>? {
        let afterSpace = bytes[word.upperBound...].firstIndex { !$0.isBlank } ?? bytes.count
        guard afterSpace < bytes.count else { return nil }
        if afterSpace > word.upperBound, isScheme(word) {
            let end = bytes[afterSpace...].firstIndex { !$0.isToken68 } ?? bytes.count
            let credential = bytes[afterSpace..<end]
            let plain = String(decoding: credential.filter { $0 != UInt8(ascii: ".") }, as: UTF8.self).lowercased()
            return credential.isEmpty || Self.plainWords.contains(plain) ? nil : afterSpace..<end
        }
        guard bytes[afterSpace] == UInt8(ascii: ":") else { return nil }
        let name = String(decoding: bytes[word], as: UTF8.self).lowercased()
        guard names.contains(name) else { return nil }
        let start = bytes[(afterSpace + 1)...].firstIndex { !$0.isBlank } ?? bytes.count
        guard start < bytes.count, !bytes[start].isNewline, bytes[start] != UInt8(ascii: "/") else { return nil }
        return start..<endOfValue(at: start, isLine: Self.lineFields.contains(name))
    }

    private func isScheme(_ word: Range<Int>) -> Bool {
        Self.schemes.contains { scheme in
            scheme.count == word.count && zip(scheme, bytes[word]).allSatisfy { $0 == $1 | 0x20 }
        }
    }

    private func endOfValue(at start: Int, isLine: Bool) -> Int {
        if isLine { return endOfLine(at: start) }
        if bytes[start] == UInt8(ascii: "\"") || bytes[start] == UInt8(ascii: "'") {
            return bytes[(start + 1)...].firstIndex(of: bytes[start]).map { $0 + 1 } ?? bytes.count
        }
        return bytes[start...].firstIndex {
            $0.isNewline || $0.isBlank || "\",;)]}&".utf8.contains($0)
        } ?? bytes.count
    }

    /// The end of the line, or of the string that the line stands in; the value may hold strings of its own
    /// (`response="…"`), and in JSON these are escaped.
    private func endOfLine(at start: Int) -> Int {
        var position = start
        while position < bytes.count, !bytes[position].isNewline {
            switch bytes[position] {
            case UInt8(ascii: "\\"): position += 1
            case UInt8(ascii: "\"") where bytes[position - 1] == UInt8(ascii: "="):
                position = bytes[(position + 1)...].firstIndex(of: UInt8(ascii: "\"")) ?? bytes.count
            case UInt8(ascii: "\""): return position
            default: break
            }
            position += 1
        }
        return min(position, bytes.count)
    }

    private static let schemes = ["bearer", "basic", "negotiate", "dpop", "token", "apikey"].map { Array($0.utf8) }

    /// The first four letters of each scheme, and the first three of a token.
    private static let schemeStarts = schemes.map { $0.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }
    private static let tokenStart = "eyj".utf8.reduce(0) { $0 << 8 | UInt32($1) }

    /// Fields whose values hold blanks: they go on to the end of the line.
    private static let lineFields: Set<String> = [
        "authorization", "proxy-authorization", "cookie", "set-cookie", "authentication-info",
        "proxy-authentication-info",
    ]

    /// What follows the name of a scheme when somebody writes about it.
    private static let plainWords: Set<String> = [
        "access", "and", "are", "auth", "authentication", "authorization", "can", "cannot", "challenge", "credential",
        "credentials", "endpoint", "error", "expired", "failed", "for", "from", "has", "in", "is", "middleware", "must",
        "needs", "not", "of", "or", "realm", "request", "response", "scheme", "server", "stage", "that", "the", "to",
        "token", "tokens", "type", "was", "which", "with",
    ]
}

extension UInt8 {
    /// What names and pieces of tokens are made of.
    fileprivate var isWord: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// RFC 9110 §11.2.
    fileprivate var isToken68: Bool { isWord || ".~+/=".utf8.contains(self) }

    fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 }

    fileprivate var isNewline: Bool { self == 0x0A || self == 0x0D }
}
