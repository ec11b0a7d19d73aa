extension Redaction {
    /// The URL or reference without user information and with its secrets redacted: values of its query, its fragment
    /// (RFC 6749 §4.2.2 sends tokens there) and its path parameters, those of a URL within it, and segments of its path
    /// that look like keys.
    public func url(_ url: String) -> String {
        scanned(url, .url)
    }

    /// A URL that ``url(_:)`` has redacted as a URL still: with `REDACTED` for each secret, and twice in the place of
    /// user information, which has two parts (OpenTelemetry's conventions, `url.full`).
    package static func keepingURLSyntax(_ redacted: String) -> String {
        guard redacted.contains(placeholder) else { return redacted }
        var text = redacted.replacing(placeholder, with: "REDACTED")
        if let start = text.firstRange(of: "://")?.upperBound, text[start...].hasPrefix("REDACTED@") {
            text.insert(contentsOf: "REDACTED:", at: start)
        }
        return text
    }
}
