import HTTPChainCore

/// A source of access tokens: a token endpoint, a keychain, a broker, a sign-in by the user.
///
/// ``BearerAuthMiddleware`` keeps the token and asks for another when there is none, when it is about to expire, and
/// when a server has turned it down. However many calls need one at the same time, it asks once.
///
/// The requests that a provider sends are its own: with the context, or over any chain, also the one that the stage is
/// part of. They never wait for the token that they are to fetch.
public protocol AccessTokenProvider: Sendable {
    /// A new token.
    ///
    /// - Parameters:
    ///   - old: The token in use so far; `nil` when there is none. Its refresh token may be what a new one is made from.
    ///   - context: Time, chance, and a transport.
    /// - Returns: A token that is new: one that the server has rejected already is rejected again.
    /// - Throws: What keeps it from having one; every call that waits fails with that as the cause.
    ///   ``OAuthError`` with the code ``OAuthError/Code/invalidGrant`` says that the user has to sign in again.
    func accessToken(replacing old: AccessToken?, in context: RefreshContext) async throws -> AccessToken

    /// Tells the server that a token is not needed any more; by default it does nothing.
    ///
    /// Called with a token that was fetched while the user signed out, so that nobody will ever use it.
    ///
    /// - Throws: What keeps the server from knowing; nobody is told.
    func discard(_ token: AccessToken, in context: RefreshContext) async throws

    /// The name and the settings of the provider, for ``/HTTPChainCore/Chain/explain()``; never a secret. Its type's
    /// name by default.
    var summary: String { get }
}

extension AccessTokenProvider {
    /// Nothing to do.
    public func discard(_ token: AccessToken, in context: RefreshContext) async throws {}

    /// The type's name.
    public var summary: String { StageSummary.name(of: Self.self) }
}

/// A provider that is a closure.
public struct ClosureAccessTokenProvider: AccessTokenProvider {
    /// A closure that provides a token; see ``AccessTokenProvider/accessToken(replacing:in:)``.
    public typealias Provide =
        @Sendable (_ old: AccessToken?, _ context: RefreshContext) async throws -> AccessToken

    private let provide: Provide

    /// Makes a provider of a closure.
    public init(_ provide: @escaping Provide) {
        self.provide = provide
    }

    /// "a closure".
    public var summary: String { "a closure" }

    /// Returns the token of the closure.
    public func accessToken(replacing old: AccessToken?, in context: RefreshContext) async throws -> AccessToken {
        try await provide(old, context)
    }
}

extension AccessTokenProvider where Self == ClosureAccessTokenProvider {
    /// Tokens that a closure provides.
    public static func asking(_ provide: @escaping ClosureAccessTokenProvider.Provide) -> ClosureAccessTokenProvider {
        ClosureAccessTokenProvider(provide)
    }
}
