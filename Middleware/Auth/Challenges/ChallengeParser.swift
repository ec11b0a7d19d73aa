import HTTPChainSupport

extension Challenge {
    /// The limits on parsing the challenges of one response.
    enum Limits {
        /// The total bytes of all field values; a Kerberos token can be long.
        static let bytes = 65_536
        /// The total number of challenges in all fields.
        static let challenges = 32
        /// The number of parameters of one challenge.
        static let parameters = 64
    }

    /// Parses the values of `WWW-Authenticate` or `Proxy-Authenticate` fields, RFC 9110 §11.6.1.
    ///
    /// Commas separate both challenges and the parameters of one challenge. A name without `=` begins the next
    /// challenge. Parsing never fails, but skips invalid parts: extra or missing commas, an unterminated string, a
    /// parameter without a value or scheme.
    ///
    /// Parses at most 64 KiB, 32 challenges, and 64 parameters of each. A challenge cut off by the size limit is
    /// omitted.
    ///
    /// - Parameter values: The values of the fields, in order.
    public static func parse(_ values: [String]) -> [Challenge] {
        parse(bytes: values.map { Array($0.utf8) })
    }

    /// Parses the bytes of the fields; a value that isn't UTF-8 is read as ISO 8859-1.
    static func parse(bytes values: [[UInt8]]) -> [Challenge] {
        var challenges: [Challenge] = []
        var rest = Limits.bytes
        for value in values where challenges.count < Limits.challenges && rest > 0 {
            let isLatin1 = String(validUTF8: value) == nil
            let text = isLatin1 ? Array(String(latin1: value).utf8) : value
            var parser = ChallengeParser(Array(text.prefix(rest)))
            let found = parser.challenges(atMost: Limits.challenges - challenges.count, isCut: text.count > rest)
            for var challenge in found {
                challenge.isLatin1 = isLatin1
                challenges.append(challenge)
            }
            rest -= min(text.count, rest)
        }
        return challenges
    }
}

/// Parses one field value.
struct ChallengeParser {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func challenges(atMost limit: Int, isCut: Bool) -> [Challenge] {
        var challenges: [Challenge] = []
        while true {
            Steps.take()
            skip { ASCII.isSpace($0) || $0 == Self.comma }
            guard position < bytes.count else { break }
            let name = take(while: ASCII.isTokenByte)
            guard !name.isEmpty, isAtEndOfName else {
                skipNonsense()
                continue
            }
            if takeEquals() {
                let parameter = Challenge.Parameter(name: name, value: takeValue())
                if let last = challenges.indices.last, challenges[last].parameters.count < Challenge.Limits.parameters {
                    challenges[last].parameters.append(parameter)
                }
            } else {
                guard challenges.count < limit else { return challenges }
                var challenge = Challenge(name)
                takeToken68(into: &challenge)
                challenges.append(challenge)
            }
        }
        if isCut { _ = challenges.popLast() }
        return challenges
    }

    /// Parses the token68 that may follow the scheme instead of parameters.
    private mutating func takeToken68(into challenge: inout Challenge) {
        let start = position
        skip(ASCII.isSpace)
        guard position > start else { return }
        let text = take(while: ASCII.isToken68Byte)
        let padding = take { $0 == Self.equals }
        skip(ASCII.isSpace)
        guard !text.isEmpty, position == bytes.count || bytes[position] == Self.comma else {
            position = start
            return
        }
        // `Digest realm=, nonce="x"` is read as an empty value, although by the grammar it is a token68.
        if padding.utf8.count < 2, ASCII.equalFolded(text, "realm") || (Challenge.isToken(text) && isParameterNext) {
            challenge.parameters.append(Challenge.Parameter(name: text, value: ""))
        } else {
            challenge.token68 = text + padding
        }
    }

    /// Whether the next element of the list is a parameter, not a challenge.
    private var isParameterNext: Bool {
        var ahead = self
        ahead.skip { ASCII.isSpace($0) || $0 == Self.comma }
        return !ahead.take(while: ASCII.isTokenByte).isEmpty && ahead.takeEquals()
    }

    private var isAtEndOfName: Bool {
        position == bytes.count || ASCII.isSpace(bytes[position]) || bytes[position] == Self.comma
            || bytes[position] == Self.equals
    }

    /// Parses `=` and the optional "bad" whitespace around it (RFC 9110 §5.6.3); if there is none, consumes nothing.
    private mutating func takeEquals() -> Bool {
        let start = position
        skip(ASCII.isSpace)
        guard position < bytes.count, bytes[position] == Self.equals else {
            position = start
            return false
        }
        position += 1
        skip(ASCII.isSpace)
        return true
    }

    private mutating func takeValue() -> String {
        guard position < bytes.count, bytes[position] == Self.quote else {
            // Allows more than a token, because some servers send nonces without quotes, including padding.
            return take { !ASCII.isSpace($0) && $0 != Self.comma && $0 != Self.quote }
        }
        return takeQuoted()
    }

    /// Parses a quoted string, which may be unterminated.
    private mutating func takeQuoted() -> String {
        position += 1
        var content: [UInt8] = []
        while position < bytes.count, bytes[position] != Self.quote {
            Steps.take()
            if bytes[position] == Self.backslash, position + 1 < bytes.count { position += 1 }
            content.append(bytes[position])
            position += 1
        }
        position = min(position + 1, bytes.count)
        return String(decoding: content, as: UTF8.self)
    }

    /// Skips text that is neither a name nor a separator; a comma in quotes doesn't end it.
    private mutating func skipNonsense() {
        while position < bytes.count, !ASCII.isSpace(bytes[position]), bytes[position] != Self.comma {
            Steps.take()
            if bytes[position] == Self.quote { _ = takeQuoted() } else { position += 1 }
        }
    }

    private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
        while position < bytes.count, isSkipped(bytes[position]) {
            Steps.take()
            position += 1
        }
    }

    private mutating func take(while isTaken: (UInt8) -> Bool) -> String {
        let start = position
        skip(isTaken)
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private static let comma = UInt8(ascii: ",")
    private static let equals = UInt8(ascii: "=")
    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")
}
