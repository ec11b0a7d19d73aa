import HTTPChainSupport

/// A media type with its parameters, RFC 9110 §8.3.1.
package struct MediaType: Sendable, Hashable {
    /// Type and subtype in lower case, such as "application/json".
    package let essence: String
    /// The parameters; names in lower case, values without their quotes.
    package let parameters: [String: String]

    /// Parses the value of a `Content-Type` field; returns `nil` if it isn't a media type.
    package init?(_ text: String?) {
        guard let text else { return nil }
        let field = ParameterizedValue(text.utf8)
        guard field.value.utf8.split(separator: UInt8(ascii: "/")).count == 2 else { return nil }
        essence = field.value
        parameters = Dictionary(field.parameters.map { ($0.name, String(decoding: $0.value, as: UTF8.self)) }) { a, _ in
            a
        }
    }

    /// Whether the value of a `Content-Type` field has the given essence, in lower case.
    ///
    /// Skips the parameters, because parsing them is slower than everything else in most stages.
    package static func isEssence(_ essence: StaticString, of text: String) -> Bool {
        var rest = text.utf8.drop(while: ASCII.isSpace)
        let isSame = essence.withUTF8Buffer { expected in
            expected.allSatisfy { byte in rest.popFirst().map(ASCII.lower) == byte }
        }
        guard isSame else { return false }
        return rest.first { !ASCII.isSpace($0) }.map { $0 == UInt8(ascii: ";") } ?? true
    }

    /// The `charset` parameter.
    package var charset: String? { parameters["charset"] }

    /// The `boundary` parameter of a multipart type, if it has 1 to 70 characters (RFC 2046 §5.1.1).
    ///
    /// The limit keeps searching for the boundary linear in the size of the content.
    package var boundary: String? {
        parameters["boundary"].flatMap { (1...70).contains($0.utf8.count) ? $0 : nil }
    }

    /// Whether the type matches a pattern: a type, `text/*`, `application/*+json`, `*/*+json` or `*/*`.
    package func matches(_ pattern: String) -> Bool { precision(of: pattern) != nil }

    /// Returns how precisely a pattern matches the type, ranked like media ranges in RFC 9110 §12.5.1: 3 for the type
    /// itself, 2 for a suffix, 1 for all subtypes, 0 for any type; nil if it doesn't match.
    package func precision(of pattern: String) -> Int? {
        guard let pattern = MediaType(pattern)?.essence else { return nil }
        if pattern == essence { return 3 }
        let wanted = pattern.pieces(at: "/")
        let own = essence.pieces(at: "/")
        guard wanted.count == 2, own.count == 2, wanted[0] == "*" || wanted[0] == own[0],
            let star = wanted[1].utf8.firstIndex(of: UInt8(ascii: "*"))
        else { return nil }
        let prefix = wanted[1][..<star]
        let suffix = wanted[1][wanted[1].utf8.index(after: star)...]
        guard own[1].without(prefix: prefix)?.ends(with: suffix) == true else { return nil }
        if wanted[1] != "*" { return 2 }
        return wanted[0] == "*" ? 0 : 1
    }
}
