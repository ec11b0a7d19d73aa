/// The user information of a URL, also of one that is not well-formed: where a reader of URLs sees no authority, a person
/// sees a password.
enum UserInformation {
    private typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

    /// The bytes before the `@`, or the whole of what is in the place of an authority if no `@` follows.
    ///
    /// - Returns: nil if there is none.
    static func range(in url: String) -> Range<Int>? {
        url.utf8.withContiguousStorageIfAvailable { range(in: $0[...]) }
            ?? Array(url.utf8).withUnsafeBufferPointer { range(in: $0[...]) }
    }

    private static func range(in bytes: Bytes) -> Range<Int>? {
        var next: Int? = bytes.startIndex
        while let beginning = next {
            let bytes = bytes[beginning...]
            let (start, isAuthority) = authorityStart(in: bytes)
            let end = bytes[start...].firstIndex { isSlash($0) || isPathEnd($0) } ?? bytes.endIndex
            if let found = range(in: bytes, authority: start..<end, isAuthority: isAuthority) { return found }
            // What is in the place of an authority may be a whole URL.
            let isURL = start > beginning && schemeEnd(in: bytes[start..<end]) == end - 1
            next = isURL ? start : nextReference(in: bytes[end...])
        }
        return nil
    }

    /// Where a further URL begins in the rest of a path: a reference that was joined with a base is in the path of the
    /// URL that came of it.
    private static func nextReference(in path: Bytes) -> Int? {
        var position = path.startIndex
        while position < path.endIndex, !isPathEnd(path[position]) {
            if isSlash(path[position]), let colon = schemeEnd(in: path[(position + 1)...].prefix(6)),
                isKnown(path[(position + 1)..<colon])
            {
                return position + 1
            }
            position += 1
        }
        return nil
    }

    private static func range(in bytes: Bytes, authority place: Range<Int>, isAuthority: Bool) -> Range<Int>? {
        let authority = bytes[place]
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
            // Without a scheme and two slashes, `@scope` and `react@18` are names in a path; `bob:…@` is a person's.
            let isCredential = isAuthority || authority[..<at].dropFirst().contains(UInt8(ascii: ":"))
            guard isCredential, at > place.lowerBound else { return nil }
            // `bob@corp:` before a slash may be a name, and the slash the beginning of a password.
            let host = authority[(at + 1)...]
            let port = host.firstIndex(of: UInt8(ascii: ":")).map { host[($0 + 1)...] }
            let isOpen = port.map { $0.isEmpty || $0.contains { !$0.isDigit } } ?? false
            let later = isAuthority && isOpen ? bytes[place.upperBound...].lastIndex(of: UInt8(ascii: "@")) : nil
            return place.lowerBound..<(later ?? at)
        }
        let bracket = authority.lastIndex(of: UInt8(ascii: "]")) ?? place.lowerBound
        guard let colon = authority[bracket...].lastIndex(of: UInt8(ascii: ":")),
            colon > place.lowerBound || isAuthority
        else { return nil }
        let port = authority[(colon + 1)...]
        // A port that a template leaves open is none of a password.
        guard port.contains(where: { !$0.isDigit }), port.first != UInt8(ascii: "{") else { return nil }
        let rest = isAuthority ? bytes[place.upperBound...] : bytes[place.upperBound...].prefix { !isPathEnd($0) }
        if let at = rest.lastIndex(of: UInt8(ascii: "@")) { return place.lowerBound..<at }
        return isAuthority ? place : nil
    }

    /// Where an authority begins, and whether a scheme or two slashes say so.
    private static func authorityStart(in bytes: Bytes) -> (start: Int, isAuthority: Bool) {
        var start = bytes.firstIndex { $0 > 0x20 } ?? bytes.endIndex
        var hasScheme = false
        if let colon = schemeEnd(in: bytes[start...]) {
            hasScheme = bytes[(colon + 1)...].first.map(isSlash) ?? false || isKnown(bytes[start..<colon])
            if hasScheme { start = colon + 1 }
        }
        let slashes = bytes[start...].prefix(while: isSlash).count
        return (start + slashes, hasScheme || slashes >= 2)
    }

    /// The colon of a scheme at the beginning, RFC 3986 §3.1.
    private static func schemeEnd(in bytes: Bytes) -> Int? {
        let end = bytes.firstIndex {
            !($0.isLetterOrDigit || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "."))
        }
        return end.flatMap { bytes[$0] == UInt8(ascii: ":") ? $0 : nil }
    }

    /// Whether a scheme is one after which an authority is meant even if its slashes are missing.
    private static func isKnown(_ scheme: Bytes) -> Bool {
        let name = scheme.lazy.map(SecretNames.folded)
        return name.elementsEqual("https".utf8) || name.elementsEqual("http".utf8)
    }

    private static func isSlash(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") }

    private static func isPathEnd(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") }
}
