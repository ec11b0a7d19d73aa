public import HTTPChainCore
import HTTPTypes

/// Whether no stage authenticates a request; set by ``HTTPChainCore/Request/authentication(_:)``.
package enum NoAuthenticationOption: RequestOption {
    /// The default value, `false`.
    package static var defaultValue: Bool { false }
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(".authentication(false)", reader: "an authentication stage", phase: .authenticate)
    }
    /// Always `true`: a chain without the stage adds no credentials.
    package static func isHarmless(_ value: Bool) -> Bool { true }
}

/// The name of the route that authenticates a request; see ``HTTPChainCore/Request/authentication(by:)``.
package enum AuthenticationRouteOption: RequestOption {
    /// The default value, `nil`: the route is chosen by the request's URL.
    package static var defaultValue: String? { nil }
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(".authentication(by:)", reader: "RoutedAuthMiddleware([…])", phase: .authenticate)
    }
    /// Returns whether a chain without the stage may ignore the value.
    package static func isHarmless(_ value: String?) -> Bool { value == nil }
}

extension Request {
    /// Returns the request with or without authentication.
    ///
    /// Without it, no authentication stage adds credentials or answers a challenge. Stages and closures of your own
    /// that set credentials ignore this; write an ``Authenticator`` for ``AuthenticationMiddleware`` instead.
    ///
    /// - Parameter isOn: Whether the request is authenticated; `true` undoes earlier choices, including that of a
    ///   route.
    public consuming func authentication(_ isOn: Bool) -> Request {
        if isOn {
            options.remove(NoAuthenticationOption.self)
            options.remove(CredentialChoiceNote.self)
        } else {
            options[NoAuthenticationOption.self] = true
            options[CredentialChoiceNote.self] = ChosenCredentials.none
        }
        if options.contains(AuthenticationRouteOption.self) { options[AuthenticationRouteOption.self] = nil }
        return self
    }

    /// Returns the request with the name of the route that authenticates it in a ``RoutedAuthMiddleware``.
    ///
    /// Credentials remain bound to their origins.
    public consuming func authentication(by name: String) -> Request {
        options[AuthenticationRouteOption.self] = name
        // The route's credentials may not be the user's.
        options[CredentialChoiceNote.self] = .other
        if options.contains(NoAuthenticationOption.self) { options[NoAuthenticationOption.self] = false }
        return self
    }

    /// Whether an authentication stage may add credentials: not if the request opted out, and not if the caller has
    /// already set some.
    ///
    /// - Parameter target: The party that asks for credentials.
    package func acceptsCredentials(for target: AuthenticationTarget) -> Bool {
        !head.headerFields.contains(target.requestField)
            && (!options.contains(NoAuthenticationOption.self) || !options[NoAuthenticationOption.self])
    }
}
