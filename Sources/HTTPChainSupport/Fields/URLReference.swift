/// A URL reference split as in RFC 3986 appendix B, without validating the parts.
///
/// Template expressions (`{?q}`, `{#section}`) are opaque: delimiters inside braces don't split, and a reference with
/// an expression in its authority stays whole, in `path`, until a stage expands it.
///
/// It splits the target of a request, as written by a caller, into the parts of a request head: path and query are one
/// part, and a scheme must be followed by `//`, so `localhost:8080/a` and `urn:x` are paths. ``URIReference`` is for
/// references in responses and documents: it has the five parts needed for resolution, and treats braces like other
/// characters.
package struct URLReference {
    package var scheme: String?
    package var authority: String?
    /// The path and query.
    package var path: String
    /// The part after the first `#`, or `nil` if there is none.
    package var fragment: String?

    package init(_ text: String) {
        var text = text
        self = text.withUTF8 { Self($0[...]) }
    }

    // Compares delimiters as bytes, so that a combining character can't hide one.
    private init(_ text: Bytes) {
        Steps.take(text.count)
        let hash = Self.fragmentStart(in: text)
        let whole = text[..<hash]
        if hash < text.endIndex { fragment = Self.string(text[(hash + 1)...]) }
        var rest = whole
        let schemeEnd = rest.firstIndex { byte in
            byte == Self.colon || byte == Self.slash || byte == Self.question || byte == Self.brace
        }
        if let end = schemeEnd, end > rest.startIndex, rest[end] == Self.colon,
            Self.startsAuthority(rest[(end + 1)...])
        {
            scheme = Self.string(rest[..<end]).lowercased()
            rest = rest[(end + 1)...]
        }
        guard Self.startsAuthority(rest) else {
            path = Self.string(rest)
            return
        }
        rest = rest.dropFirst(2)
        let end = rest.firstIndex { $0 == Self.slash || $0 == Self.question || $0 == Self.brace } ?? rest.endIndex
        if end < rest.endIndex, rest[end] == Self.brace {
            scheme = nil
            path = Self.string(whole)
        } else {
            authority = Self.string(rest[..<end])
            rest = rest[end...]
            path = rest.first == Self.slash ? Self.string(rest) : "/" + Self.string(rest)
        }
    }

    private typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

    private static func string(_ bytes: Bytes) -> String {
        String(decoding: UnsafeBufferPointer(rebasing: bytes), as: UTF8.self)
    }

    private static func startsAuthority(_ text: Bytes) -> Bool {
        text.count >= 2 && text[text.startIndex] == slash && text[text.startIndex + 1] == slash
    }

    private static func fragmentStart(in text: Bytes) -> Int {
        var inExpression = false
        let start = text.firstIndex { byte in
            switch byte {
            case brace: inExpression = true
            case UInt8(ascii: "}"): inExpression = false
            case UInt8(ascii: "#"): return !inExpression
            default: break
            }
            return false
        }
        return start ?? text.endIndex
    }

    private static let colon = UInt8(ascii: ":")
    private static let slash = UInt8(ascii: "/")
    private static let question = UInt8(ascii: "?")
    private static let brace = UInt8(ascii: "{")
}
