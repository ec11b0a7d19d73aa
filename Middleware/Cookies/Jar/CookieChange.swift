/// A change in a ``CookieJar``.
public struct CookieChange: Sendable, Hashable, CustomStringConvertible {
    /// A kind of change.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Kind: Sendable, Hashable {
        /// The cookie is new.
        case added
        /// The cookie replaced the one with the same name, domain and path.
        case replaced
        /// The cookie is gone: removed by its server or by the application, expired, or evicted.
        case removed(CookieReason)
    }

    /// A description of what happened.
    public let kind: Kind
    /// The cookie, in its current or last state.
    public let cookie: Cookie

    init(_ effect: CookieStorage.Effect) {
        switch effect {
        case .added(let cookie): (kind, self.cookie) = (.added, cookie)
        case .replaced(let cookie): (kind, self.cookie) = (.replaced, cookie)
        case .removed(let cookie, let reason): (kind, self.cookie) = (.removed(reason), cookie)
        }
    }

    /// The change on one line, without the value.
    public var description: String {
        switch kind {
        case .added: "added \(cookie)"
        case .replaced: "replaced \(cookie)"
        case .removed(let reason): "removed \(cookie), because \(reason)"
        }
    }
}
