public import HTTPChainCore

/// A source of user names and passwords: a prompt, a keychain, a configuration.
///
/// Concurrent calls that need a credential for the same protection space share one call of the provider.
public protocol CredentialProvider: Sendable {
    /// The origins that its credentials may be sent to; `.any` is for a prompt that decides for each origin itself.
    ///
    /// The provider isn't called for other origins, because the target of a redirect can name any realm.
    var origins: OriginSet { get }

    /// Returns the credential for a protection space.
    ///
    /// - Parameters:
    ///   - space: The protection space. The server chooses its realm, which is `nil` if there was no challenge yet.
    ///   - rejected: The credential that the server has just rejected, or `nil` if none was tried. If the provider
    ///     returns the same one again, it isn't called further.
    /// - Returns: The credential, or `nil` if there is none; the server's response is then returned.
    /// - Throws: Any error; the call fails with it as the cause.
    func credential(for space: ProtectionSpace, rejected: Credential?) async throws -> Credential?
}

/// A credential provider of this package; its public interface has only the members of ``CredentialProvider``.
package protocol BuiltInCredentialProvider: CredentialProvider {
    /// The origins that the credentials may be sent to.
    var boundOrigins: OriginSet { get }
    /// Returns the credential for a protection space, or `nil` if there is none.
    func provided(for space: ProtectionSpace, rejected: Credential?) async throws -> Credential?
}

extension BuiltInCredentialProvider {
    /// The origins that the credentials may be sent to.
    public var origins: OriginSet { boundOrigins }
    /// Returns the credential for a protection space, or `nil` if there is none.
    public func credential(for space: ProtectionSpace, rejected: Credential?) async throws -> Credential? {
        try await provided(for: space, rejected: rejected)
    }
}

/// A provider that calls a closure for the given origins.
public struct ClosureCredentialProvider: CredentialProvider, BuiltInCredentialProvider {
    private let provide: @Sendable (ProtectionSpace, _ rejected: Credential?) async throws -> Credential?
    package let boundOrigins: OriginSet

    /// Binds a closure to origins.
    ///
    /// - Parameters:
    ///   - origins: The origins that the credentials may be sent to.
    ///   - provide: A closure that provides a credential; see ``CredentialProvider/credential(for:rejected:)``.
    public init(
        for origins: some OriginSetConvertible,
        _ provide: @escaping @Sendable (ProtectionSpace, _ rejected: Credential?) async throws -> Credential?
    ) {
        boundOrigins = origins.originSet
        self.provide = provide
    }

    /// Returns the closure's credential, or `nil` for other origins.
    package func provided(for space: ProtectionSpace, rejected: Credential?) async throws -> Credential? {
        guard boundOrigins.contains(space.origin) else { return nil }
        return try await provide(space, rejected)
    }
}

extension CredentialProvider where Self == ClosureCredentialProvider {
    /// A fixed user for the given origins.
    public static func fixed(
        user: String,
        password: Secret,
        for origins: some OriginSetConvertible
    ) -> ClosureCredentialProvider {
        let credential = Credential(user: user, password: password)
        return ClosureCredentialProvider(for: origins) { _, rejected in rejected == nil ? credential : nil }
    }
}
