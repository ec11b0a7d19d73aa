import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

extension HTTPRequest {
    /// Whether a `Host` field names another origin than the URL; a transport may send the request to that host.
    ///
    /// Ignores the letter case of the host, and a default port (RFC 9110 §4.2.3).
    var namesAnotherHost: Bool {
        guard headerFields.contains(hostField), let field = headerFields[hostField], !authority.hasSameBytes(as: field)
        else {
            return false
        }
        guard Authority(field)?.userInfo == nil, let origin = Origin(scheme: scheme, authority: field) else {
            return true
        }
        return origin != Origin(scheme: scheme, authority: authority)
    }
}

private let hostField = HTTPField.Name(constant: "Host")
