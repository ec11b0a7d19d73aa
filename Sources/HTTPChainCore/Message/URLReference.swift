/// A URL reference split where RFC 3986 appendix B splits it, with no judgement of the pieces and no fragment.
///
/// Template expressions (`{?q}`, `{#section}`) are opaque: a delimiter inside braces splits nothing, and a reference
/// whose authority holds an expression stays whole, in `path`, until a stage expands it.
struct URLReference {
    var scheme: String?
    var authority: String?
    /// Path and query.
    var path: String

    init(_ text: String) {
        let whole = Self.withoutFragment(text)
        var rest = whole
        let schemeEnd = rest.firstIndex { ":/?{".contains($0) }
        if let schemeEnd, rest[schemeEnd...].hasPrefix("://"), schemeEnd > rest.startIndex {
            scheme = rest[..<schemeEnd].lowercased()
            rest = rest[rest.index(after: schemeEnd)...]
        }
        guard rest.hasPrefix("//") else {
            path = String(rest)
            return
        }
        rest = rest.dropFirst(2)
        let end = rest.firstIndex { "/?{".contains($0) } ?? rest.endIndex
        if end < rest.endIndex, rest[end] == "{" {
            scheme = nil
            path = String(whole)
        } else {
            authority = String(rest[..<end])
            rest = rest[end...]
            path = rest.hasPrefix("/") ? String(rest) : "/" + rest
        }
    }

    private static func withoutFragment(_ text: String) -> Substring {
        var inExpression = false
        let end = text.firstIndex { character in
            switch character {
            case "{": inExpression = true
            case "}": inExpression = false
            case "#": return !inExpression
            default: break
            }
            return false
        }
        return end.map { text[..<$0] } ?? text[...]
    }
}
