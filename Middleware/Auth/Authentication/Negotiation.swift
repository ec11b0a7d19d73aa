import HTTPChainCore
import HTTPTypes

/// The state of one call that was challenged: which scheme its credentials are of, and how many challenges were
/// answered.
struct Negotiation: Sendable {
    private let authenticators: [any Authenticator]
    private let maximumAnswers: Int
    private let outer: [KnownScheme]
    private var context: AuthenticationContext
    /// The authenticator whose credentials the request has.
    private var current: Int?

    init(
        _ stage: AuthenticationMiddleware,
        _ context: AuthenticationContext,
        outer: [KnownScheme],
        current: Int?
    ) {
        authenticators = stage.authenticators
        maximumAnswers = stage.maximumAnswers
        self.outer = outer
        self.context = context
        self.current = current
    }

    func check(_ response: inout Response, to request: Request) async throws {
        guard let current else { return }
        try await authenticators[current].check(&response, to: request, in: context)
    }

    /// Adds credentials that answer the response's challenges, or says why there are none.
    mutating func answer(_ response: Response, to request: inout Request) async throws -> AuthenticationRefusal? {
        if let origin = response.originOfAnswer, context.target == .origin, origin != context.origin {
            return .otherOrigin(origin)
        }
        guard context.answers < maximumAnswers else { return .tooManyAnswers(context.answers) }
        let challenges = response.challenges(context.target)
        let offers = { (scheme: KnownScheme) in challenges.contains { $0.is(scheme.name) } }
        var refusal: AuthenticationRefusal?
        for (index, authenticator) in authenticators.enumerated() {
            guard let challenge = authenticator.select(from: challenges) else { continue }
            guard request.body.isReplayable else { return .bodyReadableOnce }
            if outer.hold(authenticator, back: context.target, where: offers) { return refusal ?? .leftToOuterStage }
            if let rejected = response.options[RejectedScheme.self], rejected.target == context.target,
                rejected.strength > authenticator.strength, offers(rejected)
            {
                return .wouldWeaken(from: rejected.name, to: authenticator.scheme)
            }
            switch try await authenticator.answer(challenge, to: &request, in: context) {
            case .answered:
                current = index
                context.answers += 1
                return nil
            case .declined(let reason):
                guard reason.leavesRoomForWeaker else { return reason }
                refusal = refusal ?? reason
            }
        }
        return refusal ?? .noCommonScheme(offered: challenges.map(\.scheme))
    }

    /// Tells the caller and the stages further out what became of the challenge.
    func leave(_ response: inout Response, for refusal: AuthenticationRefusal) {
        response.authenticationRefusal = refusal
        guard let current else { return }
        response.options[RejectedScheme.self] = KnownScheme(
            target: context.target,
            name: authenticators[current].scheme,
            strength: authenticators[current].strength
        )
    }
}

extension AuthenticationRefusal {
    /// Whether nothing was sent that a weaker scheme would give away.
    fileprivate var leavesRoomForWeaker: Bool {
        switch self {
        case .noCredential, .unsupportedChallenge: true
        default: false
        }
    }
}

extension Response {
    /// Where the answer came from, as far as the transport says.
    fileprivate var originOfAnswer: Origin? {
        request.flatMap { Origin(scheme: $0.scheme, authority: $0.authority) }
    }
}
