import HTTPChainSupport

/// Encodes characters that aren't allowed in URLs, as a browser does (URL Standard of the WHATWG, §4.4 and §1.3).
///
/// - Spaces and control characters at both ends are removed, as are tabs and line breaks anywhere.
/// - Bytes that RFC 3986 doesn't allow in a path or query are percent-encoded, including the bytes of non-ASCII
///   characters.
/// - A non-ASCII host becomes its IDNA form (`xn--…`), and percent-encoded bytes in a host are decoded (``URLHost``).
///
/// A `%` is unchanged, because it may already be part of an escape. Template expressions (`{id}`, `{?q}`) are left for
/// the stage that expands them. A backslash is encoded, whereas a browser treats it as a slash.
enum URLEncoding {
    /// Returns the URL without the characters that the standard removes.
    static func trimmed(_ url: String) -> String {
        let isDropped = { (byte: UInt8) in byte == 0x09 || byte == 0x0A || byte == 0x0D }
        let isEdge = { (byte: UInt8) in byte <= 0x20 }
        guard
            contains(url, where: isDropped) || url.utf8.first.map(isEdge) == true
                || url.utf8.last.map(isEdge) == true
        else { return url }
        var bytes = Array(url.utf8.drop(while: isEdge))
        while let last = bytes.last, isEdge(last) { bytes.removeLast() }
        bytes.removeAll(where: isDropped)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns a path with its query, with invalid characters percent-encoded.
    static func path(_ path: String) -> String {
        guard contains(path, where: needsEncoding) else { return path }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(path.utf8.count + 16)
        var isInExpression = false
        for byte in path.utf8 {
            if byte == UInt8(ascii: "{") { isInExpression = true }
            if byte == UInt8(ascii: "}") { isInExpression = false }
            if needsEncoding(byte), !isInExpression {
                bytes.append(percentEncoding: byte)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns an authority with its host in ASCII, or unchanged if the host is invalid, for the transport to reject.
    static func authority(_ authority: String) -> String {
        authority.utf8.contains(UInt8(ascii: "{")) ? authority : Authority.inASCII(authority) ?? authority
    }

    private static func contains(_ text: String, where isMatch: (UInt8) -> Bool) -> Bool {
        text.utf8.withContiguousStorageIfAvailable { $0.contains(where: isMatch) } ?? text.utf8.contains(where: isMatch)
    }

    /// Whether a byte must be encoded because neither RFC 3986 §3.3 and §3.4 nor a template allow it.
    private static func needsEncoding(_ byte: UInt8) -> Bool {
        switch byte {
        case ...0x20, 0x7F..., UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"),
            UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "|"):
            true
        default:
            false
        }
    }
}
