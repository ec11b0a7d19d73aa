public import HTTPChainCore

/// The protection that a scheme gives to what it sends; of the schemes that a server offers the strongest is used.
public struct AuthenticationStrength: RawRepresentable, Sendable, Hashable, Comparable {
    /// Larger is stronger.
    public let rawValue: Int

    /// Makes a strength of its own.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The password itself is sent: Basic.
    public static let password = AuthenticationStrength(rawValue: 100)
    /// A proof of the password is sent: Digest.
    public static let proof = AuthenticationStrength(rawValue: 200)
    /// A token is sent that can be taken back and expires: Bearer.
    public static let token = AuthenticationStrength(rawValue: 300)

    /// Weaker ones come first.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// One authentication scheme, as ``AuthenticationMiddleware`` uses it.
///
/// An authenticator makes credentials; the stage sends requests, chooses among schemes, counts, and keeps credentials
/// from requests that must not have them. So an authenticator is tested without a chain: give it a request and a
/// challenge, and look at the request's field.
///
/// Calls come from many tasks at the same time. What it remembers, it remembers by ``AuthenticationContext/origin``;
/// what is about one call alone, in ``AuthenticationContext/note``.
public protocol Authenticator: Sendable {
    /// The scheme's name in challenges: `Basic`, `Digest`, `Bearer`.
    var scheme: String { get }

    /// The protection that the scheme gives; of those that are offered and have a credential the strongest is used.
    var strength: AuthenticationStrength { get }

    /// The origins that its credentials are for; the stage asks it for no others.
    var origins: OriginSet { get }

    /// Whether its credentials may be sent without TLS to a host other than this machine; `false` by default.
    var allowsPlaintext: Bool { get }

    /// Whether it may send credentials to a server that did not ask for them, given the chance; `false` by default.
    var sendsPreemptively: Bool { get }

    /// Whether ``check(_:to:in:)`` does anything; `true` by default.
    var checksResponses: Bool { get }

    /// Whether it takes every 401 to a request that has its credentials as a rejection of them, whatever schemes are
    /// offered, if any; `false` by default.
    ///
    /// Its ``answer(_:to:in:)`` is then given a challenge that has no parameters.
    var takesEveryRejection: Bool { get }

    /// Whether it ends its waits when the deadline of the call has come, as a
    /// ``/HTTPChainCore/DeadlineKeepingMiddleware`` does; `false` by default.
    var keepsDeadlines: Bool { get }

    /// The settings of the authenticator, for ``/HTTPChainCore/Chain/explain()``; never a secret. Nothing by default.
    var settings: [StageSummary.Setting] { get }

    /// Returns the problems with how it is set, found when a chain is built; by default nothing.
    ///
    /// - Parameter stage: The name of the stage that holds it.
    func problems(of stage: String) -> [ChainProblem]

    /// Adds credentials to a request before it is sent, where it has some for it; by default it never has.
    ///
    /// The request has no such field yet. ``HTTPChainCore/Request/setCredentials(_:in:)`` sets it.
    ///
    /// - Returns: Whether the request now has credentials.
    /// - Throws: What ends the call.
    func prepare(_ request: inout Request, in context: inout AuthenticationContext) async throws -> Bool

    /// The same as ``prepare(_:in:)``, for what needs no waiting: it is called first, and costs less.
    ///
    /// - Returns: Whether the request now has credentials; `nil`, the default, to be called again as ``prepare(_:in:)``.
    /// - Throws: What ends the call.
    func prepareAtOnce(_ request: inout Request, in context: inout AuthenticationContext) throws -> Bool?

    /// The challenge it would answer, out of all that a response holds, or `nil` when there is none; by default the
    /// first of its scheme.
    func select(from challenges: [Challenge]) -> Challenge?

    /// Answers a challenge: adds credentials to the request, which is sent again.
    ///
    /// The request is as it was sent last: when it has credentials of this scheme, the server has turned them down.
    ///
    /// - Returns: Whether the request now has other credentials, or why not.
    /// - Throws: What ends the call.
    func answer(
        _ challenge: Challenge,
        to request: inout Request,
        in context: inout AuthenticationContext
    ) async throws -> AuthenticationAnswer

    /// Notes a challenge that cannot be answered in this call, because the body can be read only once.
    ///
    /// - Returns: Why the response is left to the caller; ``AuthenticationRefusal/bodyReadableOnce`` by default.
    func leave(
        _ challenge: Challenge,
        to request: Request,
        in context: AuthenticationContext
    ) -> AuthenticationRefusal

    /// Looks at the response to a request that had its credentials and was not rejected; by default it does not.
    ///
    /// - Throws: What ends the call, such as a proof of the server that is wrong.
    func check(_ response: inout Response, to request: Request, in context: AuthenticationContext) async throws
}

extension Authenticator {
    /// Over TLS alone.
    public var allowsPlaintext: Bool { false }

    /// Not before it is asked.
    public var sendsPreemptively: Bool { false }

    /// It does.
    public var checksResponses: Bool { true }

    /// A 401 that names its scheme.
    public var takesEveryRejection: Bool { false }

    /// It may wait for people, who know of no deadline.
    public var keepsDeadlines: Bool { false }

    /// Nothing to tell.
    public var settings: [StageSummary.Setting] { [] }

    /// Nothing wrong.
    public func problems(of stage: String) -> [ChainProblem] { [] }

    /// No credentials before they are asked for.
    public func prepare(
        _ request: inout Request,
        in context: inout AuthenticationContext
    ) async throws -> Bool { false }

    /// It does not know without waiting.
    public func prepareAtOnce(
        _ request: inout Request,
        in context: inout AuthenticationContext
    ) throws -> Bool? { nil }

    /// The body is why.
    public func leave(
        _ challenge: Challenge,
        to request: Request,
        in context: AuthenticationContext
    ) -> AuthenticationRefusal { .bodyReadableOnce }

    /// The first of the scheme.
    public func select(from challenges: [Challenge]) -> Challenge? {
        challenges.first { $0.is(scheme) }
    }

    /// Every response is well.
    public func check(_ response: inout Response, to request: Request, in context: AuthenticationContext) async throws {
    }
}

/// A result of answering a challenge.
public enum AuthenticationAnswer: Sendable, Hashable {
    /// The request has other credentials than before: it is worth sending again.
    case answered
    /// It has none, for this reason.
    case declined(AuthenticationRefusal)
}
