import Foundation

extension Redaction {
    /// Whether a name in a query, a form or a structured body stands before a secret.
    ///
    /// Letter case, hyphens and underscores make no difference: `accessToken` is `access_token`.
    public func isSecret(name: String) -> Bool {
        SecretNames(self).contains(name)
    }

    /// The text with secret values blotted out, whole or cut off anywhere.
    ///
    /// It knows members of JSON objects (also of JSON inside a JSON string), pairs of forms and queries, elements and
    /// attributes of XML, and property lists. The names are ``memberNames`` and ``fieldNames``. What is none of these
    /// is left as it is.
    public func text(_ text: String) -> String {
        SecretNames(self).redacted(text)
    }

    /// The preview with secret values blotted out, as ``text(_:)`` does; binary data, which is never shown, is left as
    /// it is.
    public func preview(_ preview: BodyPreview) -> BodyPreview {
        guard let shown = preview.text else { return preview }
        let redacted = text(shown)
        return redacted == shown ? preview : BodyPreview(Data(redacted.utf8), isTruncated: preview.isTruncated)
    }
}

/// The names of secrets, compared without regard to case, hyphens and underscores.
///
/// Making it takes time: whoever redacts often makes it once.
package struct SecretNames: Sendable {
    private let names: Set<String>

    /// The names of members and fields.
    package init(_ redaction: Redaction) {
        self.init(Array(redaction.memberNames) + Array(redaction.fieldNames))
    }

    /// These names.
    package init(_ names: some Sequence<String>) {
        self.names = Set(names.map(Self.folded))
    }

    /// The whole name, or a piece of a path as forms write it: `user[password]`, `user.password`.
    package func contains(_ name: String) -> Bool {
        if names.contains(Self.folded(name)) { return true }
        guard name.utf8.contains(where: Self.isSeparator) else { return false }
        return name.utf8.split(whereSeparator: Self.isSeparator).contains {
            names.contains(Self.folded(String(Substring($0))))
        }
    }

    /// The text with what follows a name blotted out, as ``Redaction/text(_:)`` does.
    package func redacted(_ text: String) -> String {
        var scanner = SecretScanner(Array(text.utf8), names: self)
        return String(decoding: scanner.redacted(), as: UTF8.self)
    }

    /// Whether two names are the same but for case, hyphens and underscores.
    static func folded(_ name: String, is other: String) -> Bool {
        name.utf8.lazy.filter(isLetter).elementsEqual(other.utf8.lazy.filter(isLetter)) {
            $0 == $1 || ($0 ^ $1 == 0x20 && (0x61...0x7A).contains($0 | 0x20))
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { byte != UInt8(ascii: "-") && byte != UInt8(ascii: "_") }

    private static func isSeparator(_ byte: UInt8) -> Bool { "[].:".utf8.contains(byte) }

    private static func folded(_ name: String) -> String {
        let lowered = name.lowercased()
        guard lowered.utf8.contains(where: { !isLetter($0) }) else { return lowered }
        return String(decoding: lowered.utf8.filter(isLetter), as: UTF8.self)
    }
}
