/// The names of secrets, compared without regard to case, hyphens and underscores.
///
/// Making it takes time: whoever redacts often makes it once. What cannot be a secret, which is nearly everything, then
/// passes without an allocation.
package struct SecretNames: Sendable {
    private let names: Set<String>
    /// The hashes of the folded names: a name that has none of them is no secret's.
    private let hashes: Set<UInt64>

    /// The names of members and fields.
    package init(_ redaction: Redaction) {
        self.init([redaction.memberNames, redaction.fieldNames].joined())
    }

    /// These names.
    package init(_ names: some Sequence<String>) {
        self.names = Set(names.map(Self.folded))
        hashes = Set(self.names.map { FoldedNameHash.of($0) })
    }

    /// The whole name, or a piece of a path as forms write it: `user[password]`, `user.password`.
    package func contains(_ name: String) -> Bool {
        mayContain(name) && isListed(name)
    }

    /// The text with what follows a name blotted out, as ``Redaction/text(_:)`` does.
    package func redacted(_ text: String) -> String {
        // A value is told from what is around it by one of these; text without them is not looked at closer.
        guard text.utf8.contains(where: { "=\"'<".utf8.contains($0) }) else { return text }
        var scanner = SecretScanner(Array(text.utf8), names: self)
        return String(decoding: scanner.redacted(), as: UTF8.self)
    }

    /// Whether two names are the same but for case, hyphens and underscores.
    static func folded(_ name: String, is other: String) -> Bool {
        name.utf8.lazy.filter(isLetter).elementsEqual(other.utf8.lazy.filter(isLetter)) {
            $0 == $1 || ($0 ^ $1 == 0x20 && (0x61...0x7A).contains($0 | 0x20))
        }
    }

    private func mayContain(_ name: String) -> Bool {
        var whole = FoldedNameHash()
        var piece = FoldedNameHash()
        for byte in name.utf8 {
            // Letter case outside ASCII is not for this loop.
            guard byte < 0x80 else { return true }
            whole.add(byte)
            if Self.isSeparator(byte) {
                if hashes.contains(piece.value) { return true }
                piece = FoldedNameHash()
            } else {
                piece.add(byte)
            }
        }
        return hashes.contains(whole.value) || hashes.contains(piece.value)
    }

    private func isListed(_ name: String) -> Bool {
        if names.contains(Self.folded(name)) { return true }
        guard name.utf8.contains(where: Self.isSeparator) else { return false }
        return name.utf8.split(whereSeparator: Self.isSeparator).contains {
            names.contains(Self.folded(String(Substring($0))))
        }
    }

    fileprivate static func isLetter(_ byte: UInt8) -> Bool { byte != UInt8(ascii: "-") && byte != UInt8(ascii: "_") }

    private static func isSeparator(_ byte: UInt8) -> Bool { "[].:".utf8.contains(byte) }

    private static func folded(_ name: String) -> String {
        let lowered = name.lowercased()
        guard lowered.utf8.contains(where: { !isLetter($0) }) else { return lowered }
        return String(decoding: lowered.utf8.filter(isLetter), as: UTF8.self)
    }
}

/// A hash (FNV-1a) of a name without regard to case, hyphens and underscores.
private struct FoldedNameHash {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ byte: UInt8) {
        guard SecretNames.isLetter(byte) else { return }
        let isUpper = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
        value = (value ^ UInt64(isUpper ? byte | 0x20 : byte)) &* 0x100_0000_01B3
    }

    static func of(_ name: String) -> UInt64 {
        var hash = FoldedNameHash()
        for byte in name.utf8 { hash.add(byte) }
        return hash.value
    }
}
