public import HTTPChainAuth
public import HTTPChainCore

/// Tells the authorization server that a token is not needed any more, as at a sign-out: RFC 7009.
///
/// ```swift
/// let revocation = try TokenRevocation(metadata, client: client)
/// stage.replaceToken(with: nil)
/// try await store.removeToken()
/// try await revocation.revoke(token, over: transport)
/// ```
///
/// The refresh token is revoked where there is one, which ends the access tokens with it on most servers (RFC 7009
/// §2.1), and then the access token.
public struct TokenRevocation: Sendable {
    private let endpoint: OAuthEndpoint

    /// Describes an endpoint that is known.
    ///
    /// - Parameters:
    ///   - url: The revocation endpoint; https, or a loopback address.
    ///   - client: Whose tokens.
    public init(at url: String, client: OAuthClient) {
        endpoint = OAuthEndpoint(url, client: client)
    }

    /// Describes the endpoint of a server that says where it is.
    ///
    /// - Throws: ``SignInError`` when the server names none.
    public init(_ metadata: AuthorizationServerMetadata, client: OAuthClient) throws(SignInError) {
        self.init(at: try metadata.endpoint(\.revocationEndpoint, "revocation_endpoint"), client: client)
    }

    /// Revokes a token and its refresh token.
    ///
    /// One that the server does not know counts as revoked (RFC 7009 §2.2).
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - transport: What carries the requests.
    ///   - environment: Time and chance; the system's by default.
    /// - Throws: `OAuthError`; what sending throws: the token may then still be good.
    public func revoke(
        _ token: AccessToken,
        over transport: any Transport,
        environment: ChainEnvironment = .live
    ) async throws {
        try await revoke(token, in: RefreshContext(over: transport, environment: environment))
    }

    /// Revokes a token and its refresh token, for an `AccessTokenProvider` that discards one.
    ///
    /// - Throws: As ``revoke(_:over:environment:)`` does.
    public func revoke(_ token: AccessToken, in context: RefreshContext) async throws {
        if let refreshToken = token.refreshToken {
            try await revoke(refreshToken, hint: "refresh_token", in: context)
        }
        do {
            try await revoke(token.value, hint: "access_token", in: context)
        } catch let error as OAuthError where error.code == .unsupportedTokenType && token.refreshToken != nil {
            // RFC 7009 §2.2.1: a server may know refresh tokens alone; the access token ends by itself.
        }
    }

    private func revoke(_ token: Secret, hint: String, in context: RefreshContext) async throws {
        let reply = try await endpoint.post(["token": token.revealed, "token_type_hint": hint], in: context)
        guard (200..<300).contains(reply.status) else { throw reply.failure() }
    }
}

extension OAuthError.Code {
    /// The server does not revoke tokens of this kind, RFC 7009 §2.2.1.
    public static let unsupportedTokenType = OAuthError.Code(rawValue: "unsupported_token_type")
}
