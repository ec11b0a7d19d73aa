public import HTTPChainCore
import HTTPTypes

/// Whether one request is authenticated, and by what; see ``HTTPChainCore/Request/unauthenticated()`` and
/// ``HTTPChainCore/Request/authenticated(by:)``.
public enum AuthenticationChoice: RequestOption {
    /// A choice of one request.
    public enum Value: Sendable, Hashable {
        /// As the stages are set.
        case automatic
        /// By the route of that name.
        case named(String)
        /// Not at all.
        case none
    }

    /// As the stages are set.
    public static var defaultValue: Value { .automatic }
}

extension Request {
    /// The request, to be sent without credentials: no authentication stage adds any or answers a challenge.
    public consuming func unauthenticated() -> Request {
        options[AuthenticationChoice.self] = .none
        return self
    }

    /// The request, to be authenticated by the route of that name.
    ///
    /// Credentials stay bound to their origins.
    public consuming func authenticated(by name: String) -> Request {
        options[AuthenticationChoice.self] = .named(name)
        return self
    }

    /// Whether a stage that authenticates may touch this request: not when it is to stay without credentials, and not
    /// when it has some already, which the caller set by hand.
    ///
    /// - Parameter target: Whose credentials.
    public func acceptsCredentials(for target: AuthenticationTarget) -> Bool {
        !head.headerFields.contains(target.requestField)
            && (!options.contains(AuthenticationChoice.self) || options[AuthenticationChoice.self] != .none)
    }
}
