public import HTTPChainCore

/// The redirect policy of one call, used instead of that of ``RedirectMiddleware``.
///
/// If redirects are off, it is ``RedirectPolicy/never``.
package enum RedirectOption: RequestOption {
    package typealias Value = CallSetting<RedirectPolicy>
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(".redirects(_:)", reader: "RedirectMiddleware()", phase: .redirect)
    }
    /// Returns whether a chain without the stage may ignore the value.
    package static func isHarmless(_ value: Value) -> Bool {
        if case .value(let policy) = value { policy.isNever } else { true }
    }
}

extension Request {
    /// Returns the request with its own redirect policy.
    ///
    /// ```swift
    /// let response = try await chain.send(.get("https://example.com/old").redirects(.never))
    /// ```
    ///
    /// With ``RedirectPolicy/never``, as with `redirects(false)`, no other stage or transport follows redirects either.
    public consuming func redirects(_ policy: RedirectPolicy) -> Request {
        options[RedirectOption.self] = .value(policy)
        if policy.isNever { options[NoRedirectsNote.self] = true }
        return self
    }
}
