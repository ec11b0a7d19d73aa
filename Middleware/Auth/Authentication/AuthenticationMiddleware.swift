public import HTTPChainCore
import HTTPTypes

/// Authenticates requests with the strongest scheme that the server offers and that has a credential.
///
/// ```swift
/// let people = ClosureCredentialProvider(for: "https://files.example.com") { space, rejected in
///     rejected == nil ? Credential(user: "ada", password: Secret(try readPassword(space.realm))) : nil
/// }
/// let chain = try Chain(transport: transport) {
///     AuthenticationMiddleware([BasicAuthenticator(people)])
/// }
/// ```
///
/// A request gets credentials preemptively if an ``Authenticator`` has some that the server is known to accept.
/// Otherwise it is sent without credentials, and the stage answers the challenge of a 401. The strongest scheme is
/// tried first. A weaker one is used if the server doesn't offer the stronger one, or if there is no credential for it.
/// It isn't used after the stronger one was rejected, because that could reveal a password that the stronger one
/// protects. `BasicAuthMiddleware` and similar stages are this stage with one authenticator. Several of them in a chain
/// follow the same rule.
///
/// **Origins.** Credentials are only sent to the origin that they are for: the fields are declared in
/// `OriginBoundFieldsNote`, challenges from other origins aren't answered, and a request whose `Host` field differs
/// from its URL gets no credentials. Proxy credentials are sent only with `http` requests, because an `https` request
/// would carry them through the tunnel to the server.
///
/// **A field set by the caller** is kept: a request with an `Authorization` field is passed on unchanged.
///
/// **Unanswered.** A 401 that can't be answered is returned; ``HTTPChainCore/Response/authenticationRefusal`` says why.
/// A body that can be read only once can't be retried, so such a request needs preemptive credentials.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/authenticate``: inside retries, so that each attempt gets fresh credentials.
///
/// **Options.** ``HTTPChainCore/Request/authentication(_:)``.
///
/// **Errors.** ``AuthenticationError``; rethrows errors of the authenticators.
public struct AuthenticationMiddleware: ChainAwareMiddleware, DeadlineKeepingMiddleware {
    let authenticators: [any BuiltInAuthenticator]
    let target: AuthenticationTarget
    let maximumAnswers: Int
    private let proxy: OriginSet?
    private let name: String
    private let announced: [KnownScheme]
    private let checksResponses: Bool
    private let purpose: String
    private let origins: OriginBindings
    private let admittedByProxy: [Bool]
    /// The strongest scheme that each origin has accepted, if it protects the password.
    let proven = ProvenSchemes()

    /// Authenticates to servers, or to a proxy (407, `Proxy-Authorization`), RFC 9110 §11.7.
    ///
    /// - Parameters:
    ///   - authenticators: The schemes. Their strength, not their order, determines which one is used.
    ///   - proxy: The proxy's URL, to which credentials are bound. Defaults to none, for servers.
    ///   - maximumAnswers: The maximum number of challenges answered in one call. Defaults to 3.
    public init(_ authenticators: [any Authenticator], proxy: String? = nil, maximumAnswers: Int = 3) {
        self.init(authenticators, proxy: proxy, maximumAnswers: maximumAnswers, name: "AuthenticationMiddleware")
    }

    /// Makes a stage with a different name.
    package init(
        _ authenticators: [any Authenticator],
        proxy: String? = nil,
        maximumAnswers: Int = 3,
        name: String,
        purpose: String? = nil
    ) {
        let target: AuthenticationTarget = proxy == nil ? .origin : .proxy
        // Sorts by strength; authenticators of equal strength keep their order.
        let authenticators = authenticators.map { $0 as? any BuiltInAuthenticator ?? CustomAuthenticator(own: $0) }
        self.authenticators = authenticators.enumerated()
            .sorted { ($1.element.strength, $0.offset) < ($0.element.strength, $1.offset) }.map(\.element)
        self.target = target
        self.proxy = proxy.map { OriginSet(urls: [$0]) }
        self.maximumAnswers = max(1, maximumAnswers)
        self.name = name
        self.purpose = purpose ?? "answers \(target.status.code)"
        // The weakest scheme isn't announced, because it never takes precedence over an inner stage.
        announced = authenticators.filter { $0.strength > .password }
            .map { KnownScheme($0, target) }
        checksResponses = authenticators.contains { $0.checksResponses }
        let sorted = self.authenticators
        origins = OriginBindings { origin in sorted.map { $0.refusal(to: origin) == nil } }
        admittedByProxy = self.proxy?.origins.first.map { origin in sorted.map { $0.refusal(to: origin) == nil } } ?? []
    }

