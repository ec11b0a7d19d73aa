public import HTTPChainAuth
package import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// Digest authentication, RFC 7616, as an ``/HTTPChainAuth/Authenticator``.
///
/// ```swift
/// AuthenticationMiddleware([
///     DigestAuthenticator(.fixed(user: "ann", password: password, for: "https://cam.example")),
///     BasicAuthenticator(.fixed(user: "ann", password: password, for: "https://cam.example"))
/// ])
/// ```
///
/// If Digest is the only scheme, use ``DigestAuthMiddleware``, which also describes the behavior.
public final class DigestAuthenticator: Authenticator, BuiltInAuthenticator {
    static let stageName = "DigestAuthMiddleware"

    package let schemeName = "Digest"
    /// Medium strength: a proof of the password is sent, not the password.
    package let protection = AuthenticationStrength.proof
    private let provider: any CredentialProvider
    private let source: CredentialSource
    private let algorithms: [DigestAlgorithm]
    private let protections: [QualityOfProtection]
    private let required: QualityOfProtection?
    private let proofPolicy: ServerProofPolicy
    let spaces: DigestSpaces

    /// Makes an authenticator.
    ///
    /// - Parameters:
    ///   - provider: The source of users and passwords.
    ///   - algorithms: The supported algorithms. Defaults to all. If there are several challenges, the strongest is
    ///     answered, or the first of equally strong ones (``DigestAlgorithm``).
    ///   - protections: The protections in order of preference, if the server offers a choice. Defaults to `auth`
    ///     first, because servers that offer both often compute only that correctly. With `.authInt` first, the content
    ///     is protected too, unless the body can be read only once.
    ///   - required: The required protection. With `.authInt`, a challenge that doesn't offer it isn't answered, and a
    ///     body that can be read only once is an error. Defaults to none: the server, or an attacker who changes its
    ///     challenge, may offer a weaker protection than the first of `protections`.
    ///   - serverProof: The rule for the server's proof that it has the password. Defaults to verifying a proof if
    ///     present.
    ///   - rememberedSpaces: The maximum number of protection spaces. Defaults to 64. The least recently used one is
    ///     evicted.
    public init(
        _ provider: any CredentialProvider,
        algorithms: [DigestAlgorithm] = DigestAlgorithm.allCases,
        protecting protections: [QualityOfProtection] = [.auth, .authInt],
        requiring required: QualityOfProtection? = nil,
        serverProof: ServerProofPolicy = .whenPresent,
        rememberedSpaces: Int = 64
    ) {
        self.provider = provider
        source = CredentialSource(provider)
        self.algorithms = algorithms
        self.protections = required.map { [$0] } ?? protections
        self.required = required
        proofPolicy = serverProof
        spaces = DigestSpaces(capacity: rememberedSpaces)
    }

    /// Forgets all credentials, so that the provider is asked again; see ``DigestAuthMiddleware/forgetCredentials()``.
    public func forgetCredentials() { source.forgetAll() }

    /// The provider's origins.
    package var boundOrigins: OriginSet { provider.origins }

    /// Always `true`, because a proof of the password is sent, not the password.
    ///
    /// A stage bound to an origin without TLS adds a warning to ``/HTTPChainCore/Chain/warnings``.
    package var isPlaintextAllowed: Bool { true }

    /// The origins, algorithms and protections.
    package var settings: [StageSummary.Setting] {
        let bound = [StageSummary.Setting(name: "for", value: "\(provider.origins)")]
        let protects =
            required.map { "\($0.rawValue), required" } ?? protections.map(\.rawValue).joined(separator: ", ")
        let isEveryAlgorithm = Set(algorithms) == Set(DigestAlgorithm.allCases)
        let names = isEveryAlgorithm ? "all" : algorithms.map(\.rawValue).joined(separator: ", ")
        return bound + [
            StageSummary.Setting(name: "algorithms", value: names),
            StageSummary.Setting(name: "protects", value: protects),
            StageSummary.Setting(name: "server's proof", value: proofPolicy.rawValue),
        ]
    }

    /// Returns problems with invalid origins and with settings that allow no answer, and a warning for each origin that
    /// isn't reached over TLS.
    package func problems(of stage: String) -> [ChainProblem] {
        var problems = provider.origins.problems(of: stage)
        problems += provider.origins.exposed.map { origin in
            ChainProblem(
                stage: stage,
                problem: "\(stage) sends proofs of the password to \(origin) without TLS: others on the network can "
                    + "try passwords against them, and read and change everything else",
                fix: "use https where the server offers it",
                severity: .warning
            )
        }
        if algorithms.isEmpty {
            problems.append(
                ChainProblem(
                    stage: stage,
                    problem: "\(stage) is set to answer Digest with no algorithm at all",
                    fix: "name the algorithms that may be used, or leave the setting out"
                )
            )
        }
        return problems
    }

