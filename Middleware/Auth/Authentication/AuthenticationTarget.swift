public import HTTPChainCore
package import HTTPTypes

/// The party that asks for credentials: the server of the resource, or a proxy, RFC 9110 §11.6 and §11.7.
public enum AuthenticationTarget: Sendable, Hashable, CaseIterable {
    /// The server.
    case origin
    /// A proxy.
    case proxy

    /// The status that requests credentials: 401 or 407.
    package var status: HTTPResponse.Status {
        switch self {
        case .origin: .unauthorized
        case .proxy: .proxyAuthenticationRequired
        }
    }

    /// The field that holds the challenges: `WWW-Authenticate` or `Proxy-Authenticate`.
    package var challengeField: HTTPField.Name {
        switch self {
        case .origin: .wwwAuthenticate
        case .proxy: .proxyAuthenticate
        }
    }

    /// The field that holds the credentials: `Authorization` or `Proxy-Authorization`.
    package var requestField: HTTPField.Name {
        switch self {
        case .origin: .authorization
        case .proxy: .proxyAuthorization
        }
    }

    /// The field with information after success: `Authentication-Info` or `Proxy-Authentication-Info`.
    package var infoField: HTTPField.Name {
        switch self {
        case .origin: .authenticationInfo
        case .proxy: .proxyAuthenticationInfo
        }
    }
}

extension Response {
    /// Returns the challenges of the server or proxy, regardless of the status; see ``Challenge/parse(_:)``.
    public func challenges(_ target: AuthenticationTarget) -> [Challenge] {
        Challenge.parse(
            bytes: headers[fields: target.challengeField].map { field in field.withUnsafeBytesOfValue { Array($0) } }
        )
    }
}
