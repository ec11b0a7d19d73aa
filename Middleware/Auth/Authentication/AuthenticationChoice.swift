public import HTTPChainCore
import HTTPTypes

/// Whether and how a request is authenticated; see ``HTTPChainCore/Request/unauthenticated()`` and
/// ``HTTPChainCore/Request/authenticated(by:)``.
///
/// The value is the name of the route that authenticates it.
package enum AuthenticationChoice: RequestOption {
    /// Authenticates as the stages are configured.
    package static var defaultValue: CallSetting<String> { .standard }
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(".authenticated(by:)", reader: "an authentication stage", phase: .authenticate)
    }
    /// Returns whether a chain without the stage may ignore the value.
    package static func isHarmless(_ value: Value) -> Bool {
        value.needsNoStage
    }
}

extension Request {
    /// Returns the request without authentication: no stage adds credentials to it or answers a challenge.
    public consuming func unauthenticated() -> Request {
        options[AuthenticationChoice.self] = .off
        return self
    }

    /// Returns the request, to be authenticated by the route with the given name.
    ///
    /// Credentials remain bound to their origins.
    public consuming func authenticated(by name: String) -> Request {
        options[AuthenticationChoice.self] = .value(name)
        return self
    }

    /// Whether an authentication stage may add credentials: not if the request opted out, and not if the caller has
    /// already set some.
    ///
    /// - Parameter target: The party that asks for credentials.
    package func acceptsCredentials(for target: AuthenticationTarget) -> Bool {
        !head.headerFields.contains(target.requestField)
            && (!options.contains(AuthenticationChoice.self) || options[AuthenticationChoice.self] != .off)
    }
}
