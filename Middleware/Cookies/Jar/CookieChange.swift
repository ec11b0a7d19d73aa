public import HTTPChainCore

/// A change in a ``CookieJar``, with the cookie in its current or last state.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum CookieChange: Sendable, Hashable, CustomStringConvertible, DescribedValue {
    /// The cookie is new.
    case added(Cookie)
    /// The cookie replaced the one with the same name, domain and path.
    case replaced(Cookie)
    /// The cookie was removed by its server or by the application, has expired, or was evicted.
    case removed(Cookie, CookieReason)

    /// The change on one line, without the value.
    package var words: String {
        switch self {
        case .added(let cookie): "added \(cookie)"
        case .replaced(let cookie): "replaced \(cookie)"
        case .removed(let cookie, let reason): "removed \(cookie), because \(reason)"
        }
    }
}
