/// Which cookies a request carries, and why it does not carry others: ``CookieJar/explain(_:method:site:at:)``.
public struct CookieExplanation: Sendable, Hashable, CustomStringConvertible {
    /// A cookie that the request does not carry.
    public struct Withheld: Sendable, Hashable {
        /// The cookie.
        public let cookie: Cookie
        /// Why not.
        public let reason: CookieReason
    }

    /// The URL asked for, secrets redacted.
    public let url: String
    /// The cookies that the request carries, in the order of the `Cookie` field.
    public let sent: [Cookie]
    /// The cookies of the host, and of the domains above it, that the request does not carry.
    public let withheld: [Withheld]

    /// One line for each cookie, without values.
    public var description: String {
        let lines = sent.map { "  sent: \($0)" } + withheld.map { "  not sent, because \($0.reason): \($0.cookie)" }
        return (["cookies for \(url):"] + (lines.isEmpty ? ["  none"] : lines)).joined(separator: "\n")
    }
}
