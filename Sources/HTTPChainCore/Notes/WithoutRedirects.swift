/// Whether a request's redirects are not followed, by any stage or transport; see ``Request/withoutRedirects()``.
package enum WithoutRedirects: RequestOption, RequestNote, TransportSwitch {
    /// Redirects are followed if a stage does so.
    package static var defaultValue: Bool { false }
    /// The methods that set the option.
    package static var usage: OptionUsage { OptionUsage(".withoutRedirects() or .redirects(.never)") }
    /// The capability of transports that follow redirects.
    package static var doneBy: TransportCapabilities { .followsRedirects }
    /// Returns whether redirects may not be followed.
    package static func forbids(_ value: Bool) -> Bool { value }
}

extension Request {
    /// Whether stages and transports may follow redirects; false after ``withoutRedirects()``.
    public var followsRedirects: Bool { !options[WithoutRedirects.self] }

    /// Returns the request with redirects disabled, so that a 3xx response is returned.
    ///
    /// Use this if a request's content is only meant for one server, such as a refresh token. Stages and transports
    /// that follow redirects respect this; such transports have the capability
    /// ``TransportCapabilities/redirectsOnlyWhenAllowed``. A chain over a transport that follows them without it throws
    /// ``UnreadOptionError``.
    public consuming func withoutRedirects() -> Request {
        options[WithoutRedirects.self] = true
        return self
    }
}
