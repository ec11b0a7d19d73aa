import HTTPChainCore
import HTTPChainSupport

/// A store for credentials: a file, or the system's keychain or secret service.
///
/// The key is the text of a ``ProtectionSpace``, or a service name chosen by the application, such as
/// `com.example.backup`.
///
/// After a change to a store of this package in this process, stages call their ``StoredCredentialProvider`` again
/// before they send a credential preemptively. After a change to a custom store, or in another process, call
/// ``BasicAuthMiddleware/forgetCredentials()`` or its counterpart in the Digest stage.
public protocol CredentialStore: Sendable {
    /// Returns the credential for a key, or `nil` if there is none.
    func credential(for key: String) async throws -> Credential?
    /// Stores a credential, replacing the previous one.
    func set(_ credential: Credential, for key: String) async throws
    /// Removes the credential, if there is one.
    func removeCredential(for key: String) async throws
}

/// Keeps credentials in memory while the program runs, for tests.
package final class InMemoryCredentialStore: CredentialStore, ChangeCountingStore {
    private let credentials: Locked<[ExactText: Credential]>
    private let counter = CredentialChanges()

    package init(_ credentials: [String: Credential] = [:]) {
        self.credentials = Locked(Dictionary(uniqueKeysWithValues: credentials.map { (ExactText($0.key), $0.value) }))
    }

    package func credential(for key: String) -> Credential? {
        credentials.withLock { $0[ExactText(key)] }
    }

    package func set(_ credential: Credential, for key: String) {
        _ = store(credential, for: key)
    }

    package func removeCredential(for key: String) {
        credentials.withLock { $0[ExactText(key)] = nil }
        counter.note()
    }

    /// The number of changes so far.
    package var changes: UInt64 { counter.count }

    /// Stores a credential, and returns the number of changes.
    package func store(_ credential: Credential, for key: String) -> UInt64 {
        credentials.withLock { $0[ExactText(key)] = credential }
        return counter.note()
    }
}
