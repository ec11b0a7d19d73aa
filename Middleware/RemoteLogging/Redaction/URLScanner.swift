import HTTPChainCore

/// Finds URLs in text, and replaces each by what is made of it.
struct URLScanner {
    private let text: String
    private let isCutOff: Bool
    private let redact: (String) -> String

    init(_ text: String, isCutOff: Bool, redact: @escaping (String) -> String) {
        self.text = text
        self.isCutOff = isCutOff
        self.redact = redact
    }

    mutating func redacted() -> String {
        let utf8 = text.utf8
        var result = ""
        var copied = utf8.startIndex
        var position = utf8.startIndex
        while let colon = utf8[position...].firstIndex(of: UInt8(ascii: ":")) {
            position = utf8.index(after: colon)
            // Some write JSON with every slash escaped.
            guard utf8[position...].starts(with: "//".utf8) || utf8[position...].starts(with: "\\/\\/".utf8) else {
                continue
            }
            let end = utf8[position...].firstIndex(where: Self.endsURL) ?? utf8.endIndex
            let url = String(Substring(utf8[colon..<end]))
            let plain = url.replacing("\\/", with: "/")
            // Where the text ends within the authority, what looks like a host may be user information.
            let isOpen =
                isCutOff && end == utf8.endIndex && !plain.utf8.dropFirst(3).contains(where: Self.endsAuthority)
            let redacted = isOpen ? "://" + Redaction.placeholder : redact(plain)
            if redacted != plain {
                result += Substring(utf8[copied..<colon]) + redacted
                copied = end
            }
            position = end
        }
        if copied == utf8.startIndex { return text }
        return result + Substring(utf8[copied...])
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool { "/?#".utf8.contains(byte) }

    private static func endsURL(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte == 0x7F || "\"'<>`".utf8.contains(byte)
    }
}
