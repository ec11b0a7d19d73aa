import HTTPTypes

/// The names of a ``Redaction``, prepared once for scanning and shared by all copies of the redaction.
final class SecretRules: Sendable {
    let fieldNames: Set<String>
    let queryNames: Set<String>
    let memberNames: Set<String>
    /// The names of header fields that are secrets.
    let fields: SecretNames
    /// The names of secrets in text.
    let names: SecretNames
    /// The names of secrets in a query or a form.
    let pairNames: SecretNames
    /// The endings of all names of secrets, of all schemes, and of the start of a PEM block.
    let tails: TailFilter

    init(fieldNames: Set<String>, queryNames: Set<String>, memberNames: Set<String>) {
        self.fieldNames = fieldNames
        self.queryNames = queryNames
        self.memberNames = memberNames
        let exceptions = Redaction.exceptions
        fields = SecretNames(fieldNames, exceptions: exceptions)
        names = SecretNames([memberNames, fieldNames].joined(), exceptions: exceptions)
        pairNames = SecretNames([queryNames, memberNames, fieldNames].joined(), exceptions: exceptions)
        var tails = pairNames.tails
        for scheme in CredentialScheme.allCases { tails.insert(Array(scheme.rawValue.utf8)) }
        tails.insert(Array("begin".utf8))
        self.tails = tails
    }
}

extension SecretRules: Hashable {
    /// Compares the names, because everything else is derived from them.
    static func == (lhs: SecretRules, rhs: SecretRules) -> Bool {
        lhs === rhs
            || lhs.fieldNames == rhs.fieldNames && lhs.queryNames == rhs.queryNames
                && lhs.memberNames == rhs.memberNames
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(fieldNames)
        hasher.combine(queryNames)
        hasher.combine(memberNames)
    }
}

/// The schemes whose names precede a credential (`Bearer …`).
enum CredentialScheme: String, CaseIterable {
    case bearer, basic, negotiate, ntlm, dpop, token, apikey, digest

    /// Makes the scheme with a given name.
    init?(_ word: some RandomAccessCollection<UInt8>) {
        guard let first = word.first, Self.initials.contains(SecretNames.folded(first)) else { return nil }
        let found = Self.spellings.first { _, name in
            name.count == word.count && zip(name, word).allSatisfy { $0 == SecretNames.folded($1) }
        }
        guard let found else { return nil }
        self = found.scheme
    }

    private static let initials = ByteSet("abdnt")
    private static let spellings = allCases.map { (scheme: $0, name: Array($0.rawValue.utf8)) }

    /// Whether the name is an everyday word.
    ///
    /// After such a word, only text that looks like a key is treated as a credential.
    var isPlainWord: Bool { self == .token || self == .apikey || self == .negotiate || self == .digest }
}

/// A set of lowercase words that are compared without regard to case.
struct WordSet: Sendable, ExpressibleByArrayLiteral {
    private var byLength: [[[UInt8]]] = []

    init(arrayLiteral words: String...) {
        for word in words {
            while byLength.count <= word.utf8.count { byLength.append([]) }
            byLength[word.utf8.count].append(Array(word.utf8))
        }
    }

    func contains(_ word: ArraySlice<UInt8>) -> Bool {
        word.count < byLength.count
            && byLength[word.count].contains { zip($0, word).allSatisfy { $0 == SecretNames.folded($1) } }
    }
}

/// Fields whose values contain spaces; in text, their values therefore extend to the end of the line.
enum LineField {
    private static let names: [[UInt8]] = [
        "cookie", "cookie2", "setcookie", "setcookie2", "authenticationinfo", "proxyauthenticationinfo",
    ].map { Array($0.utf8) }
    /// The end of the names `Authorization`, `Proxy-Authorization`, and of similarly named fields of gateways.
    private static let end = Array("authorization".utf8)

    static func contains(_ word: some Collection<UInt8>) -> Bool {
        let folded = word.filter { !SecretNames.isIgnored($0) && !"[]".utf8.contains($0) }.map(SecretNames.folded)
        return names.contains(folded) || folded.suffix(end.count).elementsEqual(end)
    }
}
