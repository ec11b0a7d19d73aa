extension Redaction {
    /// The URL or reference without user information and with its secrets redacted: values of its query, its fragment
    /// (RFC 6749 §4.2.2 sends tokens there) and its path parameters, those of a URL within it, and segments of its path
    /// that look like keys.
    ///
    /// If what follows a scheme or two slashes is not a host with a port, it is taken for user information up to the last
    /// `@`: a password may hold a slash, a backslash or a number sign, although none should. Of a URL of more than 16 KiB
    /// the beginning is looked at and returned.
    public func url(_ url: String) -> String {
        self.url(url, upTo: Self.longestShown)
    }

    /// The same with another limit, in bytes.
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

    /// The authority of a URL, or what was written in its place, without user information.
    package func authority(_ authority: String) -> String {
        String(Substring(url("//" + authority).utf8.dropFirst(2)))
    }

    /// A URL that ``url(_:)`` has redacted as a URL still: with `REDACTED` for each secret, and twice in the place of
    /// user information, which has two parts (OpenTelemetry's conventions, `url.full`).
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
}
