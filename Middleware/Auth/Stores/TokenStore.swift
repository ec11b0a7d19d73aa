public import Foundation
public import HTTPChainCore

/// A store in which an access token outlives the program: a file, the system's keychain, a database of the application.
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
    /// The token that is kept; `nil` when there is none.
    func token() async throws -> AccessToken?
    /// Keeps a token in place of the one before.
    func save(_ token: AccessToken) async throws
    /// Forgets the token, as at a sign-out; nothing happens when there is none.
    func removeToken() async throws
}

/// Keeps a token as long as the program runs, for tests.
public final class InMemoryTokenStore: TokenStore {
    private let kept: Locked<AccessToken?>

    /// Makes a store.
    ///
    /// - Parameter token: What is in it from the beginning; nothing by default.
    public init(_ token: AccessToken? = nil) {
        kept = Locked(token)
    }

    /// The token that is kept.
    public func token() -> AccessToken? { kept.withLock { $0 } }

    /// Keeps a token.
    public func save(_ token: AccessToken) { kept.withLock { $0 = token } }

    /// Forgets the token.
    public func removeToken() { kept.withLock { $0 = nil } }
}

/// Hands each new token to a closure, for an application that keeps tokens in a place of its own.
public struct ClosureTokenStore: TokenStore {
    /// A closure that stores a token; `nil` forgets it.
    public typealias Save = @Sendable (AccessToken?) async throws -> Void

    private let keep: Save

    /// Makes a store of a closure.
    ///
    /// - Parameter keep: Keeps a token; it is given `nil` where the token is to be forgotten.
    public init(_ keep: @escaping Save) {
        self.keep = keep
    }

    /// Always `nil`: the application knows what it has kept.
    public func token() -> AccessToken? { nil }

    /// Calls the closure.
    ///
    /// - Throws: What the closure throws.
    public func save(_ token: AccessToken) async throws { try await keep(token) }

    /// Calls the closure with `nil`.
    ///
    /// - Throws: What the closure throws.
    public func removeToken() async throws { try await keep(nil) }
}

extension TokenStore where Self == ClosureTokenStore {
    /// A closure that each new token is handed to.
    ///
    /// - Parameter keep: Keeps a token; it is given `nil` where the token is to be forgotten.
    public static func calling(_ keep: @escaping ClosureTokenStore.Save) -> ClosureTokenStore {
        ClosureTokenStore(keep)
    }
}

/// Keeps a token in a file that only its owner can read, for command-line tools.
///
/// The file is JSON, not encrypted: it is as safe as the account. It is made with mode 0600 and replaced in one step,
/// under a lock (`<file>.lock`). It is not read when others can reach it, and neither read nor written in a directory
/// that others can write.
///
/// Errors are ``CredentialStoreError``.
public struct FileTokenStore: TokenStore {
    private struct Content: CredentialDocumentContent {
        var version = 1
        var token: AccessToken?
    }

    private let document: CredentialDocument<Content>

    /// Takes a file, which need not exist; its directory must.
    ///
    /// - Parameters:
    ///   - url: Where the file is; a link is followed.
    ///   - patience: How long to wait for another process that is writing; 5 seconds by default.
    ///   - time: The clock for that.
    public init(at url: URL, patience: Duration = .seconds(5), time: any TimeSource = SystemTime()) {
        document = CredentialDocument(at: url, patience: patience, time: time)
    }

    /// The token that is kept; `nil` when there is no file, or none in it.
    ///
    /// - Throws: ``CredentialStoreError``; `CancellationError` when the task is cancelled.
    public func token() async throws -> AccessToken? {
        try await document.read().token
    }

    /// Keeps a token.
    ///
    /// - Throws: ``CredentialStoreError``; `CancellationError` when cancelled while it waits for the lock.
    public func save(_ token: AccessToken) async throws {
        try await document.change { $0.token = token }
    }

    /// Forgets the token; the file stays, without it.
    ///
    /// - Throws: ``CredentialStoreError``; `CancellationError` when cancelled while it waits for the lock.
    public func removeToken() async throws {
        guard try await token() != nil else { return }
        try await document.change { $0.token = nil }
    }
}
