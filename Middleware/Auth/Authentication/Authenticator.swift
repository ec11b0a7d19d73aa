public import HTTPChainCore

/// The protection that a scheme gives to its credentials; the strongest scheme that a server offers is used.
public enum AuthenticationStrength: Sendable, Hashable, Comparable {
    /// The password itself is sent: Basic.
    case password
    /// A proof of the password is sent: Digest.
    case proof
    /// A token is sent, which expires and can be revoked: Bearer.
    case token
}

/// An authentication scheme for ``AuthenticationMiddleware``.
///
/// An authenticator creates credentials. The stage does everything else: it sends requests, chooses among schemes,
/// counts answers, and withholds credentials from requests that must not have them. An authenticator can therefore be
/// tested without a chain: pass it a request and a challenge, and check the request's field.
///
/// Methods are called concurrently from many tasks. Keep state that outlives a call separately for each
/// ``AuthenticationContext/origin``. Keep the state of a single call in ``AuthenticationContext/note``.
public protocol Authenticator: Sendable {
    /// The scheme's name in challenges: `Basic`, `Digest`, `Bearer`.
    var scheme: String { get }

    /// The protection that the scheme gives. The strongest offered scheme with a credential is used.
    var strength: AuthenticationStrength { get }

    /// The origins that its credentials are for; the stage doesn't use it for other origins.
    var origins: OriginSet { get }

    /// Whether its credentials may be sent without TLS to a host other than this machine. Defaults to `false`.
    var allowsPlaintext: Bool { get }

    /// Adds credentials to a request before it is sent, if there are some for it; does nothing by default.
    ///
    /// The request has no credentials field yet. Set it with ``HTTPChainCore/Request/setCredentials(_:in:)``. Send none
    /// to a server that didn't ask for them if ``AuthenticationContext/maySendPreemptively`` is `false`.
    ///
    /// - Returns: Whether the request now has credentials.
    /// - Throws: Any error; it ends the call.
    func prepare(_ request: inout Request, in context: inout AuthenticationContext) async throws -> Bool

    /// Selects the challenge to answer from all challenges of a response, or `nil` for none. By default, selects the
    /// first of its scheme.
    func select(from challenges: [Challenge]) -> Challenge?

    /// Answers a challenge by adding credentials to the request, which is then retried.
    ///
    /// The request is as it was last sent. If it has credentials of this scheme, the server has rejected them.
    ///
    /// - Returns: Whether the request now has other credentials, or the reason why it doesn't.
    /// - Throws: Any error; it ends the call.
    func answer(
        _ challenge: Challenge,
        to request: inout Request,
        in context: inout AuthenticationContext
    ) async throws -> AuthenticationAnswer

    /// Checks the response to a request that had its credentials and wasn't rejected. Does nothing by default.
    ///
    /// - Throws: Any error, such as for an invalid proof of the server; it ends the call.
    func check(_ response: inout Response, to request: Request, in context: AuthenticationContext) async throws
}

extension Authenticator {
    /// The default value, `false`: only over TLS.
    public var allowsPlaintext: Bool { false }

    /// Adds no credentials.
    public func prepare(
        _ request: inout Request,
        in context: inout AuthenticationContext
    ) async throws -> Bool { false }

    /// Returns the first challenge of the scheme.
    public func select(from challenges: [Challenge]) -> Challenge? {
        challenges.first { $0.is(scheme) }
    }

    /// Accepts every response.
    public func check(_ response: inout Response, to request: Request, in context: AuthenticationContext) async throws {
    }
}

/// The result of answering a challenge.
public enum AuthenticationAnswer: Sendable, Hashable {
    /// The request has new credentials and can be retried.
    case answered
    /// The request has no new credentials, for this reason.
    case declined(AuthenticationRefusal)
}
