import HTTPChainCore

/// A source of access tokens: a token endpoint, a keychain, a broker, a user's sign-in.
///
/// ``BearerAuthMiddleware`` keeps the token. It requests another one if there is none, if it is about to expire, or if
/// a server has rejected it. Concurrent calls share one request.
///
/// A provider can send its requests with the context or over any chain, even the one that contains the stage. These
/// requests never wait for the token that is being fetched.
public protocol AccessTokenProvider: Sendable {
    /// Provides a new token.
    ///
    /// - Parameters:
    ///   - old: The current token, or `nil` if there is none. Its refresh token may be used to get the new one.
    ///   - context: The clock, random numbers, and a transport.
    /// - Returns: A new token. If it is one that the server has already rejected, it will be rejected again.
    /// - Throws: Any error; all waiting calls fail with it as the cause. An ``OAuthError`` with
    ///   the code `invalid_grant` means that the user has to sign in again.
    func accessToken(replacing old: AccessToken?, in context: RefreshContext) async throws -> AccessToken

    /// Notifies the server that a token is no longer needed. Does nothing by default.
    ///
    /// Called with a token that was fetched while the user signed out, and that will therefore never be used.
    ///
    /// - Throws: Any error; it is ignored.
    func discard(_ token: AccessToken, in context: RefreshContext) async throws

    /// The provider's name and settings, for ``/HTTPChainCore/Chain/explain()``, without secrets. Defaults to the
    /// type's name.
    var summary: String { get }
}

extension AccessTokenProvider {
    /// Does nothing.
    public func discard(_ token: AccessToken, in context: RefreshContext) async throws {}

    /// The type's name.
    public var summary: String { StageSummary.name(of: Self.self) }
}

/// A provider that calls a closure (`.asking`) or a token endpoint (`.clientCredentials`, `.refreshToken`).
public struct ClosureAccessTokenProvider: AccessTokenProvider {
    private let provide: @Sendable (_ old: AccessToken?, _ context: RefreshContext) async throws -> AccessToken
    /// "a closure", or the grant and its endpoint.
    public let summary: String

    package init(
        summary: String = "a closure",
        _ provide: @escaping @Sendable (_ old: AccessToken?, _ context: RefreshContext) async throws -> AccessToken
    ) {
        self.provide = provide
        self.summary = summary
    }

    /// Returns the closure's token.
    public func accessToken(replacing old: AccessToken?, in context: RefreshContext) async throws -> AccessToken {
        try await provide(old, context)
    }
}

extension AccessTokenProvider where Self == ClosureAccessTokenProvider {
    /// A provider that calls a closure.
    ///
    /// ```swift
    /// let stage = BearerAuthMiddleware(
    ///     .asking { old, context in
    ///         let renewal = ["renewal": old?.refreshToken?.revealed]
    ///         let reply = try await context.send(.post("https://api.example.com/renew", json: renewal))
    ///         return AccessToken(try await reply.body.text())
    ///     },
    ///     for: "https://api.example.com"
    /// )
    /// ```
    ///
    /// - Parameter provide: Provides a token; see ``AccessTokenProvider/accessToken(replacing:in:)``.
    public static func asking(
        _ provide: @escaping @Sendable (_ old: AccessToken?, _ context: RefreshContext) async throws -> AccessToken
    ) -> ClosureAccessTokenProvider {
        ClosureAccessTokenProvider(provide)
    }

    /// Unavailable, because the closure receives the old token, too.
    @available(*, unavailable, message: "write a closure with both arguments: .asking { old, context in … }")
    public static func asking(
        _ provide: @escaping @Sendable (_ context: RefreshContext) async throws -> AccessToken
    ) -> ClosureAccessTokenProvider {
        ClosureAccessTokenProvider { try await provide($1) }
    }
}
