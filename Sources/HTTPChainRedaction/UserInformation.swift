import HTTPChainSupport

/// The user information of a URL, which may be malformed: a person may see a password in text in which a parser finds
/// no authority.
struct UserInformation {
    private typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

    private let bytes: Bytes
    /// The last `@`, and the last `@` before a query or a fragment; a password may extend up to either.
    private let lastAt: Int?
    private let lastAtOfPath: Int?

    /// Returns the range before the `@`.
    ///
    /// If no `@` follows, but the text in the place of an authority may be user information, returns the range of that
    /// text.
    ///
    /// - Returns: nil if there is none.
    static func range(in url: String) -> Range<Int>? {
        url.utf8.withContiguousStorageIfAvailable { UserInformation($0[...]).range() }
            ?? Array(url.utf8).withUnsafeBufferPointer { UserInformation($0[...]).range() }
    }

    private init(_ bytes: Bytes) {
        self.bytes = bytes
        lastAt = bytes.lastIndex(of: UInt8(ascii: "@"))
        lastAtOfPath = bytes.prefix { !Self.isPathEnd($0) }.lastIndex(of: UInt8(ascii: "@"))
    }

    private func range() -> Range<Int>? {
        var next: Int? = bytes.startIndex
        while let beginning = next {
            let rest = bytes[beginning...]
            let (start, isAuthority) = Self.authorityStart(in: rest)
            let end = rest[start...].firstIndex { Self.isSlash($0) || Self.isPathEnd($0) } ?? rest.endIndex
            if let found = range(authority: start..<end, isAuthority: isAuthority) { return found }
            // The text in the place of an authority may be a whole URL.
            let isURL = start > beginning && Self.schemeEnd(in: rest[start..<end]) == end - 1
            next = isURL ? start : nextReference(from: end)
        }
        return nil
    }

    /// Returns the start of another URL in the rest of a path, for a URL made by joining a base with an absolute URL.
    private func nextReference(from end: Int) -> Int? {
        var segment = end
        var position = end
        while position < bytes.endIndex, !Self.isPathEnd(bytes[position]) {
            if Self.isSlash(bytes[position]) {
                segment = position + 1
                if let colon = Self.schemeEnd(in: bytes[segment...].prefix(6)), Self.isKnown(bytes[segment..<colon]) {
                    return segment
                }
            } else if segment > end, Self.isAuthorityMark(bytes[position...]) {
                return segment
            }
            position += 1
        }
        return nil
    }

    private func range(authority place: Range<Int>, isAuthority: Bool) -> Range<Int>? {
        let authority = bytes[place]
        let at = authority.lastIndex(of: UInt8(ascii: "@"))
        let user = authority[..<(at ?? place.lowerBound)]
        if at != nil {
            // Without a scheme and two slashes, `@scope` and `react@18` are names in a path, but `bob:…@` is user
            // information.
            let isCredential = isAuthority || user.dropFirst().contains(UInt8(ascii: ":"))
            guard isCredential, !user.isEmpty else { return nil }
        }
        let known = at.map { place.lowerBound..<$0 }
        guard let port = Self.port(of: authority[(at.map { $0 + 1 } ?? place.lowerBound)...]) else { return known }
        // `bob:` before a slash may be a user name, and the slash the beginning of a password. The same is true of
        // `bob@corp:`.
        guard !port.isNumber, isAuthority || at == nil && !port.isEmpty && port.colon > place.lowerBound else {
            return known
        }
        if let later = isAuthority ? lastAt : lastAtOfPath, later >= place.upperBound {
            return place.lowerBound..<later
        }
        let isSecret = isAuthority && !port.mayBeOpen && !user.contains(UInt8(ascii: ":"))
        return isSecret ? place : known
    }

    /// The part of an authority after the colon of its host.
    private struct Port {
        let colon: Int
        let isEmpty: Bool
        let isNumber: Bool
        /// Whether it may not be a port, because a template doesn't determine it, or because the host is an IPv6
        /// address without brackets.
        let mayBeOpen: Bool
    }

    private static func port(of host: Bytes) -> Port? {
        let isBracketed = host.first == UInt8(ascii: "[")
        let name = isBracketed ? host.lastIndex(of: UInt8(ascii: "]")) ?? host.endIndex : host.startIndex
        guard let colon = host[name...].firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let port = host[(colon + 1)...]
        let isTemplate = port.first == UInt8(ascii: "{") && port.last == UInt8(ascii: "}")
        let isAddress =
            port.contains(UInt8(ascii: ":"))
            && host.allSatisfy { $0.hexadecimalValue != nil || $0 == UInt8(ascii: ":") }
        return Port(
            colon: colon,
            isEmpty: port.isEmpty,
            isNumber: !port.isEmpty && port.allSatisfy(\.isDigit),
            mayBeOpen: port.isEmpty || isTemplate || isAddress
        )
    }

    /// Returns the start of an authority, and whether a scheme or two slashes precede it.
    private static func authorityStart(in bytes: Bytes) -> (start: Int, isAuthority: Bool) {
        var start = bytes.firstIndex { $0 > 0x20 } ?? bytes.endIndex
        var hasScheme = false
        if let colon = schemeEnd(in: bytes[start...]) {
            hasScheme = bytes[(colon + 1)...].first.map(isSlash) ?? false || isKnown(bytes[start..<colon])
            if hasScheme { start = colon + 1 }
        } else if let colon = bytes[start...].firstIndex(where: {
            $0 == UInt8(ascii: ":") || isSlash($0) || isPathEnd($0)
        }),
            isAuthorityMark(bytes[colon...])
        {
            // The text before the slashes isn't a valid scheme, but was probably meant to be one.
            hasScheme = true
            start = colon + 1
        }
        let slashes = bytes[start...].prefix(while: isSlash).count
        return (start + slashes, hasScheme || slashes >= 2)
    }

    /// Whether the bytes begin with a colon and two slashes.
    private static func isAuthorityMark(_ bytes: Bytes) -> Bool {
        bytes.first == UInt8(ascii: ":") && bytes.dropFirst().prefix(2).prefix(while: isSlash).count == 2
    }

    /// Returns the colon of a scheme at the start, RFC 3986 §3.1.
    private static func schemeEnd(in bytes: Bytes) -> Int? {
        let end = bytes.firstIndex {
            !($0.isLetterOrDigit || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "."))
        }
        return end.flatMap { bytes[$0] == UInt8(ascii: ":") ? $0 : nil }
    }

    /// Whether an authority follows this scheme even if the slashes are missing.
    private static func isKnown(_ scheme: Bytes) -> Bool {
        let name = scheme.lazy.map(SecretNames.folded)
        return name.elementsEqual("https".utf8) || name.elementsEqual("http".utf8)
    }

    private static func isSlash(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") }

    private static func isPathEnd(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") }
}
