public import HTTPChainCore

/// The redirect policy of one call, instead of that of ``RedirectMiddleware``.
public enum CallRedirects: RequestOption {
    /// The stage's policy.
    public static var defaultValue: RedirectPolicy? { nil }
}

extension Request {
    /// Returns the request with its own redirect policy.
    ///
    /// ```swift
    /// let response = try await chain.send(.get("https://example.com/old").redirects(.never))
    /// ```
    ///
    /// With ``RedirectPolicy/never``, no other stage or transport follows redirects either
    /// (``/HTTPChainCore/Request/withoutRedirects()``).
    public consuming func redirects(_ policy: RedirectPolicy) -> Request {
        options[CallRedirects.self] = policy
        if policy.isNever { options[WithoutRedirects.self] = true }
        return self
    }
}
