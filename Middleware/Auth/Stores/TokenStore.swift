public import Foundation
public import HTTPChainCore

/// Persistent storage for an access token: a file, the system's keychain, an application's database.
///
/// ```swift
/// let store = FileTokenStore(at: home.appending(path: ".config/garden/token.json"))
/// let stage = BearerAuthMiddleware(
///     .refreshToken(at: endpoint),
///     for: "https://api.example.com",
///     token: try await store.token(),
///     saving: store
/// )
/// ```
public protocol TokenStore: Sendable {
    /// Returns the stored token, or `nil` if there is none.
    func token() async throws -> AccessToken?
    /// Stores a token, replacing the previous one.
    func save(_ token: AccessToken) async throws
    /// Removes the token, as at a sign-out, if there is one.
    func removeToken() async throws
    /// Replaces a token that has expired or was rejected; all processes that share the store refresh it only once.
    ///
    /// A store shared by several processes first looks for a token that another process has saved in the meantime. If
    /// there is none, it locks the others out, fetches a new token, and saves it. By default, only calls the closure.
    ///
    /// - Parameters:
    ///   - old: The token to replace; `nil` if there is none.
    ///   - environment: The clock and the random numbers of the call, for waiting.
    ///   - fetch: Fetches a token that replaces the given one. Call it at most once.
    /// - Returns: The new token; `nil` if the token was removed from the store in the meantime, for example at a
    ///   sign-out.
    /// - Throws: Rethrows the closure's error, or an error of the store; the waiting calls fail with it as the cause.
    func refresh(
        replacing old: AccessToken?,
        in environment: ChainEnvironment,
        by fetch: @Sendable (_ old: AccessToken?) async throws -> AccessToken
    ) async throws -> RefreshedToken?
}

extension TokenStore {
    /// Returns the closure's token, which isn't saved yet.
    public func refresh(
        replacing old: AccessToken?,
        in environment: ChainEnvironment,
        by fetch: @Sendable (_ old: AccessToken?) async throws -> AccessToken
    ) async throws -> RefreshedToken? {
        RefreshedToken(try await fetch(old), isSaved: false)
    }
}

/// A token store of this package; its public interface has only the members of ``TokenStore``.
package protocol BuiltInTokenStore: TokenStore {
    /// Returns the stored token, or `nil` if there is none.
    func storedToken() async throws -> AccessToken?
    /// Stores a token, replacing the previous one.
    func store(_ token: AccessToken) async throws
    /// Removes the token, if there is one.
    func clear() async throws
}

extension BuiltInTokenStore {
    /// Returns the stored token, or `nil` if there is none.
    public func token() async throws -> AccessToken? { try await storedToken() }
    /// Stores a token, replacing the previous one.
    public func save(_ token: AccessToken) async throws { try await store(token) }
    /// Removes the token, if there is one.
    public func removeToken() async throws { try await clear() }
}

/// A token that replaces another, and whether the store already has it.
public struct RefreshedToken: Sendable, Hashable {
    /// The new token.
    package let token: AccessToken
    /// Whether the store already has it; if not, it is saved before it is used.
    package let isSaved: Bool

    /// Makes a result of ``TokenStore/refresh(replacing:in:by:)``.
    ///
    /// - Parameters:
    ///   - token: The new token.
    ///   - isSaved: Whether the store already has it.
    public init(_ token: AccessToken, isSaved: Bool) {
        self.token = token
        self.isSaved = isSaved
    }
}

/// Passes each new token to a closure, for an application with its own storage.
///
/// It never returns a token, because the application has it. It passes `nil` to remove the token.
public struct ClosureTokenStore: TokenStore, BuiltInTokenStore {
    let keep: @Sendable (AccessToken?) async throws -> Void

    package func storedToken() -> AccessToken? { nil }
    package func store(_ token: AccessToken) async throws { try await keep(token) }
    package func clear() async throws { try await keep(nil) }
}

extension TokenStore where Self == ClosureTokenStore {
    /// A store that passes each new token to a closure.
    ///
    /// - Parameter keep: Stores a token, or removes it if `nil`.
    public static func calling(
        _ keep: @escaping @Sendable (AccessToken?) async throws -> Void
    ) -> ClosureTokenStore {
        ClosureTokenStore(keep: keep)
    }
}

/// Keeps a token in a file that only its owner can read, for command-line tools.
///
/// The file is unencrypted JSON, as safe as the user's account. It is created with mode 0600 and replaced atomically
/// under a lock (`<file>.lock`). It isn't read if other users can access it, and neither read nor written in a
/// directory that others can write to.
///
/// All errors are ``CredentialStoreError``.
public struct FileTokenStore: TokenStore, BuiltInTokenStore {
    private struct Content: CredentialDocumentContent {
        var version = 1
        var token: AccessToken?
    }

    private let document: CredentialDocument<Content>

    /// Uses a file, which may not exist yet; its directory must.
    ///
    /// - Parameters:
    ///   - url: The file's URL. A link is followed.
    ///   - patience: The time to wait while another process is writing. Defaults to 5 seconds.
    ///   - time: The clock for waiting.
    public init(at url: URL, patience: Duration = .seconds(5), time: any TimeSource = ChainEnvironment.live.time) {
        document = CredentialDocument(at: url, patience: patience, time: time)
    }

    /// Returns the stored token, or `nil` if the file is missing or has none.
    ///
    /// - Throws: ``CredentialStoreError``; `CancellationError` when the task is cancelled.
    package func storedToken() async throws -> AccessToken? {
        try await document.read().token
    }

    /// Stores a token.
    ///
    /// - Throws: ``CredentialStoreError``; `CancellationError` if cancelled while waiting for the lock.
    package func store(_ token: AccessToken) async throws {
        try await document.change { $0.token = token }
    }

    /// Removes the token, but not the file.
    ///
    /// - Throws: ``CredentialStoreError``; `CancellationError` if cancelled while waiting for the lock.
    package func clear() async throws {
        guard try await storedToken() != nil else { return }
        try await document.change { $0.token = nil }
    }
}
