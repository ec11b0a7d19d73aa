package import HTTPTypes

/// The signs that a server, or the way to it, has too much to do: one answer for all stages that go by it.
package enum OverloadSigns {
    /// Whether a response says so: 429 (RFC 6585 §4), 503 and 504 (RFC 9110 §15.6.4, §15.6.5).
    package static func has(_ status: HTTPResponse.Status) -> Bool {
        let code = status.code
        return code == 429 || code == 503 || code == 504
    }

    /// Whether the failure of a transport says so: no connection, a lost one, or no answer in time.
    package static func has(_ error: TransportError) -> Bool {
        switch error.kind {
        case .cannotConnect, .connectionLost, .timedOut: true
        default: false
        }
    }
}
