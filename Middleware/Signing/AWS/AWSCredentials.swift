public import Foundation
public import HTTPChainCore

/// The credentials that an AWS signature is made with.
public struct AWSCredentials: Sendable, Hashable {
    /// The identifier of the key, which is sent.
    public var accessKeyID: String
    /// The key, which is not.
    public var secretAccessKey: Secret
    /// The token of temporary credentials, which is sent.
    public var sessionToken: Secret?
    /// The time at which temporary credentials expire.
    public var expiration: Date?

    /// Makes credentials.
    ///
    /// - Parameters:
    ///   - accessKeyID: The identifier of the key.
    ///   - secretAccessKey: The key.
    ///   - sessionToken: The token of temporary credentials; none by default.
    ///   - expiration: When they expire; never by default.
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

/// A source of credentials: the environment, an instance's metadata, a token service.
///
/// An ``AWSSigner`` keeps the credentials, and asks for others when they are about to expire: once, however many
/// requests need them at the same time.
public protocol AWSCredentialProvider: Sendable {
    /// Returns credentials that are valid.
    ///
    /// - Throws: What keeps it from having some; the requests that wait fail with that as the cause.
    func credentials() async throws -> AWSCredentials
}

extension AWSCredentials: AWSCredentialProvider {
    /// Returns themselves.
    public func credentials() async throws -> AWSCredentials { self }
}

/// A provider that is a closure.
public struct ClosureAWSCredentialProvider: AWSCredentialProvider {
    private let provide: @Sendable () async throws -> AWSCredentials

    /// Makes a provider of a closure.
    public init(_ provide: @escaping @Sendable () async throws -> AWSCredentials) {
        self.provide = provide
    }

    /// Returns the credentials of the closure.
    public func credentials() async throws -> AWSCredentials { try await provide() }
}

extension AWSCredentialProvider where Self == ClosureAWSCredentialProvider {
    /// Credentials that a closure provides.
    public static func asking(
        _ provide: @escaping @Sendable () async throws -> AWSCredentials
    ) -> ClosureAWSCredentialProvider {
        ClosureAWSCredentialProvider(provide)
    }
}
