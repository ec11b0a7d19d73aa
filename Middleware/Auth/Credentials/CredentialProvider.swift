public import HTTPChainCore

/// A source of user names and passwords: a prompt, a keychain, a configuration.
///
/// Calls at the same time that need a credential for one protection space ask once, and share the answer.
public protocol CredentialProvider: Sendable {
    /// The origins that its credentials may be sent to; ``OriginSet/any`` for a prompt that decides for each.
    ///
    /// It is not asked for a credential of another origin: whoever a request is redirected to may name any realm.
    var origins: OriginSet { get }

    /// The credential for a protection space.
    ///
    /// - Parameters:
    ///   - space: Who asks. Its realm is chosen by the server, and is `nil` while the server has not asked.
    ///   - rejected: The credential that the server has just rejected; `nil` when none was tried. Who returns the
    ///     same one again is not asked further.
    /// - Returns: The credential, or `nil` for none: the server's answer then stands.
    /// - Throws: Whatever keeps it from knowing; the call ends with that error as the cause.
    func credential(for space: ProtectionSpace, rejected: Credential?) async throws -> Credential?
}

/// One credential for the origins named, and for no other.
public struct FixedCredential: CredentialProvider {
    private let credential: Credential
    /// The origins that the credential may be sent to.
    public let origins: OriginSet

    /// Binds a credential to origins.
    public init(_ credential: Credential, for origins: some OriginSetConvertible) {
        self.credential = credential
        self.origins = origins.originSet
    }

    /// The credential, unless it was rejected or the origin is another.
    public func credential(for space: ProtectionSpace, rejected: Credential?) -> Credential? {
        rejected == nil && origins.contains(space.origin) ? credential : nil
    }
}

/// Credentials that a closure provides, for the origins named and for no other.
public struct ClosureCredentialProvider: CredentialProvider {
    /// A closure that provides a credential; see ``CredentialProvider/credential(for:rejected:)``.
    public typealias Provide = @Sendable (ProtectionSpace, _ rejected: Credential?) async throws -> Credential?

    private let provide: Provide
    /// The origins that the credentials may be sent to.
    public let origins: OriginSet

    /// Binds what a closure provides to origins.
    public init(for origins: some OriginSetConvertible, _ provide: @escaping Provide) {
        self.origins = origins.originSet
        self.provide = provide
    }

    /// Returns the credential of the closure; `nil` when the origin is another.
    public func credential(for space: ProtectionSpace, rejected: Credential?) async throws -> Credential? {
        guard origins.contains(space.origin) else { return nil }
        return try await provide(space, rejected)
    }
}

extension CredentialProvider where Self == FixedCredential {
    /// One user for the origins named, and for no other.
    public static func fixed(user: String, password: Secret, for origins: some OriginSetConvertible) -> FixedCredential
    {
        FixedCredential(Credential(user: user, password: password), for: origins)
    }
}

extension CredentialProvider where Self == ClosureCredentialProvider {
    /// Provides what a closure returns, for the origins named and for no other.
    public static func asking(
        for origins: some OriginSetConvertible,
        _ provide: @escaping ClosureCredentialProvider.Provide
    ) -> ClosureCredentialProvider {
        ClosureCredentialProvider(for: origins, provide)
    }
}
