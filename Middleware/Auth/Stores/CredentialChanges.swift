import HTTPChainCore

/// A credential store that counts its changes in this process.
///
/// A stage compares the count to find out whether its cached credentials are outdated, without reading the store.
package protocol ChangeCountingStore: CredentialStore {
    /// The number of changes so far.
    var changes: UInt64 { get }
    /// Stores a credential.
    ///
    /// - Returns: The number of changes including this one.
    func store(_ credential: Credential, for key: String) async throws -> UInt64
}

/// A credential provider that counts the changes of its stores.
package protocol ChangeCountingProvider: CredentialProvider {
    /// The number of changes so far.
    var changes: UInt64 { get }
    /// Returns the same credential as ``CredentialProvider/credential(for:rejected:)``, with the changes of its stores.
    func answer(for space: ProtectionSpace, rejected: Credential?) async throws -> CountedAnswer
}

/// A provider's credential, with the changes of its stores.
package struct CountedAnswer: Sendable {
    let credential: Credential?
    /// The number of changes before the provider read its stores.
    let before: UInt64
    /// The same number, including changes that the provider itself made to store its credential.
    let after: UInt64
}

/// A counter of changes.
final class CredentialChanges: Sendable {
    private struct Weak {
        weak var changes: CredentialChanges?
    }

    private static let files = Locked<[String: Weak]>([:])

    private let number = Locked<UInt64>(0)

    var count: UInt64 { number.withLock { $0 } }

    /// Counts a change.
    ///
    /// - Returns: The number of changes including this one.
    @discardableResult
    func note() -> UInt64 {
        number.withLock { number in
            number &+= 1
            return number
        }
    }

    /// Returns the counter that all stores of a file share, as long as one of them exists.
    static func ofFile(at path: String) -> CredentialChanges {
        let new = CredentialChanges()
        return files.withLock { files in
            if let changes = files[path]?.changes { return changes }
            files = files.filter { $0.value.changes != nil }
            files[path] = Weak(changes: new)
            return new
        }
    }
}
