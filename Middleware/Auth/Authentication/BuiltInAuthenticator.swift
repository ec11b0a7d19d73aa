package import HTTPChainCore

/// An authenticator of this package, with additional members that let the stage skip work.
///
/// It implements these package requirements, and the public members of ``Authenticator`` are derived from them.
package protocol BuiltInAuthenticator: Authenticator {
    /// The scheme's name in challenges.
    var schemeName: String { get }
    /// The protection that the scheme gives.
    var protection: AuthenticationStrength { get }
    /// The origins of its credentials.
    var boundOrigins: OriginSet { get }
    /// Whether its credentials may be sent without TLS to a host other than this machine.
    var isPlaintextAllowed: Bool { get }
    /// Whether it may send credentials to a server that didn't ask for them; `false` by default.
    var isPreemptive: Bool { get }

    /// Adds credentials to a request before it is sent, and returns whether it did.
    func addCredentials(to request: inout Request, in context: inout AuthenticationContext) async throws -> Bool
    /// Selects the challenge to answer; by default, the first of the scheme.
    func challenge(among challenges: [Challenge]) -> Challenge?
    /// Answers a challenge.
    func respond(
        to challenge: Challenge,
        for request: inout Request,
        in context: inout AuthenticationContext
    ) async throws -> AuthenticationAnswer
    /// Checks the response to a request that had its credentials and wasn't rejected; does nothing by default.
    func verify(_ response: inout Response, to request: Request, in context: AuthenticationContext) async throws

    /// Whether ``verify(_:to:in:)`` does anything.
    var checksResponses: Bool { get }

    /// Whether every 401 to a request with its credentials counts as a rejection of them, regardless of the offered
    /// schemes.
    ///
    /// If so, ``respond(to:for:in:)`` may receive a challenge without parameters.
    var takesEveryRejection: Bool { get }

    /// Whether it stops waiting at the call's deadline, as required of a ``/HTTPChainCore/DeadlineKeepingMiddleware``.
    var keepsDeadlines: Bool { get }

    /// The authenticator's settings, for ``/HTTPChainCore/Chain/explain()``, without secrets.
    var settings: [StageSummary.Setting] { get }

    /// Returns problems with its settings, for a chain that is being built.
    ///
    /// - Parameter stage: The name of the stage that contains it.
    func problems(of stage: String) -> [ChainProblem]

    /// Records the user whose credentials are in use when a call begins; does nothing by default.
    func noteIdentity(in identity: CallIdentity)

    /// Adds credentials like ``addCredentials(to:in:)``, but without waiting.
    ///
    /// It is called first, because it costs less.
    ///
    /// - Returns: Whether the request now has credentials, or `nil` if ``addCredentials(to:in:)`` must be called.
    /// - Throws: Any error; it ends the call.
    func prepareAtOnce(_ request: inout Request, in context: inout AuthenticationContext) throws -> Bool?

    /// Records a challenge that can't be answered in this call because the body can be read only once.
    ///
    /// - Returns: The reason for not answering.
    func leave(
        _ challenge: Challenge,
        to request: Request,
        in context: AuthenticationContext
    ) -> AuthenticationRefusal
}

extension BuiltInAuthenticator {
    package var checksResponses: Bool { true }
    package var takesEveryRejection: Bool { false }
    package var keepsDeadlines: Bool { false }
    package var settings: [StageSummary.Setting] { [] }

    package func problems(of stage: String) -> [ChainProblem] { [] }

    package func noteIdentity(in identity: CallIdentity) {}

    package func prepareAtOnce(_ request: inout Request, in context: inout AuthenticationContext) throws -> Bool? {
        nil
    }

    package func leave(
        _ challenge: Challenge,
        to request: Request,
        in context: AuthenticationContext
    ) -> AuthenticationRefusal { .bodyReadableOnce }
}

extension BuiltInAuthenticator {
    package var isPreemptive: Bool { false }

    package func challenge(among challenges: [Challenge]) -> Challenge? {
        challenges.first { $0.is(schemeName) }
    }

    package func verify(
        _ response: inout Response,
        to request: Request,
        in context: AuthenticationContext
    ) async throws {}

    /// The scheme's name in challenges.
    public var scheme: String { schemeName }
    /// The protection that the scheme gives.
    public var strength: AuthenticationStrength { protection }
    /// The origins of its credentials.
    public var origins: OriginSet { boundOrigins }
    /// Whether its credentials may be sent without TLS to a host other than this machine.
    public var allowsPlaintext: Bool { isPlaintextAllowed }

    /// Adds credentials to a request before it is sent, and returns whether it did.
    public func prepare(_ request: inout Request, in context: inout AuthenticationContext) async throws -> Bool {
        try await addCredentials(to: &request, in: &context)
    }

    /// Selects the challenge to answer.
    public func select(from challenges: [Challenge]) -> Challenge? { challenge(among: challenges) }

    /// Answers a challenge.
    public func answer(
        _ challenge: Challenge,
        to request: inout Request,
        in context: inout AuthenticationContext
    ) async throws -> AuthenticationAnswer {
        try await respond(to: challenge, for: &request, in: &context)
    }

    /// Checks the response to a request that had its credentials and wasn't rejected.
    public func check(_ response: inout Response, to request: Request, in context: AuthenticationContext) async throws {
        try await verify(&response, to: request, in: context)
    }
}

/// Adapts a custom authenticator for use by the stage.
struct CustomAuthenticator: BuiltInAuthenticator {
    let own: any Authenticator

    var schemeName: String { own.scheme }
    var protection: AuthenticationStrength { own.strength }
    var boundOrigins: OriginSet { own.origins }
    var isPlaintextAllowed: Bool { own.allowsPlaintext }

    func addCredentials(to request: inout Request, in context: inout AuthenticationContext) async throws -> Bool {
        try await own.prepare(&request, in: &context)
    }

    func challenge(among challenges: [Challenge]) -> Challenge? { own.select(from: challenges) }

    func respond(
        to challenge: Challenge,
        for request: inout Request,
        in context: inout AuthenticationContext
    ) async throws -> AuthenticationAnswer {
        try await own.answer(challenge, to: &request, in: &context)
    }

    func verify(_ response: inout Response, to request: Request, in context: AuthenticationContext) async throws {
        try await own.check(&response, to: request, in: context)
    }
}
