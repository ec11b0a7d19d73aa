/// The rules of a ``Redaction`` made ready for use on every line of a log.
///
/// It decides as ``Redaction/isSecret(name:)`` and ``Redaction/text(_:)`` do. What cannot be a secret, which is nearly
/// everything, is passed without an allocation.
package struct SecretFilter: Sendable {
    private let names: SecretNames
    /// The hashes of the folded names: a name that has none of them is no secret's.
    private let hashes: Set<UInt64>

    /// Makes a filter.
    package init(_ redaction: Redaction) {
        names = SecretNames(redaction)
        hashes = Set(redaction.memberNames.union(redaction.fieldNames).map { FoldedNameHash.of($0.lowercased()) })
    }

    /// Whether a name in a query, a form or a structured body stands before a secret.
    package func isSecret(name: String) -> Bool {
        var whole = FoldedNameHash()
        var piece = FoldedNameHash()
        for byte in name.utf8 {
            // Letter case outside ASCII is not for this loop.
            guard byte < 0x80 else { return names.contains(name) }
            whole.add(byte)
            if byte.isSeparator {
                if hashes.contains(piece.value) { return names.contains(name) }
                piece = FoldedNameHash()
            } else {
                piece.add(byte)
            }
        }
        guard hashes.contains(whole.value) || hashes.contains(piece.value) else { return false }
        return names.contains(name)
    }

    /// The text with secret values blotted out.
    package func text(_ text: String) -> String {
        // A value is told from what is around it by one of these; text without them is not looked at closer.
        guard text.utf8.contains(where: \.startsValue) else { return text }
        var scanner = SecretScanner(Array(text.utf8), names: names)
        return String(decoding: scanner.redacted(), as: UTF8.self)
    }
}

/// A hash (FNV-1a) of a name without regard to case, hyphens and underscores.
private struct FoldedNameHash {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ byte: UInt8) {
        guard byte != UInt8(ascii: "-"), byte != UInt8(ascii: "_") else { return }
        let isUpper = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
        value = (value ^ UInt64(isUpper ? byte | 0x20 : byte)) &* 0x100_0000_01B3
    }

    static func of(_ name: String) -> UInt64 {
        var hash = FoldedNameHash()
        for byte in name.utf8 { hash.add(byte) }
        return hash.value
    }
}

extension UInt8 {
    /// What stands between the pieces of a path: `user[password]`, `user.password`.
    fileprivate var isSeparator: Bool {
        self == UInt8(ascii: ".") || self == UInt8(ascii: ":") || self == UInt8(ascii: "[") || self == UInt8(ascii: "]")
    }

    fileprivate var startsValue: Bool {
        self == UInt8(ascii: "=") || self == UInt8(ascii: "\"") || self == UInt8(ascii: "'")
            || self == UInt8(ascii: "<")
    }
}
