import Foundation
public import HTTPChainCore
import HTTPChainSupport

/// The client that asks a token endpoint, and is registered there, RFC 6749 §2.
public struct OAuthClient: Sendable, Hashable {
    /// A way in which a client proves who it is, RFC 6749 §2.3.1.
    public enum Authentication: Sendable, Hashable {
        /// In the `Authorization` field, by the Basic scheme: what every server must support.
        case basic
        /// By `client_id` and `client_secret` in the body, for servers that know no other way.
        case body
    }

    /// The client's identifier.
    public let id: String
    /// The client's password; `nil` for a public client, which has none that it could keep, RFC 6749 §2.1.
    public let secret: Secret?
    /// The way the secret is sent.
    public let authentication: Authentication

    /// Makes a client.
    ///
    /// - Parameters:
    ///   - id: The client's identifier.
    ///   - secret: The client's password; none by default, which makes it a public client.
    ///   - authentication: How the secret is sent; by the Basic scheme by default.
    public init(id: String, secret: Secret? = nil, authentication: Authentication = .basic) {
        self.id = id
        self.secret = secret
        self.authentication = authentication
    }

    /// The value of the `Authorization` field; `nil` for a client that has no secret or sends it in the body.
    ///
    /// Identifier and secret are encoded as in a form before they are joined, RFC 6749 §2.3.1.
    package var basicCredentials: String? {
        guard let secret, authentication == .basic else { return nil }
        let pair = "\(FormEncoding.escaped(id)):\(FormEncoding.escaped(secret.revealed))"
        return "Basic " + Data(pair.utf8).base64EncodedString()
    }

    /// The parameters that name the client in the body.
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
    /// The parameters, in alphabetical order of their names.
    package static func text(_ parameters: [String: String]) -> String {
        parameters.sorted { $0.key < $1.key }.map { escaped($0.key) + "=" + escaped($0.value) }.joined(separator: "&")
    }

    package static func escaped(_ text: String) -> String {
        var result: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case _ where ASCII.isAlphanumeric(byte) || "*-._".utf8.contains(byte):
                result.append(byte)
            case UInt8(ascii: " "):
                result.append(UInt8(ascii: "+"))
            default:
                result.append(percentEncoding: byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
