public import HTTPChainCore

/// A source of user names and passwords: a prompt, a keychain, a configuration.
///
/// Concurrent calls that need a credential for the same protection space ask once and share the result.
public protocol CredentialProvider: Sendable {
    /// The origins that its credentials may be sent to. `.any` is for a prompt that decides for each one.
    ///
    /// The provider isn't asked for other origins, because the target of a redirect can name any realm.
    var origins: OriginSet { get }

    /// Returns the credential for a protection space.
    ///
    /// - Parameters:
    ///   - space: The protection space. Its realm is chosen by the server, and is `nil` if there was no challenge yet.
    ///   - rejected: The credential that the server has just rejected, or `nil` if none was tried. A provider that
    ///     returns the same one again isn't asked further.
    /// - Returns: The credential, or `nil` if there is none, so that the server's response is returned.
    /// - Throws: Any error; the call fails with it as the cause.
    func credential(for space: ProtectionSpace, rejected: Credential?) async throws -> Credential?
}

/// A credential provider of this package; outside, it has only the members of ``CredentialProvider``.
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

/// A provider that calls a closure, for the given origins, and isn't asked for others.
public struct ClosureCredentialProvider: CredentialProvider, BuiltInCredentialProvider {
    private let provide: @Sendable (ProtectionSpace, _ rejected: Credential?) async throws -> Credential?
    package let boundOrigins: OriginSet

    /// Binds a closure to origins.
    ///
    /// - Parameters:
    ///   - origins: The origins that the credentials may be sent to.
    ///   - provide: Provides a credential; see ``CredentialProvider/credential(for:rejected:)``.
    public init(
        for origins: some OriginSetConvertible,
        _ provide: @escaping @Sendable (ProtectionSpace, _ rejected: Credential?) async throws -> Credential?
    ) {
        boundOrigins = origins.originSet
        self.provide = provide
    }

    /// Returns the closure's credential, or `nil` if the origin is another.
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
