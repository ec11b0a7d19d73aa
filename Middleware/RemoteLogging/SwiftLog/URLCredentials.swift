import HTTPChainCore

/// User information in URLs that stand in running text: `https://ada:secret@example.com`.
enum URLCredentials {
    /// The text with the user information of every URL blotted out.
    static func redacted(in text: String) -> String {
        let bytes = text.utf8
        guard bytes.contains(UInt8(ascii: "@")) else { return text }
        var result = ""
        var rest = Substring(text)
        while let start = rest.utf8.authorityStart {
            result += rest[..<start]
            let end = rest.utf8[start...].firstIndex(where: \.endsAuthority) ?? rest.endIndex
            let authority = rest.utf8[start..<end]
            if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
                result += Redaction.placeholder
                rest = rest[at...]
            } else {
                rest = rest[start...]
            }
        }
        return result + rest
    }
}

extension Substring.UTF8View {
    /// Where the bytes after the first `://` begin.
    fileprivate var authorityStart: Index? {
        var position = startIndex
        while let colon = self[position...].firstIndex(of: UInt8(ascii: ":")) {
            position = index(after: colon)
            if self[position...].starts(with: "//".utf8) { return index(position, offsetBy: 2) }
        }
        return nil
    }
}

extension UInt8 {
    /// Whether it ends the authority of a URL, or the URL in its text.
    fileprivate var endsAuthority: Bool {
        switch self {
        case ...0x20, UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "\""), UInt8(ascii: "<"),
            UInt8(ascii: ">"):
            true
        default: false
        }
    }
}
