public import HTTPChainCore
package import HTTPTypes

/// The party that asks for credentials: the server of the resource, or a proxy, RFC 9110 §11.6 and §11.7.
public enum AuthenticationTarget: Sendable, Hashable, CaseIterable {
    /// The server.
    case origin
    /// A proxy.
    case proxy

    /// The status that requests credentials: 401 or 407.
    package var status: HTTPResponse.Status { self == .origin ? .unauthorized : .proxyAuthenticationRequired }

    /// The field that holds the challenges: `WWW-Authenticate` or `Proxy-Authenticate`.
    package var challengeField: HTTPField.Name { self == .origin ? .wwwAuthenticate : .proxyAuthenticate }

    /// The field that holds the credentials: `Authorization` or `Proxy-Authorization`.
    package var requestField: HTTPField.Name { self == .origin ? .authorization : .proxyAuthorization }

    /// The field with information after success: `Authentication-Info` or `Proxy-Authentication-Info`.
    package var infoField: HTTPField.Name { self == .origin ? .authenticationInfo : .proxyAuthenticationInfo }
}

extension Response {
    /// Returns the challenges of the server or proxy, regardless of the status; see ``Challenge/parse(_:)``.
    public func challenges(_ target: AuthenticationTarget) -> [Challenge] {
        Challenge.parse(
            bytes: headers[fields: target.challengeField].map { field in field.withUnsafeBytesOfValue { Array($0) } }
        )
    }
}
