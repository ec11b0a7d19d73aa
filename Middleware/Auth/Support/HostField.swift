import HTTPChainSupport
import HTTPTypes

extension HTTPRequest {
    /// Whether there is a `Host` field that differs from the URL: a transport may send the request there.
    var namesAnotherHost: Bool {
        headerFields.contains(hostField) && headerFields[hostField] != authority
    }
}

private let hostField = HTTPField.Name(constant: "Host")
