import HTTPChainCore

/// The cookies that a request carries, and why it does not carry others: ``CookieJar/explain(_:method:site:at:)``.
public struct CookieExplanation: Sendable, Hashable, CustomStringConvertible {
    /// A cookie that the request does not carry.
    public struct Withheld: Sendable, Hashable {
        /// The cookie.
        public let cookie: Cookie
        /// Why not.
        public let reason: CookieReason
    }

    /// A cookie that is not in the jar: it was never stored, or is gone.
    ///
    /// Its value is not kept.
    public struct Absent: Sendable, Hashable, CustomStringConvertible {
        /// Why a cookie is not in the jar.
        #if hasAttribute(nonexhaustive)
        @nonexhaustive
        #endif
        public enum Cause: Sendable, Hashable {
            /// A `Set-Cookie` field was not stored.
            case refused(CookieReason)
            /// The cookie was in the jar and is gone: evicted, ended, or removed.
            case removed(CookieReason)
        }

        /// The cookie's name, its first 256 bytes; empty where it has none or could not be read.
        public let name: String
        /// The cookie's domain; for one that was refused, the host that answered.
        public let domain: String
        /// Why it is not in the jar.
        public let cause: Cause

        /// One line: `refused, because …: sid of example.com`.
        public var description: String {
            let name = name.isEmpty ? "a cookie without a name" : name
            return switch cause {
            case .refused(let reason): "refused, because \(reason): \(name) of \(domain)"
            case .removed(let reason): "removed, because \(reason): \(name) of \(domain)"
            }
        }
    }

    /// The URL asked for, secrets redacted.
    public let url: String
    /// The cookies that the request carries, in the order of the `Cookie` field.
    public let sent: [Cookie]
    /// The cookies of the host, and of the domains above it, that the request does not carry.
    public let withheld: [Withheld]
    /// The cookies of the host, and of the domains above it, that the jar refused or no longer has, the latest last.
    ///
    /// One that was refused or removed twice for the same reason is in the list once. It stays in the list when it is
    /// set again later.
    public let absent: [Absent]

    /// One line for each cookie, without values.
    public var description: String {
        let lines =
            sent.map { "  sent: \($0)" } + withheld.map { "  not sent, because \($0.reason): \($0.cookie)" }
            + absent.map { "  \($0)" }
        let title = "cookies for \(Redaction.standard.url(url)):"
        return ([title] + (lines.isEmpty ? ["  none"] : lines)).joined(separator: "\n")
    }
}
