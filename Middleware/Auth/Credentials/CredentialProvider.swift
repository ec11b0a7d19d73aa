public import HTTPChainCore

/// Where user names and passwords come from: a prompt, a keychain, a configuration.
///
/// Calls at the same time that need a credential for one protection space ask once, and share the answer.
public protocol CredentialProvider: Sendable {
    /// The origins it has credentials for, for a stage to show and to check; `nil`, the default, when it does not say.
    var origins: OriginSet? { get }

    /// The credential for a protection space.
    ///
    /// - Parameters:
    ///   - space: Who asks. Its realm is chosen by the server, and is `nil` while the server has not asked.
    ///   - rejected: The credential that the server has just turned down; `nil` when none was tried. Who returns the
    ///     same one again is not asked further.
    /// - Returns: The credential, or `nil` for none: the server's answer then stands.
    /// - Throws: Whatever keeps it from knowing; the call ends with that error as the cause.
    func credential(for space: ProtectionSpace, rejected: Credential?) async throws -> Credential?
}

extension CredentialProvider {
    /// It does not say.
    public var origins: OriginSet? { nil }
}

/// One credential for the origins named, and for no other.
public struct FixedCredential: CredentialProvider {
    private let credential: Credential
    /// Where it may go.
    public let origins: OriginSet?

    /// Binds a credential to origins.
    public init(_ credential: Credential, for origins: OriginSet) {
        self.credential = credential
        self.origins = origins
    }

    /// The credential, unless it was rejected or the origin is another.
    public func credential(for space: ProtectionSpace, rejected: Credential?) -> Credential? {
        rejected == nil && origins?.contains(space.origin) == true ? credential : nil
    }
}

/// Credentials that a closure provides, for the origins named and for no other.
public struct ClosureCredentialProvider: CredentialProvider {
    /// What provides a credential; see ``CredentialProvider/credential(for:rejected:)``.
    public typealias Provide = @Sendable (ProtectionSpace, _ rejected: Credential?) async throws -> Credential?

    private let provide: Provide
    /// Where the credentials may go.
    public let origins: OriginSet?

    /// Binds what a closure provides to origins.
    public init(for origins: OriginSet, _ provide: @escaping Provide) {
        self.origins = origins
        self.provide = provide
    }

    /// What the closure returns; `nil` when the origin is another.
    public func credential(for space: ProtectionSpace, rejected: Credential?) async throws -> Credential? {
        guard origins?.contains(space.origin) == true else { return nil }
        return try await provide(space, rejected)
    }
}

extension CredentialProvider where Self == FixedCredential {
    /// One user for the origins named, and for no other.
    public static func fixed(user: String, password: Secret, for origins: OriginSet) -> FixedCredential {
        FixedCredential(Credential(user: user, password: password), for: origins)
    }
}

extension CredentialProvider where Self == ClosureCredentialProvider {
    /// What a closure provides, for the origins named and for no other.
    public static func asking(
        for origins: OriginSet,
        _ provide: @escaping ClosureCredentialProvider.Provide
    ) -> ClosureCredentialProvider {
        ClosureCredentialProvider(for: origins, provide)
    }
}
