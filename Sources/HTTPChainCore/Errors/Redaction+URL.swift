import Foundation

extension Redaction {
    /// The URL without user information and with secret values of its query and its fragment blotted out.
    ///
    /// Of a fragment the pairs count that look like those of a query (RFC 6749 §4.2.2 sends tokens there).
    public func url(_ url: String) -> String {
        self.url(url) { name in
            queryNames.contains(name.lowercased()) || queryNames.contains { SecretNames.folded($0, is: name) }
        }
    }

    /// The URL without user information and with the values of those pairs blotted out whose names are secret.
    package func url(_ url: String, isSecret: (String) -> Bool) -> String {
        // Delimiters are looked for byte by byte: a combining character after one must not hide the secret behind it.
        var text = url
        if let start = Self.authorityStart(in: text) {
            let authority = text.utf8[start...].prefix { !"/?#".utf8.contains($0) }
            if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
                text.replaceSubrange(start..<at, with: Self.placeholder)
            }
        }
        guard let start = text.utf8.firstIndex(where: { "?#".utf8.contains($0) }) else { return text }
        return String(Substring(text.utf8[..<start]))
            + Self.pairs(text.utf8[start...], separators: "?#&;", isSecret: isSecret)
    }

    /// The pairs of a form (`application/x-www-form-urlencoded`), whole or cut off, with secret values blotted out.
    package func form(_ text: String, isSecret: (String) -> Bool) -> String {
        Self.pairs(text.utf8[...], separators: "&;", isSecret: isSecret)
    }

    /// Names may begin after any separator; the value of a secret goes on to the next `&`, or to the `#` of a query,
    /// so that an odd character in it does not let the rest of it through.
    private static func pairs(
        _ text: Substring.UTF8View,
        separators: String,
        isSecret: (String) -> Bool
    ) -> String {
        var result = ""
        var rest = text
        var isFragment = !separators.utf8.contains(UInt8(ascii: "#"))
        while let first = rest.first {
            if separators.utf8.contains(first) {
                if first == UInt8(ascii: "#") { isFragment = true }
                result.unicodeScalars.append(Unicode.Scalar(first))
                rest = rest.dropFirst()
                continue
            }
            let piece = rest.prefix { !separators.utf8.contains($0) }
            guard let equals = piece.firstIndex(of: UInt8(ascii: "=")), isSecretName(piece[..<equals], isSecret) else {
                result += Substring(piece)
                rest = rest[piece.endIndex...]
                continue
            }
            result += Substring(piece[...equals]) + placeholder
            rest = rest.drop { $0 != UInt8(ascii: "&") && (isFragment || $0 != UInt8(ascii: "#")) }
        }
        return result
    }

    /// The whole name, or a piece of a path as forms write it: `user[token]`.
    private static func isSecretName(_ name: Substring.UTF8View, _ isSecret: (String) -> Bool) -> Bool {
        var name = String(Substring(name))
        if name.utf8.contains(UInt8(ascii: "%")) { name = name.removingPercentEncoding ?? name }
        if isSecret(name) { return true }
        let pieces = name.utf8.split { "[].:".utf8.contains($0) }
        return pieces.count > 1 && pieces.contains { isSecret(String(Substring($0))) }
    }

    /// Where the bytes after the first two slashes begin.
    private static func authorityStart(in text: String) -> String.Index? {
        var previous: UInt8?
        for index in text.utf8.indices {
            let byte = text.utf8[index]
            if byte == UInt8(ascii: "/"), previous == byte { return text.utf8.index(after: index) }
            previous = byte
        }
        return nil
    }
}
