package import HTTPTypes

/// Signs that a server, or the path to it, is overloaded: one definition for all stages that react to them.
package enum OverloadSigns {
    /// Whether a status is a sign of overload: 429 (RFC 6585 §4), 503 and 504 (RFC 9110 §15.6.4, §15.6.5).
    package static func has(_ status: HTTPResponse.Status) -> Bool {
        let code = status.code
        return code == 429 || code == 503 || code == 504
    }

    /// Whether a transport error is a sign of overload: no connection, a lost connection, or a timeout.
    package static func has(_ error: TransportError) -> Bool {
        switch error.kind {
        case .cannotConnect, .connectionLost, .timedOut: true
        default: false
        }
    }
}
