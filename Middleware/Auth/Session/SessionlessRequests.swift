public import HTTPChainCore

/// The treatment of a request while there is no open session.
public enum SessionlessRequests: Sendable, Hashable {
    /// Opens a session for the request, which waits for it.
    case openSession
    /// Sends the request undecorated, until the application opens a session
    /// (``SessionAuthMiddleware/openSession(in:)``, ``SessionAuthMiddleware/replaceSession(with:)``).
    case sendUndecorated
    /// Fails with ``AuthenticationError/Problem/noSession``, until the application opens a session.
    case fail
}

extension SessionlessRequests: CustomStringConvertible, DescribedValue {
    /// A short name of the treatment.
    package var words: String {
        switch self {
        case .openSession: "open a session"
        case .sendUndecorated: "send undecorated"
        case .fail: "fail"
        }
    }
}