    /// Returns the strongest challenge that can be answered, and the first of equally strong ones.
    ///
    /// RFC 7616 §3.7 leaves the choice to the server's order and the client's policy. An attacker who changes the order
    /// must not be able to make the client use a weaker hash function.
    package func challenge(among challenges: [Challenge]) -> Challenge? {
        let supported = challenges.compactMap { challenge in
            DigestChallenge(challenge).map { (challenge: challenge, algorithm: $0.algorithm) }
        }
        .filter { algorithms.contains($0.algorithm) }
        return supported.max { $0.algorithm.strength < $1.algorithm.strength }?.challenge
    }
}

extension DigestAuthenticator {
    /// Returns `false` if no server has sent a challenge yet, otherwise `nil`.
    package func prepareAtOnce(
        _ request: inout Request,
        in context: inout AuthenticationContext
    ) throws -> Bool? {
        spaces.isEmpty ? false : nil
    }

    /// Adds an answer with the server's latest nonce, if the server has accepted the credential before.
    ///
    /// - Throws: ``/HTTPChainAuth/AuthenticationError`` if the server requires content protection but the body can be
    ///   read only once; rethrows errors from reading the body.
    package func addCredentials(
        to request: inout Request,
        in context: inout AuthenticationContext
    ) async throws -> Bool {
        if request.options.contains(DigestAnswersNote.self) {
            request.options[DigestAnswersNote.self][context.target] = nil
        }
        let path = request.head.path ?? ""
        guard let known = spaces.covering(path, at: context.origin, context.target, in: source.generation)
        else { return false }
        try source.requireSameUser(in: known.generation, for: request, stage: Self.stageName)
        guard let (protection, hash) = try await protect(request, known.challenge) else {
            throw bodyReadableOnce(request)
        }
        // Counted as late as possible, so that requests are sent in the order of their counts.
        let cnonce = Self.cnonce(request)
        guard let input = spaces.next(in: known.space, as: known.challenge, cnonce: cnonce) else { return false }
        add(input, protection, hash, DigestAnswer.History(isPreemptive: true), to: &request, in: context)
        return true
    }

    /// Answers a challenge: with the same credential if only the nonce was rejected, otherwise with another one.
    ///
    /// A nonce and a credential are each replaced once per call.
    ///
    /// - Throws: ``/HTTPChainAuth/AuthenticationError`` if the provider fails, or if the server requires content
    ///   protection but the body can be read only once; rethrows errors from reading the body.
    package func respond(
        to challenge: Challenge,
        for request: inout Request,
        in context: inout AuthenticationContext
    ) async throws -> AuthenticationAnswer {
        guard let digest = DigestChallenge(challenge), algorithms.contains(digest.algorithm) else {
            return .declined(
                .unsupportedChallenge(scheme: scheme, why: "a parameter is missing, unknown or too long")
            )
        }
        if let required, !digest.qop.contains(required) {
            return .declined(
                .unsupportedChallenge(scheme: scheme, why: "it does not offer \(required.rawValue), which is required")
            )
        }
        if digest.algorithm.isMD5, let proven = spaces.provenAlgorithm(at: context.origin, context.target) {
            return .declined(
                .wouldWeaken(from: "\(scheme) \(proven.rawValue)", to: "\(scheme) \(digest.algorithm.rawValue)")
            )
        }
        let space = context.space(scheme, realm: digest.realm)
        let provided: CredentialSource.Provided
        let previous = previousAnswer(of: request, in: space)
        var history = previous?.history ?? DigestAnswer.History()
        // A server that has forgotten its nonces doesn't always send `stale=true`.
        let isRenewed = history.isPreemptive && previous?.input.use.nonce.hasSameBytes(as: digest.nonce) == false
        if let previous, digest.isStale || isRenewed {
            guard history.nonceReplacements == 0 else { return .declined(.tooManyAnswers(context.answers)) }
            provided = CredentialSource.Provided(previous.input.credential, of: previous.input.generation)
            history.nonceReplacements += 1
        } else {
            let rejected = previous?.input.credential
            if let rejected {
                spaces.reject(rejected, in: space)
                guard history.rejections == 0 else { return .declined(.rejected(space)) }
                history.rejections += 1
            }
            let found = try await source.credential(for: space, rejected: rejected, stage: Self.stageName)
            guard let found else { return .declined(rejected == nil ? .noCredential(space) : .rejected(space)) }
            // If the user has changed meanwhile, the request isn't retried as the new user.
            if let previous, previous.input.generation != found.generation,
                !previous.input.credential.user.hasSameBytes(as: found.credential.user)
            {
                return .declined(.rejected(space))
            }
            provided = found
        }
        history.isPreemptive = false
        guard let (protection, hash) = try await protect(request, digest) else { throw bodyReadableOnce(request) }
        let input = spaces.begin(
            digest,
            in: space,
            provided.credential,
            of: provided.generation,
            path: request.head.path ?? "",
            cnonce: Self.cnonce(request),
            mayGoTo: mayGoTo
        )
        guard let input else {
            return .declined(.unsupportedChallenge(scheme: scheme, why: "its nonce cannot be counted any further"))
        }
        add(input, protection, hash, history, to: &request, in: context)
        return .answered
    }

