public import HTTPChainCore

/// The cookies that a request carries, and why it doesn't carry others: ``CookieJar/explain(_:method:site:at:)``.
public struct CookieExplanation: Sendable, Hashable, CustomStringConvertible, DescribedValue {
    /// A cookie that the request does not carry.
    package struct Withheld: Sendable, Hashable {
        /// The cookie.
        package let cookie: Cookie
        /// The reason why the request does not carry it.
        package let reason: CookieReason
    }

    /// A cookie that is not in the jar, because it was never stored or is gone.
    ///
    /// Its value is not kept.
    package struct Absent: Sendable, Hashable, CustomStringConvertible {
        /// The reason why a cookie is not in the jar.
        package enum Cause: Sendable, Hashable {
            /// A `Set-Cookie` field was not stored.
            case refused(CookieReason)
            /// The cookie was in the jar, and was evicted, was removed, or has expired.
            case removed(CookieReason)
        }

        /// The first 256 bytes of the cookie's name; empty if it has none or could not be parsed.
        package let name: String
        /// The cookie's domain, or the responding host if the cookie was refused.
        package let domain: String
        /// The reason why it is not in the jar.
        package let cause: Cause

        /// One line: `refused, because …: sid of example.com`.
        package var description: String {
            let name = name.isEmpty ? "a cookie without a name" : name
            return switch cause {
            case .refused(let reason): "refused, because \(reason): \(name) of \(domain)"
            case .removed(let reason): "removed, because \(reason): \(name) of \(domain)"
            }
        }
    }

    /// The URL of the request, with secrets redacted.
    package let url: String
    /// The cookies that the request carries, in the order of the `Cookie` field.
    public let sent: [Cookie]
    /// The cookies of the host, and of the domains above it, that the request does not carry.
    package let withheld: [Withheld]
    /// The cookies of the host, and of the domains above it, that the jar refused or no longer has, latest last.
    ///
    /// A cookie that was refused or removed repeatedly for the same reason is listed once. It stays listed even if it
    /// is set again later.
    package let absent: [Absent]

    /// One line for each cookie, without values.
    package var words: String {
        let lines =
            sent.map { "  sent: \($0)" } + withheld.map { "  not sent, because \($0.reason): \($0.cookie)" }
            + absent.map { "  \($0)" }
        let title = "cookies for \(Redaction.standard.url(url)):"
        return ([title] + (lines.isEmpty ? ["  none"] : lines)).joined(separator: "\n")
    }
}
