/// Whether a request's redirects are not followed, by any stage or transport; see ``Request/redirects(_:)``.
package enum NoRedirectsNote: RequestOption, RequestNote, TransportSwitch {
    /// Redirects are followed if a stage does so.
    package static var defaultValue: Bool { false }
    /// The methods that set the option.
    package static var usage: OptionUsage { OptionUsage(".redirects(false) or .redirects(.never)") }
    /// The capability of transports that follow redirects.
    package static var doneBy: TransportCapabilities { .followsRedirects }
    /// Returns whether redirects may not be followed.
    package static func forbids(_ value: Bool) -> Bool { value }
}

extension Request {
    /// Whether stages and transports may follow redirects; set by ``redirects(_:)``.
    public var followsRedirects: Bool { !options[NoRedirectsNote.self] }

    /// Returns the request with redirects allowed, or disabled, so that a 3xx response is returned.
    ///
    /// Disable them if a request's content is only meant for one server, such as a refresh token. Stages and transports
    /// that follow redirects respect this; such transports have the capability
    /// ``TransportCapabilities/redirectsOnlyWhenAllowed``. A chain over a transport that follows them without it throws
    /// ``UnreadOptionError``.
    public consuming func redirects(_ areAllowed: Bool) -> Request {
        options[NoRedirectsNote.self] = !areAllowed
        return self
    }
}
