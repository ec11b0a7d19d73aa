public import Foundation
public import HTTPChainCore

/// Where an access token outlives the program: a file, the system's keychain, a database of the application.
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

/// Keeps a token in a file that only its owner can read, for command-line tools.
///
/// The file is JSON, not encrypted: it is as safe as the account. It is made with mode 0600 and replaced in one step,
/// under a lock (`<file>.lock`). It is not read when others can reach it, and neither read nor written in a directory
/// that others can write.
///
/// Errors are ``CredentialStoreError``.
public struct FileTokenStore: TokenStore {
    private struct Content: Codable {
        var version = 1
        var token: AccessToken?
    }

    private let file: CredentialFile
    private let patience: Duration
    private let time: any TimeSource

    /// Takes a file, which need not exist; its directory must.
    ///
    /// - Parameters:
    ///   - url: Where the file is; a link is followed.
    ///   - patience: How long to wait for another process that is writing; 5 seconds by default.
    ///   - time: The clock for that.
    public init(at url: URL, patience: Duration = .seconds(5), time: any TimeSource = SystemTime()) {
        file = CredentialFile(path: url.resolvingSymlinksInPath().path)
        self.patience = patience
        self.time = time
    }

    /// The token that is kept; `nil` when there is no file, or none in it.
    ///
    /// - Throws: ``CredentialStoreError``.
    public func token() throws -> AccessToken? {
        guard let bytes = try file.read() else { return nil }
        // What failed to decode is not told: it would quote the file.
        guard let content = try? JSONDecoder().decode(Content.self, from: bytes), content.version == 1 else {
            throw file.failure(.corrupt)
        }
        return content.token
    }

    /// Keeps a token.
    ///
    /// - Throws: ``CredentialStoreError``; `CancellationError` when cancelled while it waits for the lock.
    public func save(_ token: AccessToken) async throws {
        try await write(Content(token: token))
    }

    /// Forgets the token; the file stays, without it.
    ///
    /// - Throws: ``CredentialStoreError``; `CancellationError` when cancelled while it waits for the lock.
    public func removeToken() async throws {
        guard try token() != nil else { return }
        try await write(Content())
    }

    private func write(_ content: Content) async throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let bytes = try? encoder.encode(content)
        try await file.locked(patience: patience, time: time) { () throws(CredentialStoreError) in
            guard let bytes else { throw file.failure(.corrupt) }
            // What is damaged may be mended by hand; it is not written over.
            if let old = try file.read(), (try? JSONDecoder().decode(Content.self, from: old)) == nil {
                throw file.failure(.corrupt)
            }
            try file.write(bytes)
        }
    }
}
