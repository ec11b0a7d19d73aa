/// Credentials out of a store, and from another provider when it has none, or its own was rejected.
///
/// ```swift
/// let store = FileCredentialStore(at: home.appending(path: ".config/tool/credentials.json"))
/// let provider = StoredCredentialProvider(store, for: "https://api.example.com", asking: prompt)
/// ```
///
/// What the other provider gives is kept in the store, in place of what the server rejected. A rejected credential stays
/// there until another takes its place: a server that answers 401 for another reason, such as a fault of its own, does
/// not make it forgotten.
public struct StoredCredentialProvider: CredentialProvider {
    private let store: any CredentialStore
    private let service: CredentialKey?
    private let fallback: (any CredentialProvider)?
    /// The origins that the credentials may be sent to.
    public let origins: OriginSet

    /// Takes credentials from a store.
    ///
    /// - Parameters:
    ///   - store: Where they are kept.
    ///   - origins: The origins they may go to.
    ///   - service: The key they are kept under; by default one for each protection space.
    ///   - fallback: The provider that is asked when there is none or it was rejected; none by default.
    public init(
        _ store: any CredentialStore,
        for origins: some OriginSetConvertible,
        service: CredentialKey? = nil,
        asking fallback: (any CredentialProvider)? = nil
    ) {
        self.store = store
        self.origins = origins.originSet
        self.service = service
        self.fallback = fallback
    }

    /// The credential that is kept, or that the other provider gives.
    ///
    /// - Throws: What the store and the other provider throw.
    public func credential(for space: ProtectionSpace, rejected: Credential?) async throws -> Credential? {
        guard origins.contains(space.origin) else { return nil }
        let key = service ?? CredentialKey(space)
        if let kept = try await store.credential(for: key) {
            guard kept == rejected else { return kept }
        }
        guard let given = try await fallback?.credential(for: space, rejected: rejected), given != rejected else {
            return nil
        }
        try await store.set(given, for: key)
        return given
    }
}
