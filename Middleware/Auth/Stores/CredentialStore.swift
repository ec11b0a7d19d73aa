import HTTPChainCore

/// A store for credentials: a file, or the system's keychain or secret service.
///
/// The key is the text of a ``ProtectionSpace``, or a service name chosen by the application, such as
/// `com.example.backup`.
public protocol CredentialStore: Sendable {
    /// Returns the credential for a key, or `nil` if there is none.
    func credential(for key: String) async throws -> Credential?
    /// Stores a credential, replacing the previous one.
    func set(_ credential: Credential, for key: String) async throws
    /// Removes the credential, if there is one.
    func removeCredential(for key: String) async throws
}

/// Keeps credentials in memory while the program runs, for tests.
package final class InMemoryCredentialStore: CredentialStore {
    private let credentials: Locked<[String: Credential]>

    package init(_ credentials: [String: Credential] = [:]) {
        self.credentials = Locked(credentials)
    }

    package func credential(for key: String) -> Credential? {
        credentials.withLock { $0[key] }
    }

    package func set(_ credential: Credential, for key: String) {
        credentials.withLock { $0[key] = credential }
    }

    package func removeCredential(for key: String) {
        credentials.withLock { $0[key] = nil }
    }
}
