public import Foundation
public import HTTPChainCore

/// The credentials for an AWS signature.
public struct AWSCredentials: Sendable, Hashable {
    /// The key's identifier, which is sent.
    package var accessKeyID: String
    /// The key, which is never sent.
    package var secretAccessKey: Secret
    /// The token of temporary credentials, which is sent.
    package var sessionToken: Secret?
    /// The time at which temporary credentials expire.
    public var expiration: Date?

    /// Makes credentials.
    ///
    /// - Parameters:
    ///   - accessKeyID: The identifier of the key.
    ///   - secretAccessKey: The key.
    ///   - sessionToken: The token of temporary credentials; none by default.
    ///   - expiration: The time of expiration. By default, the credentials don't expire.
    public init(
        accessKeyID: String,
        secretAccessKey: Secret,
        sessionToken: Secret? = nil,
        expiration: Date? = nil
    ) {
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
        self.expiration = expiration
    }
}

/// A source of credentials, such as the environment, an instance's metadata or a token service.
///
/// An ``AWSSigner`` caches the credentials. When they are about to expire, it requests new ones, only once for all
/// concurrent requests. Credentials without an expiration are cached until ``AWSSigner/forgetCredentials()`` is called,
/// for example after a change of account.
public protocol AWSCredentialProvider: Sendable {
    /// Returns valid credentials.
    ///
    /// - Throws: Any error. All waiting requests fail with it as the cause.
    func credentials() async throws -> AWSCredentials
}

/// A provider of this package.
///
/// Outside the package, only the member of ``AWSCredentialProvider`` is visible.
package protocol BuiltInAWSCredentialProvider: AWSCredentialProvider {
    /// Returns valid credentials.
    func provided() async throws -> AWSCredentials
}

extension BuiltInAWSCredentialProvider {
    /// Returns valid credentials.
    public func credentials() async throws -> AWSCredentials { try await provided() }
}

extension AWSCredentials: AWSCredentialProvider, BuiltInAWSCredentialProvider {
    package func provided() -> AWSCredentials { self }
}

/// A provider that calls a closure.
public struct ClosureAWSCredentialProvider: AWSCredentialProvider, BuiltInAWSCredentialProvider {
    let provide: @Sendable () async throws -> AWSCredentials

    package func provided() async throws -> AWSCredentials { try await provide() }
}

extension AWSCredentialProvider where Self == ClosureAWSCredentialProvider {
    /// A provider that calls a closure.
    public static func asking(
        _ provide: @escaping @Sendable () async throws -> AWSCredentials
    ) -> ClosureAWSCredentialProvider {
        ClosureAWSCredentialProvider(provide: provide)
    }
}
