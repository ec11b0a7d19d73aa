package import HTTPChainCore

/// An authenticator of this package, with the members that spare a stage work.
package protocol BuiltInAuthenticator: Authenticator {
    /// Whether ``check(_:to:in:)`` does anything.
    var checksResponses: Bool { get }

    /// Whether every 401 to a request with its credentials counts as a rejection of them, regardless of the offered
    /// schemes.
    ///
    /// If so, ``answer(_:to:in:)`` may receive a challenge without parameters.
    var takesEveryRejection: Bool { get }

    /// Whether it stops waiting at the call's deadline, as required of a ``/HTTPChainCore/DeadlineKeepingMiddleware``.
    var keepsDeadlines: Bool { get }

    /// The authenticator's settings, for ``/HTTPChainCore/Chain/explain()``, without secrets.
    var settings: [StageSummary.Setting] { get }

    /// Returns problems with its settings, found when a chain is built.
    ///
    /// - Parameter stage: The name of the stage that contains it.
    func problems(of stage: String) -> [ChainProblem]

    /// Notes the user whose credentials are in use when a call begins; does nothing by default.
    func noteIdentity(in identity: CallIdentity)

    /// Adds credentials like ``prepare(_:in:)``, but without waiting. It is called first, and costs less.
    ///
    /// - Returns: Whether the request now has credentials, or `nil` to have ``prepare(_:in:)`` called.
    /// - Throws: Any error; it ends the call.
    func prepareAtOnce(_ request: inout Request, in context: inout AuthenticationContext) throws -> Bool?

    /// Notes a challenge that can't be answered in this call because the body can be read only once.
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

/// A user's own authenticator, as the stage calls it.
struct CustomAuthenticator: BuiltInAuthenticator {
    let own: any Authenticator

    var scheme: String { own.scheme }
    var strength: AuthenticationStrength { own.strength }
    var origins: OriginSet { own.origins }
    var allowsPlaintext: Bool { own.allowsPlaintext }
    var sendsPreemptively: Bool { own.sendsPreemptively }

    func prepare(_ request: inout Request, in context: inout AuthenticationContext) async throws -> Bool {
        try await own.prepare(&request, in: &context)
    }

    func select(from challenges: [Challenge]) -> Challenge? { own.select(from: challenges) }

    func answer(
        _ challenge: Challenge,
        to request: inout Request,
        in context: inout AuthenticationContext
    ) async throws -> AuthenticationAnswer {
        try await own.answer(challenge, to: &request, in: &context)
    }

    func check(_ response: inout Response, to request: Request, in context: AuthenticationContext) async throws {
        try await own.check(&response, to: request, in: context)
    }
}
