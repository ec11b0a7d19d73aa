/// Whether a request's redirects are not followed, by any stage or transport; see ``Request/withoutRedirects()``.
package enum WithoutRedirects: RequestOption, RequestNote {
    /// Redirects are followed if a stage does so.
    package static var defaultValue: Bool { false }
}

extension Request {
    /// Whether stages and transports may follow redirects; false after ``withoutRedirects()``.
    public var followsRedirects: Bool { !options[WithoutRedirects.self] }

    /// Returns the request with redirects disabled, so that a 3xx response is returned.
    ///
    /// Use this if a request's content is only meant for one server, such as a refresh token. Stages and transports
    /// that follow redirects respect this; such transports have the capability
    /// ``TransportCapabilities/redirectsOnlyWhenAllowed``.
    public consuming func withoutRedirects() -> Request {
        options[WithoutRedirects.self] = true
        return self
    }
}

/// Whether cookies set by a response were stored, so that the next request to the server differs from this one.
///
/// Set by the stage that stores them.
package enum CookiesStored: ResponseOption {
    /// No cookies were stored.
    package static var defaultValue: Bool { false }
}
