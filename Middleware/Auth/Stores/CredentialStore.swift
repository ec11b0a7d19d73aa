import HTTPChainCore

/// The key that a credential is stored under: a protection space, or a service's name that the application chose.
public struct CredentialKey: Sendable, Hashable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The key as text, the same in each run of the program.
    public let rawValue: String

    /// A service's name: `com.example.backup`.
    public init(service: String) {
        rawValue = service
    }

    /// A protection space.
    public init(_ space: ProtectionSpace) {
        rawValue = space.description
    }

    /// A service's name that is written in the code.
    public init(stringLiteral service: String) {
        self.init(service: service)
    }

    /// The key as text.
    public var description: String { rawValue }
}

/// A store for credentials: memory, a file, the system's keychain or secret service.
public protocol CredentialStore: Sendable {
    /// The credential under a key, or `nil` when there is none.
    func credential(for key: CredentialKey) async throws -> Credential?
    /// Keeps a credential in place of the one before.
    func set(_ credential: Credential, for key: CredentialKey) async throws
    /// Forgets the credential; nothing happens when there is none.
    func removeCredential(for key: CredentialKey) async throws
}

/// Keeps credentials as long as the program runs.
public final class InMemoryCredentialStore: CredentialStore {
    private let credentials: Locked<[CredentialKey: Credential]>

    /// Makes a store.
    ///
    /// - Parameter credentials: What is in it from the beginning; nothing by default.
    public init(_ credentials: [CredentialKey: Credential] = [:]) {
        self.credentials = Locked(credentials)
    }

    /// The credential under a key.
    public func credential(for key: CredentialKey) -> Credential? {
        credentials.withLock { $0[key] }
    }

    /// Keeps a credential.
    public func set(_ credential: Credential, for key: CredentialKey) {
        credentials.withLock { $0[key] = credential }
    }

    /// Forgets a credential.
    public func removeCredential(for key: CredentialKey) {
        credentials.withLock { $0[key] = nil }
    }
}
