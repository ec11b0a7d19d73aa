/// The treatment of a request while there is no open session.
public enum SessionlessRequests: Sendable, Hashable, CustomStringConvertible {
    /// A session is opened for it; it waits for that.
    case openSession
    /// It goes out undecorated, until the application opens a session
    /// (``SessionAuthMiddleware/openSession(in:)``, ``SessionAuthMiddleware/replaceSession(with:)``).
    case sendUndecorated
    /// It fails with ``SessionAuthError/Problem/noSession``, until the application opens a session.
    case fail

    /// The treatment, in a word or two.
    public var description: String {
        switch self {
        case .openSession: "open a session"
        case .sendUndecorated: "send undecorated"
        case .fail: "fail"
        }
    }
}