    /// Inside retries.
    package var stagePhase: Phase { .authenticate }

    /// Whether all authenticators respect the call's deadline.
    package var stageKeepsDeadlines: Bool { authenticators.allSatisfy(\.keepsDeadlines) }

    /// The options that the stage reads.
    package var stageOptions: [any RequestOption.Type] { [NoAuthenticationOption.self] }

    /// The schemes, strongest first, and their settings.
    package var stageSummary: StageSummary {
        let schemes = authenticators.map(\.scheme).joined(separator: ", ")
        var summary = StageSummary(name, purpose: purpose)
            .adding("proxy", proxy.map { "\($0)" })
            .adding("schemes", authenticators.count == 1 ? nil : schemes)
        for authenticator in authenticators { summary.settings += authenticator.settings }
        return summary
    }

    /// Returns problems with the authenticators, with a transport that would send credentials to a redirect's target,
    /// and with inner stages whose stronger scheme would never be used.
    package func stageProblems(at place: ChainPlace) -> [ChainProblem] {
        var problems = authenticators.flatMap { $0.problems(of: name) } + (proxy?.problems(of: name) ?? [])
        problems += Self.redirectProblems(of: name, at: place) + nestingProblems(at: place)
        for case let inner as any AuthenticationStage in place.inside {
            let stronger = inner.authentication.authenticators.first { authenticator in
                inner.authentication.target == target
                    && authenticators.contains {
                        $0.isPreemptive && $0.strength < authenticator.strength
                            && $0.origins.overlaps(authenticator.origins)
                    }
            }
            guard let stronger else { continue }
            problems.append(
                ChainProblem(
                    stage: name,
                    problem: "\(name) sends credentials preemptively, so that the stronger \(stronger.scheme) of "
                        + "\(inner.authentication.name) is never used",
                    fix: "put both in one AuthenticationMiddleware([…]), which uses the strongest scheme offered"
                )
            )
        }
        return problems
    }

    /// Returns problems with inner stages that have the same scheme for an overlapping origin.
    ///
    /// The outer stage would never answer, or both would prompt the user.
    private func nestingProblems(at place: ChainPlace) -> [ChainProblem] {
        place.inside.compactMap { inner in
            guard let inner = (inner as? any AuthenticationStage)?.authentication, inner.target == target else {
                return nil
            }
            let twin = authenticators.first { authenticator in
                inner.authenticators.contains {
                    ASCII.equalFolded($0.scheme, authenticator.scheme) && $0.origins.overlaps(authenticator.origins)
                }
            }
            return twin.map { Self.nestingProblem(of: name, around: inner, sending: "\($0.scheme) credentials") }
        }
    }

    /// Returns the problem that two nested stages send the same credentials to the same origin.
    static func nestingProblem(of name: String, around inner: any Middleware, sending what: String) -> ChainProblem {
        ChainProblem(
            stage: name,
            problem: "\(name) and \(inner.summary.name) further in both send \(what) to the same origin, so that only "
                + "one of them is used",
            fix: "remove one of them, bind them to different origins, or choose by path with RoutedAuthMiddleware([…])"
        )
    }

    /// Returns the problem that a transport follows redirects itself, for a stage that adds credentials.
    package static func redirectProblems(of name: String, at place: ChainPlace) -> [ChainProblem] {
        guard place.capabilities.contains(.followsRedirects) else { return [] }
        return [
            ChainProblem(
                stage: name,
                problem: "\(name) cannot keep credentials from other origins: \(place.transportName) follows redirects "
                    + "itself",
                fix: "switch that off in the transport, and add a RedirectMiddleware further out"
            )
        ]
    }

