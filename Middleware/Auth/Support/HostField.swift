import HTTPChainSupport
import HTTPTypes

extension HTTPRequest {
    /// Whether a `Host` field differs from the URL; a transport may send the request to that host.
    var namesAnotherHost: Bool {
        headerFields.contains(hostField) && headerFields[hostField] != authority
    }
}

private let hostField = HTTPField.Name(constant: "Host")
