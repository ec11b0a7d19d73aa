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
    private struct Content: Codable {
        var version = 1
        var credentials: [String: Entry] = [:]
    }

    private struct Entry: Codable {
        let user: String
        let password: String
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

    /// The credential under a key.
    ///
    /// - Throws: ``CredentialStoreError``.
    public func credential(for key: CredentialKey) throws -> Credential? {
        try read().credentials[key.rawValue].map { Credential(user: $0.user, password: Secret($0.password)) }
    }

    /// Keeps a credential.
    ///
    /// - Throws: ``CredentialStoreError``; `CancellationError` when cancelled while it waits for the lock.
    public func set(_ credential: Credential, for key: CredentialKey) async throws {
        try await change { credentials in
            credentials[key.rawValue] = Entry(user: credential.user, password: credential.password.revealed)
        }
    }

    /// Forgets a credential.
    ///
    /// - Throws: ``CredentialStoreError``; `CancellationError` when cancelled while it waits for the lock.
    public func removeCredential(for key: CredentialKey) async throws {
        // Without a file there is nothing to forget, and no reason to make one.
        guard try read().credentials[key.rawValue] != nil else { return }
        try await change { $0[key.rawValue] = nil }
    }

    private func change(_ change: (inout [String: Entry]) -> Void) async throws {
        try await file.locked(patience: patience, time: time) { () throws(CredentialStoreError) in
            var content = try read()
            change(&content.credentials)
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            guard let bytes = try? encoder.encode(content) else { throw file.failure(.corrupt) }
            try file.write(bytes)
        }
    }

    private func read() throws(CredentialStoreError) -> Content {
        guard let bytes = try file.read() else { return Content() }
        // What failed to decode is not told: it would quote the file.
        guard let content = try? JSONDecoder().decode(Content.self, from: bytes), content.version == 1 else {
            throw file.failure(.corrupt)
        }
        return content
    }
}
