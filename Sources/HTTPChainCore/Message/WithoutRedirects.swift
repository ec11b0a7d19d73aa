/// Whether redirects of a request stay unfollowed, whoever follows them; see ``Request/withoutRedirects()``.
public enum WithoutRedirects: RequestOption {
    /// They are followed where a stage does so.
    public static var defaultValue: Bool { false }
}

extension Request {
    /// The request, none of whose redirects are followed: a 3xx is the response.
    ///
    /// For a request whose content is for one server alone, such as a refresh token. A stage or transport that follows
    /// redirects obeys; one that does so is recognized by ``TransportCapabilities/redirectsOnlyWhenAllowed``.
    public consuming func withoutRedirects() -> Request {
        options[WithoutRedirects.self] = true
        return self
    }
}

/// Whether cookies that a response sets were stored, so that the next request to the server differs from this one; set
/// by the stage that stores them.
public enum CookiesStored: ResponseOption {
    /// Nobody stored any.
    public static var defaultValue: Bool { false }
}
