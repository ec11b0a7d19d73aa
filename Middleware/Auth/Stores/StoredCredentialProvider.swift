import HTTPChainCore

/// Provides credentials from a store, or from another provider if the store has none or its credential was rejected.
///
/// ```swift
/// let store = FileCredentialStore(at: home.appending(path: ".config/tool/credentials.json"))
/// let provider = StoredCredentialProvider(store, for: "https://api.example.com", asking: prompt)
/// ```
///
/// The other provider's credential replaces the rejected one in the store. Until then, a rejected credential stays in
/// the store, so that it isn't lost because of a 401 with another cause, such as a fault of the server.
///
/// After a change of the store in this process, such as ``CredentialStore/removeCredential(for:)``, a stage calls the
/// provider again before it sends a credential preemptively.
public struct StoredCredentialProvider: CredentialProvider, BuiltInCredentialProvider, ChangeCountingProvider {
    private let store: any CredentialStore
    private let service: String?
    private let fallback: (any CredentialProvider)?
    package let boundOrigins: OriginSet

    /// Uses credentials from a store.
    ///
    /// - Parameters:
    ///   - store: The credential store.
    ///   - origins: The origins that may receive them.
    ///   - service: The store key, such as `com.example.backup`. Defaults to one per protection space.
    ///   - fallback: The provider to call if there is no credential or it was rejected. Defaults to none.
    public init(
        _ store: any CredentialStore,
        for origins: some OriginSetConvertible,
        service: String? = nil,
        asking fallback: (any CredentialProvider)? = nil
    ) {
        self.store = store
        boundOrigins = origins.originSet
        self.service = service
        self.fallback = fallback
    }

    /// Returns the stored credential, or the other provider's.
    ///
    /// - Throws: Rethrows errors of the store and the other provider.
    package func provided(for space: ProtectionSpace, rejected: Credential?) async throws -> Credential? {
        try await answer(for: space, rejected: rejected).credential
    }

    /// The number of changes of the store, and of the other provider's.
    package var changes: UInt64 { ownChanges &+ ((fallback as? any ChangeCountingProvider)?.changes ?? 0) }

    /// Returns the credential and the changes.
    package func answer(for space: ProtectionSpace, rejected: Credential?) async throws -> CountedAnswer {
        let own = ownChanges
        let before = changes
        let none = CountedAnswer(credential: nil, before: before, after: before)
        guard boundOrigins.contains(space.origin) else { return none }
        let key = service ?? space.description
        if let kept = try await store.credential(for: key), kept != rejected {
            return CountedAnswer(credential: kept, before: before, after: before)
        }
        guard let given = try await fallback?.credential(for: space, rejected: rejected), given != rejected else {
            return none
        }
        guard let counting = store as? any ChangeCountingStore else {
            try await store.set(given, for: key)
            return CountedAnswer(credential: given, before: before, after: before)
        }
        let isOnlyChange = try await counting.store(given, for: key) == own &+ 1
        return CountedAnswer(credential: given, before: before, after: isOnlyChange ? before &+ 1 : before)
    }

    private var ownChanges: UInt64 { (store as? any ChangeCountingStore)?.changes ?? 0 }
}
