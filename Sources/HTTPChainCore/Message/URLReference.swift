/// A URL reference split where RFC 3986 appendix B splits it, with no judgement of the pieces and no fragment.
struct URLReference {
    var scheme: String?
    var authority: String?
    /// Path and query.
    var path: String

    init(_ text: String) {
        var rest = text.prefix { $0 != "#" }
        let schemeEnd = rest.firstIndex { ":/?{".contains($0) }
        if let schemeEnd, rest[schemeEnd...].hasPrefix("://"), schemeEnd > rest.startIndex {
            scheme = rest[..<schemeEnd].lowercased()
            rest = rest[rest.index(after: schemeEnd)...]
        }
        if rest.hasPrefix("//") {
            rest = rest.dropFirst(2)
            let end = rest.firstIndex { "/?".contains($0) } ?? rest.endIndex
            authority = String(rest[..<end])
            rest = rest[end...]
            path = rest.hasPrefix("/") ? String(rest) : "/" + rest
        } else {
            path = String(rest)
        }
    }
}
