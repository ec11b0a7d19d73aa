/// A change of what a ``CookieJar`` holds.
public struct CookieChange: Sendable, Hashable, CustomStringConvertible {
    /// A kind of change.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Kind: Sendable, Hashable {
        /// It is new.
        case added
        /// It took the place of the one with its name, domain and path.
        case replaced
        /// It is gone: removed by its server or by the application, ended, or evicted.
        case removed(CookieReason)
    }

    /// A description of what happened.
    public let kind: Kind
    /// The cookie, as it is now or as it was last.
    public let cookie: Cookie

    init(_ effect: CookieStorage.Effect) {
        switch effect {
        case .added(let cookie): (kind, self.cookie) = (.added, cookie)
        case .replaced(let cookie): (kind, self.cookie) = (.replaced, cookie)
        case .removed(let cookie, let reason): (kind, self.cookie) = (.removed(reason), cookie)
        }
    }

    /// One line without the value.
    public var description: String {
        switch kind {
        case .added: "added \(cookie)"
        case .replaced: "replaced \(cookie)"
        case .removed(let reason): "removed \(cookie), because \(reason)"
        }
    }
}
