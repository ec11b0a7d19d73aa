public import Foundation
public import HTTPChainCore

/// Keeps credentials in a file that only its owner can read, for command-line tools.
///
/// The file is unencrypted JSON, as safe as the user's account. It is created with mode 0600, and isn't read if other
/// users can access it. Changes replace it atomically under a lock (`<file>.lock`). Several processes can therefore
/// share it, and after a crash it has either the old or the new content. A damaged file is never overwritten.
///
/// All errors are ``CredentialStoreError``.
public struct FileCredentialStore: CredentialStore, ChangeCountingStore {
    private struct Content: CredentialDocumentContent {
        var version = 1
        var credentials: [String: Entry] = [:]
    }

    private struct Entry: Codable, Sendable {
        let user: String
        let password: String
    }

    private let document: CredentialDocument<Content>
    private let counter: CredentialChanges

    /// Uses a file, which may not exist yet; its directory must.
    ///
    /// - Parameters:
    ///   - url: The file's URL. A link is followed.
    ///   - patience: The time to wait while another process is writing. Defaults to 5 seconds.
    ///   - time: The clock for waiting.
    public init(at url: URL, patience: Duration = .seconds(5), time: any TimeSource = ChainEnvironment.live.time) {
        document = CredentialDocument(at: url, patience: patience, time: time)
        counter = CredentialChanges.ofFile(at: document.path)
    }

    /// Returns the credential for a key.
    ///
    /// - Throws: ``CredentialStoreError``; `CancellationError` when the task is cancelled.
    public func credential(for key: String) async throws -> Credential? {
        let entry = try await document.read().credentials[key]
        return entry.map { Credential(user: $0.user, password: Secret($0.password)) }
    }

    /// Stores a credential.
    ///
    /// - Throws: ``CredentialStoreError``; `CancellationError` if cancelled while waiting for the lock.
    public func set(_ credential: Credential, for key: String) async throws {
        _ = try await store(credential, for: key)
    }

    /// Removes a credential.
    ///
    /// - Throws: ``CredentialStoreError``; `CancellationError` if cancelled while waiting for the lock.
    public func removeCredential(for key: String) async throws {
        // Counted even if the change fails, or if another process has already removed the credential.
        defer { counter.note() }
        // Doesn't create a file just to remove a credential.
        guard try await document.read().credentials[key] != nil else { return }
        try await document.change { $0.credentials[key] = nil }
    }

    /// The number of changes in this process so far.
    package var changes: UInt64 { counter.count }

    /// Stores a credential, and returns the number of changes.
    package func store(_ credential: Credential, for key: String) async throws -> UInt64 {
        let entry = Entry(user: credential.user, password: credential.password.revealed)
        do { try await document.change { $0.credentials[key] = entry } } catch {
            counter.note()
            throw error
        }
        return counter.note()
    }
}
