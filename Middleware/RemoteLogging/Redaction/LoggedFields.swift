/// The names of the header fields whose values are logged.
///
/// All others are logged with a placeholder.
///
/// ```swift
/// let fields = LoggedFields.standard.adding("X-Shard", "X-Feature-Flags")
/// ```
///
/// Fields that ``/HTTPChainCore/Redaction`` considers secret are redacted even if listed. Values that are shown are
/// also redacted as text and URLs, because fields such as `Location` and `Referer` may contain a token.
public struct LoggedFields: Sendable, Hashable, ExpressibleByArrayLiteral {
    private var names: Set<String>

    /// Makes a list of exactly these names, ignoring case.
    package init(_ names: some Sequence<String>) {
        self.names = Set(names.map { $0.lowercased() })
    }

    /// Makes a list of exactly these names, ignoring case.
    public init(arrayLiteral names: String...) {
        self.init(names)
    }

    /// Fields of HTTP itself that describe messages and caching, and fields that identify a request.
    public static let standard = LoggedFields([
        "accept", "accept-charset", "accept-encoding", "accept-language", "accept-patch", "accept-post",
        "accept-ranges", "age", "allow", "alt-svc", "cache-control", "cache-status", "cdn-cache-control", "connection",
        "content-disposition", "content-encoding", "content-language", "content-length", "content-location",
        "content-range", "content-type", "date", "deprecation", "etag", "expect", "expires", "host", "if-match",
        "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "last-modified", "link", "location",
        "origin", "pragma", "prefer", "preference-applied", "priority", "range", "ratelimit", "ratelimit-limit",
        "ratelimit-policy", "ratelimit-remaining", "ratelimit-reset", "referer", "retry-after", "server",
        "server-timing", "strict-transport-security", "sunset", "te", "traceparent", "trailer", "transfer-encoding",
        "upgrade", "user-agent", "vary", "via", "warning", "www-authenticate", "x-amzn-requestid", "x-cache",
        "x-correlation-id", "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "x-request-id",
    ])

    /// No values.
    package static let none: LoggedFields = []

    /// Returns the list with additional names.
    public func adding(_ names: String...) -> LoggedFields {
        LoggedFields(self.names.union(names.map { $0.lowercased() }))
    }

    func contains(_ canonicalName: String) -> Bool { names.contains(canonicalName) }
}
