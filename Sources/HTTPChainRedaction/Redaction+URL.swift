import HTTPChainSupport

extension Redaction {
    /// Returns a URL or reference without user information and with its secrets redacted.
    ///
    /// Secrets are values in the query, the fragment (RFC 6749 §4.2.2 sends tokens there), the path parameters and a
    /// nested URL, and path segments that look like keys. If the text after a scheme or two slashes isn't a host with a
    /// port, everything up to the last `@` is treated as user information, because a password may contain a slash, a
    /// backslash or a number sign, although it shouldn't. Only the first 16 KiB of a URL are examined and returned.
    public func url(_ url: String) -> String {
        self.url(url, upTo: Self.longestShown)
    }

    /// Redacts a URL with a different limit, in bytes.
    package func url(_ url: String, upTo limit: Int) -> String {
        guard let beginning = url.beginning(upTo: limit) else { return scanned(withoutUserInformation(url), .url) }
        return scanned(withoutUserInformation(beginning), .url, isCutOff: true)
    }

    func withoutUserInformation(_ url: String) -> String {
        guard let userInformation = UserInformation.range(in: url) else { return url }
        let bytes = url.utf8
        let start = bytes.index(bytes.startIndex, offsetBy: userInformation.lowerBound)
        let end = bytes.index(bytes.startIndex, offsetBy: userInformation.upperBound)
        return String(url[..<start]) + Self.placeholder + String(url[end...])
    }

    /// Returns the authority of a URL, or whatever text is in its place, without user information.
    package func authority(_ authority: String) -> String {
        String(Substring(url("//" + authority).utf8.dropFirst(2)))
    }

    /// Makes a URL that ``url(_:)`` has redacted valid again: each secret becomes `REDACTED`, and user information
    /// becomes it twice, because it has two parts (OpenTelemetry's conventions, `url.full`).
    package static func keepingURLSyntax(_ redacted: String) -> String {
        guard redacted.includes(placeholder) else { return redacted }
        let text = String(
            redacted.unicodeScalars.replacing(placeholder.unicodeScalars, with: "REDACTED".unicodeScalars)
        )
        guard let start = text.utf8.firstRange(of: "://".utf8)?.upperBound, text[start...].begins(with: "REDACTED@")
        else {
            return text
        }
        return text[..<start] + "REDACTED:" + text[start...]
    }

    /// Whether a whole text is an absolute URL, without spaces, quotes and braces.
    package static func isURL(_ text: String) -> Bool {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), colon > text.startIndex else { return false }
        return text.utf8[colon...].starts(with: "://".utf8)
            && text.utf8[..<colon].allSatisfy { $0.isLetterOrDigit || "+-.".utf8.contains($0) }
            && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && !notInURL.contains($0) }
    }

    private static let notInURL = ByteSet("\"'`{}")
}
