/// A media type with its parameters, RFC 9110 §8.3.1.
package struct MediaType: Sendable, Hashable {
    /// Type and subtype in lower case, such as "application/json".
    package let essence: String
    /// The parameters; names in lower case, values without their quotes.
    package let parameters: [String: String]

    /// Reads the value of a `Content-Type` field; `nil` for what is none.
    package init?(_ text: String?) {
        guard let text else { return nil }
        let field = ParameterizedValue(text.utf8)
        guard field.value.split(separator: "/").count == 2 else { return nil }
        essence = field.value
        parameters = Dictionary(field.parameters.map { ($0.name, String(decoding: $0.value, as: UTF8.self)) }) { a, _ in
            a
        }
    }

    /// The `charset` parameter.
    package var charset: String? { parameters["charset"] }

    /// Whether the type falls under a pattern: a type, `text/*`, `application/*+json` or `*/*`.
    package func matches(_ pattern: String) -> Bool {
        guard let pattern = MediaType(pattern)?.essence, pattern != "*/*" else { return pattern == "*/*" }
        guard let star = pattern.firstIndex(of: "*") else { return essence == pattern }
        let prefix = pattern[..<star]
        let suffix = pattern[pattern.index(after: star)...]
        return essence.count >= prefix.count + suffix.count && essence.hasPrefix(prefix) && essence.hasSuffix(suffix)
    }
}
