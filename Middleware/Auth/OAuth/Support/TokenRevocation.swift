public import HTTPChainAuth
public import HTTPChainCore

/// Revokes a token that is no longer needed, such as at sign-out: RFC 7009.
///
/// ```swift
/// let revocation = try TokenRevocation(metadata, client: client)
/// stage.replaceToken(with: nil)
/// try await store.removeToken()
/// try await revocation.revoke(token, over: transport)
/// ```
///
/// The refresh token, if any, is revoked first, which on most servers also ends its access tokens (RFC 7009 §2.1), and
/// then the access token.
public struct TokenRevocation: Sendable {
    private let endpoint: OAuthEndpoint

    /// Describes a known endpoint.
    ///
    /// - Parameters:
    ///   - url: The revocation endpoint; https, or a loopback address.
    ///   - client: The client of the tokens.
    public init(at url: String, client: OAuthClient) {
        endpoint = OAuthEndpoint(url, client: client)
    }

    /// Describes a server's published endpoint.
    ///
    /// - Throws: ``SignInError`` if the metadata has no revocation endpoint.
    public init(_ metadata: AuthorizationServerMetadata, client: OAuthClient) throws(SignInError) {
        self.init(at: try metadata.endpoint(\.revocationEndpoint, "revocation_endpoint"), client: client)
    }

    /// Revokes a token and its refresh token.
    ///
    /// A token that the server doesn't have counts as revoked (RFC 7009 §2.2).
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - transport: The transport for the requests. An `AccessTokenProvider` that discards a token passes its
    ///     context.
    ///   - environment: The clock and random numbers. Defaults to the system's.
    /// - Throws: `OAuthError`; rethrows the transport's errors. The token may then still be valid.
    public func revoke(
        _ token: AccessToken,
        over transport: any Transport,
        environment: ChainEnvironment = .live
    ) async throws {
        try await revoke(token, in: RefreshContext(over: transport, environment: environment))
    }

    package func revoke(_ token: AccessToken, in context: RefreshContext) async throws {
        if let refreshToken = token.refreshToken {
            try await revoke(refreshToken, hint: "refresh_token", in: context)
        }
        do {
            try await revoke(token.value, hint: "access_token", in: context)
        } catch let error as OAuthError where error.code == "unsupported_token_type" && token.refreshToken != nil {
            // RFC 7009 §2.2.1: a server may support revoking refresh tokens only. The access token then expires by
            // itself.
        }
    }

    private func revoke(_ token: Secret, hint: String, in context: RefreshContext) async throws {
        let reply = try await endpoint.post(["token": token.revealed, "token_type_hint": hint], in: context)
        guard reply.isSuccess else { throw reply.failure() }
    }
}

extension TokenRevocation: RedactedDisplay, DescribedValue {
    /// The endpoint's URL, with secrets redacted.
    package var words: String { "token revocation at \(Redaction.standard.url(endpoint.url))" }
}
