import HTTPChainCore

/// The key of a stored credential: a protection space, or a service name chosen by the application.
public struct CredentialKey: Sendable, Hashable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The key as text, identical in every run of the program.
    public let rawValue: String

    /// Makes a key from a service name: `com.example.backup`.
    public init(service: String) {
        rawValue = service
    }

    /// Makes a key from a protection space.
    public init(_ space: ProtectionSpace) {
        rawValue = space.description
    }

    /// Makes a key from a service name as a literal.
    public init(stringLiteral service: String) {
        self.init(service: service)
    }

    /// The key as text.
    public var description: String { rawValue }
}

/// A store for credentials: memory, a file, or the system's keychain or secret service.
public protocol CredentialStore: Sendable {
    /// Returns the credential for a key, or `nil` if there is none.
    func credential(for key: CredentialKey) async throws -> Credential?
    /// Stores a credential, replacing the previous one.
    func set(_ credential: Credential, for key: CredentialKey) async throws
    /// Removes the credential, if there is one.
    func removeCredential(for key: CredentialKey) async throws
}

/// Keeps credentials in memory while the program runs.
public final class InMemoryCredentialStore: CredentialStore {
    private let credentials: Locked<[CredentialKey: Credential]>

    /// Makes a store.
    ///
    /// - Parameter credentials: The initial credentials. Defaults to none.
    public init(_ credentials: [CredentialKey: Credential] = [:]) {
        self.credentials = Locked(credentials)
    }

    /// Returns the credential for a key.
    public func credential(for key: CredentialKey) -> Credential? {
        credentials.withLock { $0[key] }
    }

    /// Stores a credential.
    public func set(_ credential: Credential, for key: CredentialKey) {
        credentials.withLock { $0[key] = credential }
    }

    /// Removes a credential.
    public func removeCredential(for key: CredentialKey) {
        credentials.withLock { $0[key] = nil }
    }
}
