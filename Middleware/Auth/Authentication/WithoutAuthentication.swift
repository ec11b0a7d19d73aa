public import HTTPChainCore
import HTTPTypes

/// Whether no stage authenticates a request; see ``HTTPChainCore/Request/unauthenticated()``.
package enum WithoutAuthentication: RequestOption {
    /// `false`.
    package static var defaultValue: Bool { false }
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(".unauthenticated()", reader: "an authentication stage", phase: .authenticate)
    }
    /// Returns whether a chain without the stage may ignore the value: always, because it adds no credentials.
    package static func isHarmless(_ value: Bool) -> Bool { true }
}

/// The name of the route that authenticates a request; see ``HTTPChainCore/Request/authenticated(by:)``.
package enum AuthenticationRoute: RequestOption {
    /// `nil`: the route that serves the request's URL.
    package static var defaultValue: String? { nil }
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(".authenticated(by:)", reader: "RoutedAuthMiddleware([…])", phase: .authenticate)
    }
    /// Returns whether a chain without the stage may ignore the value.
    package static func isHarmless(_ value: String?) -> Bool { value == nil }
}

extension Request {
    /// Returns the request without authentication: no authentication stage adds credentials or answers a challenge.
    ///
    /// Custom stages and closures that set credentials ignore it. Use ``AuthenticationMiddleware`` with a custom
    /// ``Authenticator`` instead.
    public consuming func unauthenticated() -> Request {
        options[WithoutAuthentication.self] = true
        options[CredentialChoice.self] = ChosenCredentials.none
        if options.contains(AuthenticationRoute.self) { options[AuthenticationRoute.self] = nil }
        return self
    }

    /// Returns the request, to be authenticated by the route of a ``RoutedAuthMiddleware`` with the given name.
    ///
    /// Credentials remain bound to their origins.
    public consuming func authenticated(by name: String) -> Request {
        options[AuthenticationRoute.self] = name
        // Those of the route may not be the user's.
        options[CredentialChoice.self] = .other
        if options.contains(WithoutAuthentication.self) { options[WithoutAuthentication.self] = false }
        return self
    }

    /// Whether an authentication stage may add credentials: not if the request opted out, and not if the caller has
    /// already set some.
    ///
    /// - Parameter target: The party that asks for credentials.
    package func acceptsCredentials(for target: AuthenticationTarget) -> Bool {
        !head.headerFields.contains(target.requestField)
            && (!options.contains(WithoutAuthentication.self) || !options[WithoutAuthentication.self])
    }
}
