import HTTPChainSupport

/// The form that a browser gives the characters that a URL may not hold (URL Standard of the WHATWG, §4.4 and §1.3).
///
/// - Spaces and control characters at both ends are dropped, and so are tabs and line breaks anywhere.
/// - Bytes that RFC 3986 allows nowhere in a path or query are percent-encoded, those of characters outside ASCII too.
/// - A host outside ASCII becomes its IDNA form (`xn--…`), and one with percent-encoded bytes is decoded (``URLHost``).
///
/// A `%` stays as it is: nobody can tell whether it was meant as an escape. Template expressions (`{id}`, `{?q}`) stay
/// for the stage that expands them. A backslash is encoded; a browser takes it for a slash.
enum URLEncoding {
    /// The URL without what the standard drops.
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

    /// A path with its query, with what is not valid percent-encoded.
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

    /// An authority with its host in ASCII; unchanged if its host is not valid, for the transport to refuse.
    static func authority(_ authority: String) -> String {
        authority.utf8.contains(UInt8(ascii: "{")) ? authority : Authority.inASCII(authority) ?? authority
    }

    private static func contains(_ text: String, where isMatch: (UInt8) -> Bool) -> Bool {
        text.utf8.withContiguousStorageIfAvailable { $0.contains(where: isMatch) } ?? text.utf8.contains(where: isMatch)
    }

    /// Whether a byte is one that neither RFC 3986 §3.3 and §3.4 nor a template allow as it is.
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
