/// A media type with its parameters, RFC 9110 §8.3.1.
package struct MediaType: Sendable, Hashable {
    /// Type and subtype in lower case, such as "application/json".
    package let essence: String
    /// The parameters; names in lower case, values without their quotes.
    package let parameters: [String: String]

    /// Reads the value of a `Content-Type` field; `nil` for what is none.
    package init?(_ text: String?) {
        guard let text else { return nil }
        let parts = Self.split(text)
        guard let first = parts.first.map({ $0.trimmed.lowercased() }), first.split(separator: "/").count == 2 else {
            return nil
        }
        essence = first
        var parameters: [String: String] = [:]
        for part in parts.dropFirst() {
            guard let equals = part.firstIndex(of: "=") else { continue }
            var value = part[part.index(after: equals)...].trimmed
            if value.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") {
                value = String(value.dropFirst().dropLast())
            }
            let name = part[..<equals].trimmed.lowercased()
            if parameters[name] == nil { parameters[name] = value }
        }
        self.parameters = parameters
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

    /// The pieces between semicolons that are not in a quoted string.
    private static func split(_ text: String) -> [Substring] {
        var parts: [Substring] = []
        var start = text.startIndex
        var isQuoted = false
        for index in text.indices {
            if text[index] == "\"" { isQuoted.toggle() }
            if text[index] == ";", !isQuoted {
                parts.append(text[start..<index])
                start = text.index(after: index)
            }
        }
        return parts + [text[start...]]
    }
}

extension Substring {
    fileprivate var trimmed: String {
        let rest = drop { $0.isWhitespace }
        return String(rest.reversed().drop { $0.isWhitespace }.reversed())
    }
}
