import HTTPChainCore
import HTTPTypes

/// The state of a challenged call: the scheme of its credentials, and the number of challenges answered.
struct Negotiation: Sendable {
    let authenticators: [any BuiltInAuthenticator]
    let maximumAnswers: Int
    let outer: [KnownScheme]
    let proven: KnownScheme?
    private(set) var context: AuthenticationContext
    /// The authenticator of the request's credentials.
    private(set) var current: Int?

    func check(_ response: inout Response, to request: Request) async throws {
        guard let current else { return }
        try await authenticators[current].verify(&response, to: request, in: context)
    }

    /// Adds credentials that answer the response's challenges, or returns the reason for not adding any.
    mutating func answer(_ response: Response, to request: inout Request) async throws -> AuthenticationRefusal? {
        if context.target == .origin, let origin = response.origin(otherThan: context.origin) {
            return .otherOrigin(origin)
        }
        guard context.answers < maximumAnswers else { return .tooManyAnswers(context.answers) }
        context.rejection = Rejection(response, time: request.environment.time)
        let challenges = response.challenges(context.target)
        let offers = { (scheme: KnownScheme) in challenges.contains { $0.is(scheme.name) } }
        var refusal: AuthenticationRefusal?
        for (index, authenticator) in authenticators.enumerated() {
            let named = authenticator.challenge(among: challenges)
            guard let challenge = named ?? rejection(of: index) else { continue }
            if let reason = authenticator.refusal(to: context.origin, realm: challenge.realm, context.target) {
                refusal = refusal ?? reason
                continue
            }
            if let stronger = strongerProven(than: authenticator, response) {
                return .wouldWeaken(from: stronger.name, to: authenticator.scheme)
            }
            guard request.body.isReplayable else { return authenticator.leave(challenge, to: request, in: context) }
            if outer.hold(authenticator, back: context.target, where: offers) { return refusal ?? .leftToOuterStage }
            if let rejected = response.options[RejectedSchemeFact.self], rejected.target == context.target,
                rejected.strength > authenticator.strength, offers(rejected)
            {
                return .wouldWeaken(from: rejected.name, to: authenticator.scheme)
            }
            if index != current { context.note = nil }
            switch try await authenticator.respond(to: challenge, for: &request, in: &context) {
            case .answered:
                current = index
                context.answers += 1
                return nil
            // A credential of another scheme may belong to another user.
            case .declined(.changedUser): return .changedUser
            case .declined(let reason):
                // If the server doesn't offer the scheme, weaker ones may be used.
                guard named == nil || reason.leavesRoomForWeaker && index != current else { return reason }
                refusal = refusal ?? reason
            }
        }
        return refusal ?? .noCommonScheme(offered: challenges.map(\.scheme))
    }

    /// Returns a substitute for the challenge of the scheme whose credentials were sent, if the response has none for
    /// that scheme.
    private func rejection(of index: Int) -> Challenge? {
        index == current && authenticators[index].takesEveryRejection ? Challenge(authenticators[index].scheme) : nil
    }

    /// Returns a stronger scheme that the origin has accepted before, in this stage or another.
    ///
    /// It doesn't matter whether the scheme is offered now, because an attacker on the network path would remove the
    /// offer.
    private func strongerProven(than authenticator: any Authenticator, _ response: Response) -> KnownScheme? {
        let known = [proven, response.options[RejectedSchemeFact.self]] + outer
        return known.lazy.compactMap { $0 }.first {
            $0.isProven && $0.target == context.target && $0.strength > authenticator.strength
        }
    }

    /// Records that the origin accepts the scheme whose credentials were sent last.
    ///
    /// Doesn't record tokens: another path of the origin may require a password, which is unrelated to the token.
    func noteSuccess(in schemes: ProvenSchemes) {
        guard let current, authenticators[current].strength > .password, authenticators[current].strength != .token
        else { return }
        let scheme = KnownScheme(authenticators[current], context.target, isProven: true)
        schemes.note(scheme, at: context.origin)
    }

    /// Reports the refusal to the caller and the outer stages.
    func leave(_ response: inout Response, for refusal: AuthenticationRefusal) {
        // An inner stage that supports the scheme has reported a better reason.
        if case .noCommonScheme = refusal, response.authenticationRefusal != nil {
        } else {
            response.authenticationRefusal = refusal
        }
        if let proven {
            response.options[RejectedSchemeFact.self] = proven
        } else if let current {
            response.options[RejectedSchemeFact.self] = KnownScheme(authenticators[current], context.target)
        }
    }
}

extension Authenticator {
    /// Returns the reason why the authenticator's credentials may not be sent to an origin, or `nil` if they may.
    func refusal(
        to origin: Origin,
        realm: String? = nil,
        _ target: AuthenticationTarget = .origin
    ) -> AuthenticationRefusal? {
        guard origins.contains(origin) else {
            return .noCredential(ProtectionSpace(origin: origin, realm: realm, target: target, scheme: scheme))
        }
        return allowsPlaintext || origin.isConfidential ? nil : .plaintext(scheme: scheme, origin)
    }
}

extension AuthenticationRefusal {
    /// Whether no credentials were sent that a weaker scheme would expose.
    fileprivate var leavesRoomForWeaker: Bool {
        switch self {
        case .noCredential, .unsupportedChallenge: true
        default: false
        }
    }
}
