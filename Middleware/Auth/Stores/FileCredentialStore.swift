public import Foundation
public import HTTPChainCore

/// Keeps credentials in a file that only its owner can read, for command-line tools.
///
/// The file is JSON, not encrypted: it is as safe as the account. It is made with mode 0600, and not read when others
/// can reach it. A change replaces the file in one step, under a lock (`<file>.lock`), so that several processes can
/// share it and a crash leaves the old file or the new one. A file that is damaged is never written over.
///
/// Errors are ``CredentialStoreError``.
public struct FileCredentialStore: CredentialStore {
    private struct Content: CredentialDocumentContent {
        var version = 1
        var credentials: [String: Entry] = [:]
    }

    private struct Entry: Codable, Sendable {
        let user: String
        let password: String
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

    /// The credential under a key.
    ///
    /// - Throws: ``CredentialStoreError``; `CancellationError` when the task is cancelled.
    public func credential(for key: CredentialKey) async throws -> Credential? {
        let entry = try await document.read().credentials[key.rawValue]
        return entry.map { Credential(user: $0.user, password: Secret($0.password)) }
    }

    /// Keeps a credential.
    ///
    /// - Throws: ``CredentialStoreError``; `CancellationError` when cancelled while it waits for the lock.
    public func set(_ credential: Credential, for key: CredentialKey) async throws {
        let entry = Entry(user: credential.user, password: credential.password.revealed)
        try await document.change { $0.credentials[key.rawValue] = entry }
    }

    /// Forgets a credential.
    ///
    /// - Throws: ``CredentialStoreError``; `CancellationError` when cancelled while it waits for the lock.
    public func removeCredential(for key: CredentialKey) async throws {
        // Without a file there is nothing to forget, and no reason to make one.
        guard try await document.read().credentials[key.rawValue] != nil else { return }
        try await document.change { $0.credentials[key.rawValue] = nil }
    }
}