    /// Adds credentials, passes the request on, and answers challenges.
    ///
    /// - Throws: ``AuthenticationError``; rethrows errors of the authenticators and of the inner stages.
    public nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        try await authenticate(request, next: next)
    }

    // Inlined into the stages that wrap this one, because another asynchronous call would cost more than this code.
    @inline(__always)
    package nonisolated(nonsending) func authenticate(
        _ request: consuming Request,
        next: Next
    ) async throws -> Response {
        guard request.acceptsCredentials(for: target), let (origin, admitted, binding) = origin(for: request) else {
            return try await next(request)
        }
        // Only announced schemes are recorded as proven.
        let proven = announced.isEmpty ? nil : proven.scheme(at: origin)
        let outer = request.options.contains(OuterSchemesNote.self) ? request.options[OuterSchemesNote.self] : []
        var context = AuthenticationContext(target: target, origin: origin, binding: binding, next: next)
        var current: Int?
        var strongest: AuthenticationStrength?
        for index in authenticators.indices where admitted[index] {
            let strength = authenticators[index].protection
            strongest = strongest ?? strength
            if let proven, proven.strength > strength { break }
            if !outer.isEmpty, outer.hold(authenticators[index], back: target, where: \.isProven) { break }
            context.note = nil
            let isHeldBack = !outer.isEmpty && outer.hold(authenticators[index], back: target) { _ in true }
            context.maySendPreemptively = strength == strongest && !isHeldBack
            var isPrepared = try authenticators[index].prepareAtOnce(&request, in: &context)
            if isPrepared == nil {
                isPrepared = try await authenticators[index].addCredentials(to: &request, in: &context)
            }
            if isPrepared == true {
                current = index
                break
            }
        }
        // An inner stage doesn't change requests that already have credentials.
        if !announced.isEmpty, current == nil {
            request.options[OuterSchemesNote.self] += announced(admitted: admitted, proven: proven)
        }
        let sent = request
        var response = try await next(request)
        if response.status.code == target.status.code {
            let negotiation = Negotiation(
                authenticators: authenticators,
                maximumAnswers: maximumAnswers,
                outer: outer,
                proven: proven,
                context: context,
                current: current
            )
            return try await answer(response, to: sent, negotiation, next: next)
        }
        if checksResponses, let current, authenticators[current].checksResponses {
            try await authenticators[current].verify(&response, to: sent, in: context)
        }
        return response
    }

    private func answer(
        _ challenge: Response,
        to sent: Request,
        _ negotiation: Negotiation,
        next: Next
    ) async throws -> Response {
        var (response, request, negotiation) = (challenge, sent, negotiation)
        repeat {
            if let refusal = try await negotiation.answer(response, to: &request) {
                negotiation.leave(&response, for: refusal)
                return response
            }
            response = try await next(request, discarding: response)
        } while response.status.code == target.status.code
        try await negotiation.check(&response, to: request)
        if response.status.code < 400 { negotiation.noteSuccess(in: proven) }
        return response
    }

    /// Returns the origin for credentials and the authenticators allowed there, or `nil` if credentials can't be added.
    private func origin(
        for request: borrowing Request
    ) -> (origin: Origin, admitted: [Bool], binding: OriginBinding?)? {
        if target == .origin { return origins.binding(for: request).map { ($0.origin, $0.admitted, $0) } }
        guard request.head.scheme == "http", !request.head.namesAnotherHost, let origin = proxy?.origins.first else {
            return nil
        }
        return (origin, admittedByProxy, nil)
    }

    /// Returns this stage's schemes, for inner stages.
    private func announced(admitted: [Bool], proven: KnownScheme?) -> [KnownScheme] {
        if proven == nil, !admitted.contains(false) { return announced }
        return authenticators.indices.compactMap { index in
            let authenticator = authenticators[index]
            guard admitted[index], authenticator.strength > .password else { return nil }
            return KnownScheme(authenticator, target, isProven: authenticator.scheme == proven?.name)
        }
    }
}

/// A stage that wraps an ``AuthenticationMiddleware`` under a different name.
package protocol AuthenticationStage: BuiltInStage, IdentifyingMiddleware {
    var authentication: AuthenticationMiddleware { get }
}

extension AuthenticationMiddleware: AuthenticationStage {
    package var authentication: AuthenticationMiddleware { self }
}

extension AuthenticationStage {
    /// Always `true`.
    package var addsIdentity: Bool { true }

    /// Records the users whose credentials are in use.
    package func noteIdentity(in identity: CallIdentity) {
        for authenticator in authentication.authenticators { authenticator.noteIdentity(in: identity) }
    }

    /// Whether the authenticator respects the call's deadline.
    package var stageKeepsDeadlines: Bool { authentication.stageKeepsDeadlines }

    /// Inside retries.
    package var stagePhase: Phase { authentication.stagePhase }

    /// The scheme's origins and settings, without secrets.
    package var stageSummary: StageSummary { authentication.stageSummary }
    /// The options that the stage reads.
    package var stageOptions: [any RequestOption.Type] { authentication.stageOptions }

    /// Returns problems with the settings, or with a transport that follows redirects itself.
    package func stageProblems(at place: ChainPlace) -> [ChainProblem] { authentication.stageProblems(at: place) }

    /// Adds credentials, passes the request on, and answers challenges.
    ///
    /// - Throws: ``AuthenticationError``; rethrows errors of the inner stages.
    public nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        try await authentication.authenticate(request, next: next)
    }
}
