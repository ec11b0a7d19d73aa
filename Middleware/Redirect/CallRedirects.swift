public import HTTPChainCore

/// The redirects that one call follows, in place of what ``RedirectMiddleware`` follows.
public enum CallRedirects: RequestOption {
    /// No policy of the call's own: that of the stage.
    public static var defaultValue: RedirectPolicy? { nil }
}

extension Request {
    /// The request with a policy for redirects of its own.
    ///
    /// ```swift
    /// let response = try await chain.send(.get("https://example.com/old").redirects(.never))
    /// ```
    ///
    /// With ``RedirectPolicy/never`` no other stage or transport follows them either
    /// (``/HTTPChainCore/Request/withoutRedirects()``).
    public consuming func redirects(_ policy: RedirectPolicy) -> Request {
        options[CallRedirects.self] = policy
        if policy.isNever { options[WithoutRedirects.self] = true }
        return self
    }
}
