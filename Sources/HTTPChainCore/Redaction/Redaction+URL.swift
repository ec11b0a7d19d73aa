extension Redaction {
    /// The URL or reference without user information and with its secrets redacted: values of its query, its fragment
    /// (RFC 6749 §4.2.2 sends tokens there) and its path parameters, those of a URL within it, and segments of its path
    /// that look like keys.
    public func url(_ url: String) -> String {
        scanned(url, .url)
    }
}
