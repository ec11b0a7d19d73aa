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

    /// Returns the request with redirects enabled or disabled.
    ///
    /// If they are disabled, a 3xx response is returned to the caller.
    ///
    /// Disable them if a request's content, such as a refresh token, is meant for only one server. Stages and
    /// transports that follow redirects respect this; such transports have the capability
    /// ``TransportCapabilities/redirectsOnlyWhenAllowed``. A chain over a transport that follows redirects without that
    /// capability throws ``UnreadOptionError``.
    public consuming func redirects(_ areAllowed: Bool) -> Request {
        options[NoRedirectsNote.self] = !areAllowed
        return self
    }
}
