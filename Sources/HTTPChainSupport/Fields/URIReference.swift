/// A URI reference in the five parts of RFC 3986 §4.1, distinguishing missing parts from empty ones.
///
/// Use it for references that are resolved against a base (`Location`, `Link`), strictly by the RFC. ``URLReference``
/// is for the URLs that callers write, including templates.
package struct URIReference: Hashable, Sendable {
    package var scheme: String?
    package var authority: String?
    package var path: String
    package var query: String?
    package var fragment: String?

    /// Splits a reference as in RFC 3986 appendix B, without validating the parts.
    package init(_ text: String) {
        Steps.take(text.utf8.count)
        var rest = text.utf8[...]
        if let hash = rest.firstIndex(of: UInt8(ascii: "#")) {
            fragment = String(Substring(rest[hash...].dropFirst()))
            rest = rest[..<hash]
        }
        if let question = rest.firstIndex(of: UInt8(ascii: "?")) {
            query = String(Substring(rest[question...].dropFirst()))
            rest = rest[..<question]
        }
        if let end = rest.firstIndex(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }),
            rest[end] == UInt8(ascii: ":"), Self.isScheme(rest[..<end])
        {
            scheme = Substring(rest[..<end]).lowercased()
            rest = rest[end...].dropFirst()
        }
        if rest.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            authority = String(Substring(rest[..<end]))
            rest = rest[end...]
        }
        path = String(Substring(rest))
    }

    /// Whether the text is a scheme, RFC 3986 §3.1.
    private static func isScheme(_ text: Substring.UTF8View) -> Bool {
        guard let first = text.first, isLetter(first) else { return false }
        return text.allSatisfy { byte in
            isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "+-.".utf8.contains(byte)
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    /// Resolves the reference against `base`, strictly by RFC 3986 §5.2.2.
    ///
    /// The base's own fragment is ignored.
    package func resolved(against base: URIReference) -> URIReference {
        var target = self
        if scheme == nil { target.scheme = base.scheme }
        if scheme != nil || authority != nil {
            target.path = Self.withoutDotSegments(path)
            return target
        }
        target.authority = base.authority
        if path.isEmpty {
            target.path = base.path
            if query == nil { target.query = base.query }
        } else if path.utf8.first == UInt8(ascii: "/") {
            target.path = Self.withoutDotSegments(path)
        } else {
            target.path = Self.withoutDotSegments(base.directory + path)
        }
        return target
    }

    /// The directory to which a relative path is appended, RFC 3986 §5.2.3.
    package var directory: String {
        if authority != nil, path.isEmpty { return "/" }
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
        return String(Substring(path.utf8[...slash]))
    }

    private static func withoutDotSegments(_ path: String) -> String {
        String(decoding: removingDotSegments(from: Array(path.utf8)[...]), as: UTF8.self)
    }

    /// The reference recomposed from its parts, RFC 3986 §5.3.
    package var text: String {
        var text = scheme.map { $0 + ":" } ?? ""
        if let authority { text += "//" + authority }
        text += path
        if let query { text += "?" + query }
        if let fragment { text += "#" + fragment }
        return text
    }
}
