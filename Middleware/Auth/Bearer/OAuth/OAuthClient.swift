import Foundation
public import HTTPChainCore
import HTTPChainSupport

/// A client registered with an authorization server, RFC 6749 §2.
public struct OAuthClient: Sendable, Hashable {
    /// The way in which a client authenticates, RFC 6749 §2.3.1.
    public enum Authentication: Sendable, Hashable {
        /// In the `Authorization` field, by the Basic scheme, which every server must support.
        case basic
        /// By `client_id` and `client_secret` in the body, for servers without support for Basic.
        case body
    }

    /// The client's identifier.
    package let id: String
    /// The client's password, or `nil` for a public client, which can't keep a secret, RFC 6749 §2.1.
    package let secret: Secret?
    /// The way in which the secret is sent.
    package let authentication: Authentication

    /// Makes a client.
    ///
    /// - Parameters:
    ///   - id: The client's identifier.
    ///   - secret: The client's password. Defaults to none, for a public client.
    ///   - authentication: The way in which the secret is sent. Defaults to the Basic scheme.
    public init(id: String, secret: Secret? = nil, authentication: Authentication = .basic) {
        self.id = id
        self.secret = secret
        self.authentication = authentication
    }

    /// The `Authorization` field's value, or `nil` if the client has no secret or sends it in the body.
    ///
    /// Identifier and secret are form-encoded before they are joined, RFC 6749 §2.3.1.
    package var basicCredentials: String? {
        guard let secret, authentication == .basic else { return nil }
        let pair = "\(FormEncoding.escaped(id)):\(FormEncoding.escaped(secret.revealed))"
        return "Basic " + Data(pair.utf8).base64EncodedString()
    }

    /// The parameters that identify the client in the body.
    package var bodyParameters: [String: String] {
        switch (secret, authentication) {
        case (nil, _): ["client_id": id]
        case (let secret?, .body): ["client_id": id, "client_secret": secret.revealed]
        case (.some, .basic): [:]
        }
    }
}

/// `application/x-www-form-urlencoded`, RFC 6749 appendix B.
package enum FormEncoding {
    /// Encodes the parameters, sorted by name.
    package static func text(_ parameters: [String: String]) -> String {
        parameters.sorted { $0.key < $1.key }.map { escaped($0.key) + "=" + escaped($0.value) }.joined(separator: "&")
    }

    package static func escaped(_ text: String) -> String {
        let encoded = String(percentEncoding: text.utf8) { ASCII.isAlphanumeric($0) || "*-._ ".utf8.contains($0) }
        return Escaping.replacing(in: encoded) { $0 == " " ? "+" : nil }
    }
}
