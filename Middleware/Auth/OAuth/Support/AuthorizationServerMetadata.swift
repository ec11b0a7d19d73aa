package import Foundation
public import HTTPChainAuth
public import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// The metadata of an authorization server, RFC 8414: its endpoints and capabilities.
///
/// ```swift
/// let metadata = try await AuthorizationServerMetadata.discover("https://auth.example.com", over: transport)
/// let endpoint = try metadata.tokenEndpoint(client: OAuthClient(id: "garden"))
/// ```
public struct AuthorizationServerMetadata: Sendable, Hashable {
    /// The server's name: an https URL.
    package let issuer: String
    /// The URL that the browser opens.
    package let authorizationEndpoint: String?
    /// The endpoint that issues tokens.
    package let tokenEndpoint: String?
    /// The endpoint that issues device codes (RFC 8628 §4).
    package let deviceAuthorizationEndpoint: String?
    /// The endpoint that revokes tokens.
    package let revocationEndpoint: String?
    /// The supported scopes, or `nil` if the server doesn't list them.
    package let scopes: [String]?
    /// The supported PKCE code challenge methods, or `nil` if the server doesn't list them.
    package let codeChallengeMethods: [String]?
    /// Whether the server always returns its name with an authorization code (RFC 9207 §3).
    package let namesIssuerInCallback: Bool

    /// The well-known path of the metadata.
    public enum Location: String, Sendable, Hashable {
        /// RFC 8414 §3.1.
        case oauth = "oauth-authorization-server"
        /// OpenID Connect Discovery 1.0 §4.
        case openID = "openid-configuration"
    }

    /// Fetches a server's metadata.
    ///
    /// Redirects aren't followed, because the metadata must come from the issuer.
    ///
    /// - Parameters:
    ///   - issuer: The server's exact name; https, or a loopback address.
    ///   - location: The well-known path of the metadata. Defaults to that of RFC 8414.
    ///   - transport: The transport for the request.
    ///   - limit: The maximum size of the metadata. Defaults to 64 KiB.
    ///   - environment: The clock and random numbers. Defaults to the system's.
    /// - Throws: ``SignInError`` if the metadata is invalid; rethrows the transport's errors.
    public static func discover(
        _ issuer: String,
        at location: Location = .oauth,
        over transport: any Transport,
        limit: ByteCount = .kibibytes(64),
        environment: ChainEnvironment = .live
    ) async throws -> AuthorizationServerMetadata {
        guard Origin(issuer)?.isConfidential == true else { throw SignInError(.insecureEndpoint(issuer)) }
        guard let url = Self.url(of: issuer, at: location) else {
            throw SignInError(.unusableMetadata("an issuer has neither query nor fragment (RFC 8414 §2)"))
        }
        var request = Request.get(url, headers: [.accept: "application/json"]).authentication(false).redirects(false)
        request.environment = environment
        let head = request.head
        let response = try await transport.send(request)
        let exchange = ExchangeSnapshot(
            response.request ?? head,
            response: response.head,
            redaction: environment.redaction
        )
        guard response.status.code == 200 else {
            throw SignInError(
                .unusableMetadata("the response has the status \(response.status.code)"),
                exchange: exchange
            )
        }
        let content: Data
        do {
            content = try await response.body.collect(upTo: limit)
        } catch let error as BodyError {
            throw SignInError(.unusableMetadata("it cannot be read"), exchange: exchange, underlyingError: error)
        }
        do {
            return try AuthorizationServerMetadata(content, of: issuer)
        } catch {
            throw SignInError(error.problem, exchange: exchange)
        }
    }

    /// Parses metadata, RFC 8414 §3.2 and §3.3.
    ///
    /// - Parameters:
    ///   - content: The JSON object.
    ///   - issuer: The required issuer; metadata with another one throws.
    /// - Throws: ``SignInError``.
    package init(_ content: Data, of issuer: String) throws(SignInError) {
        guard let members = try? JSONDecoder().decode(LenientMembers.self, received: content),
            let name = members.text("issuer")
        else {
            throw SignInError(.unusableMetadata("it is not a JSON object with an issuer"))
        }
        guard name.hasSameBytes(as: issuer) else {
            throw SignInError(.unusableMetadata("its issuer is not the requested one (RFC 8414 §3.3)"))
        }
        self.issuer = issuer
        authorizationEndpoint = members.text("authorization_endpoint")
        tokenEndpoint = members.text("token_endpoint")
        deviceAuthorizationEndpoint = members.text("device_authorization_endpoint")
        revocationEndpoint = members.text("revocation_endpoint")
        scopes = members.words("scopes_supported")
        codeChallengeMethods = members.words("code_challenge_methods_supported")
        namesIssuerInCallback = members.flag("authorization_response_iss_parameter_supported")
    }

    /// Returns the token endpoint for a client.
    ///
    /// - Parameters:
    ///   - client: The client that requests tokens.
    ///   - transport: The transport for requests. Defaults to the transport of each call.
    /// - Throws: ``SignInError`` if the metadata has no token endpoint.
    public func tokenEndpoint(
        client: OAuthClient,
        over transport: (any Transport)? = nil
    ) throws(SignInError) -> TokenEndpoint {
        TokenEndpoint(try endpoint(\.tokenEndpoint, "token_endpoint"), client: client, over: transport)
    }

    func endpoint(
        _ path: KeyPath<AuthorizationServerMetadata, String?>,
        _ name: String
    ) throws(SignInError) -> String {
        guard let url = self[keyPath: path] else { throw SignInError(.noEndpoint(name)) }
        guard Origin(url)?.isConfidential == true else { throw SignInError(.insecureEndpoint(url)) }
        return url
    }

    /// Returns the metadata URL of an issuer: with the well-known path before the issuer's own (RFC 8414 §3.1), or
    /// after it (OpenID Connect Discovery 1.0 §4.1).
    package static func url(of issuer: String, at location: Location) -> String? {
        guard !issuer.utf8.contains(where: "?#".utf8.contains), let schemeEnd = issuer.utf8.firstRange(of: "://".utf8)
        else { return nil }
        let trimmed = issuer.without(suffix: "/") ?? issuer[...]
        guard location == .oauth else { return "\(trimmed)/.well-known/\(location.rawValue)" }
        let rest = trimmed[schemeEnd.upperBound...]
        let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        return "\(trimmed[..<slash])/.well-known/\(location.rawValue)\(trimmed[slash...])"
    }
}