    /// Verifies the server's proof, and stores the next nonce.
    ///
    /// - Throws: ``/HTTPChainAuth/AuthenticationError`` if the proof is wrong, or missing although required.
    package func verify(
        _ response: inout Response,
        to request: Request,
        in context: AuthenticationContext
    ) async throws {
        guard let answer = request.options[DigestAnswersNote.self][context.target],
            // If a proxy requires its own credentials, the request hasn't reached the server.
            context.target == .proxy || response.status != .proxyAuthenticationRequired
        else { return }
        let info = DigestAuthenticationInfo(response.receivedFields[values: context.target.infoField])
        let verifier = ServerProofVerifier(
            policy: proofPolicy,
            computation: answer.computation,
            key: answer.input.use.key,
            request: request.head,
            redaction: request.redaction
        )
        let isProven = try verifier.verify(&response, info)
        let (space, credential) = (answer.input.space, answer.input.credential)
        // Other errors may be sent without checking the credential. A stored response doesn't prove anything either.
        let received = response.receivedHead?.status
        let isPassed = received.map { $0.code < 400 || context.target == .proxy && $0 == .unauthorized } ?? false
        if isProven || isPassed {
            spaces.accept(credential, in: space, with: answer.input.use.challenge.algorithm)
        }
        if let next = info?.nextNonce {
            spaces.replace(answer.input.use.nonce, with: next, of: credential, in: space)
        }
    }
}

extension DigestAuthenticator {
    /// Returns the answer that was just rejected, if the same space sent the new challenge.
    private func previousAnswer(of request: Request, in space: ProtectionSpace) -> DigestAnswer? {
        guard request.head.headerFields.contains(space.target.requestField),
            let answer = request.options[DigestAnswersNote.self][space.target], answer.input.space == space
        else { return nil }
        return answer
    }

    /// Returns the protection of an answer, and the hash of the content if it is protected.
    ///
    /// - Returns: `nil` if the server requires content protection but the body can't be read twice.
    private func protect(
        _ request: Request,
        _ challenge: DigestChallenge
    ) async throws -> (protection: QualityOfProtection?, hash: String?)? {
        guard let protection = challenge.protection(protections, canReadBody: request.body.isReplayable),
            required == nil || protection == required
        else { return nil }
        guard protection == .authInt, !request.body.isEmpty else { return (protection, nil) }
        var hash = DigestHash(challenge.algorithm)
        for try await chunk in request.body { hash.update(chunk) }
        return (protection, String(decoding: hash.hex, as: UTF8.self))
    }

    private func add(
        _ input: DigestInput,
        _ protection: QualityOfProtection?,
        _ contentHash: String?,
        _ history: DigestAnswer.History,
        to request: inout Request,
        in context: AuthenticationContext
    ) {
        let computation = DigestComputation(
            method: request.head.method.rawValue,
            uri: Self.uri(of: request, for: context.target),
            nonce: input.use.nonce,
            qop: protection,
            nonceCount: input.use.count,
            cnonce: input.use.cnonce,
            contentHash: contentHash
        )
        let response = DigestResponse(
            input.use.challenge,
            username: input.credential.user,
            computation: computation,
            key: input.use.key
        )
        request.setCredentials(response.fieldBytes, in: context)
        request.options[DigestAnswersNote.self][context.target] = DigestAnswer(
            input: input,
            computation: computation,
            history: history
        )
    }

    /// Returns the request target as on the request line: the whole URL for a proxy (RFC 9112 §3.2.2), path and query
    /// for a server.
    private static func uri(of request: Request, for target: AuthenticationTarget) -> String {
        var head = request.head
        head.encodeSquareBrackets()
        return target == .proxy ? Request(head: head).url : head.path ?? ""
    }

    private static func cnonce(_ request: Request) -> String {
        String(decoding: request.environment.random.bytes(16).hexadecimal, as: UTF8.self)
    }

    /// Whether the provider is bound to an origin in a challenge's `domain`.
    private func mayGoTo(_ origin: Origin) -> Bool {
        !provider.origins.isAny && provider.origins.contains(origin)
    }

    private func bodyReadableOnce(_ request: Request) -> AuthenticationError {
        AuthenticationError(
            .bodyReadableOnce(scheme: scheme),
            stage: Self.stageName,
            exchange: ExchangeSnapshot(request.head, redaction: request.redaction)
        )
    }
}
