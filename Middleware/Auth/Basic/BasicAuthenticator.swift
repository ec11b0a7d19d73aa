public import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// A rule for when Basic credentials are sent.
public enum BasicSending: Sendable, Hashable {
    /// After the server has sent a challenge, and then preemptively for the protection space assumed by RFC 7617 §2.2.
    case whenChallenged
    /// With the first request to an origin; this saves one exchange, and allows bodies that can be read only once.
    case preemptively
}

/// The Basic scheme, RFC 7617, for an ``AuthenticationMiddleware``.
///
/// If it is the only scheme, use ``BasicAuthMiddleware``.
///
/// It remembers which realms and paths accepted which credential, and sends it preemptively with later requests to
/// them. The provider is called again after a rejection, a change of its store, and ``forgetCredentials()``. Concurrent
/// calls share one call of the provider.
public final class BasicAuthenticator: Authenticator, BuiltInAuthenticator {
    private let provider: any CredentialProvider
    private let source: CredentialSource
    private let sending: BasicSending
    private let charset: BasicCharset
    /// Whether the password may be sent without TLS to a host other than this machine.
    package let isPlaintextAllowed: Bool
    private let ofServers = Locked(BasicSpaces())
    private let ofProxies = Locked(BasicSpaces())

    /// Uses credentials from a provider.
    ///
    /// - Parameters:
    ///   - provider: The source of credentials.
    ///   - sending: The rule for when credentials are sent. Defaults to after a challenge by the server.
    ///   - charset: The charset for non-ASCII characters if the server doesn't name one. Defaults to UTF-8.
    ///   - allowsPlaintext: Whether passwords may be sent without TLS, readable by eavesdroppers (RFC 7617 §4).
    ///     Defaults to `false`. Loopback addresses are always allowed.
    public init(
        _ provider: any CredentialProvider,
        sending: BasicSending = .whenChallenged,
        charset: BasicCharset = .utf8,
        allowsPlaintext: Bool = false
    ) {
        isPlaintextAllowed = allowsPlaintext
        self.provider = provider
        source = CredentialSource(provider)
        self.sending = sending
        self.charset = charset
    }

    /// Whether a credential was sent to a server or a proxy, and hasn't been rejected since.
    ///
    /// Such a credential is sent preemptively with the next requests to the same paths. Basic has no session that a
    /// server could end.
    package var isSessionOpen: Bool {
        let generation = source.generation
        return [ofServers, ofProxies].contains { spaces in
            spaces.withLock { $0.enter(generation) && !$0.isEmpty }
        }
    }

    /// Forgets all credentials, so that the provider is asked again; see ``BasicAuthMiddleware/forgetCredentials()``.
    public func forgetCredentials() {
        source.forgetAll()
        let generation = source.generation
        for spaces in [ofServers, ofProxies] { spaces.withLock { _ = $0.enter(generation) } }
    }

    package var schemeName: String { "Basic" }

    /// The lowest, because the password itself is sent.
    package var protection: AuthenticationStrength { .password }

    /// The provider's origins.
    package var boundOrigins: OriginSet { provider.origins }

    /// Whether credentials are sent with the first request to an origin.
    package var isPreemptive: Bool { sending == .preemptively }

    /// Always `false`: a Basic response contains nothing to check.
    package var checksResponses: Bool { false }

    /// The settings: when credentials are sent, and to which origins.
    package var settings: [StageSummary.Setting] {
        [.init(name: "for", value: "\(provider.origins)"), .init(name: "sent", value: sending.description)]
            + (isPlaintextAllowed ? [.init(name: "plaintext", value: "allowed")] : [])
    }

    /// Returns a problem for each invalid origin, and for each that would receive the password without TLS.
    package func problems(of stage: String) -> [ChainProblem] {
        provider.origins.problems(of: stage)
            + (isPlaintextAllowed ? [] : provider.origins.plaintextProblems(of: stage, sending: "the password"))
    }

    /// Adds the known credential of the protection space that the request's path is in, if there is one.
    ///
    /// - Throws: `UserChangedError`.
    package func prepareAtOnce(_ request: inout Request, in context: inout AuthenticationContext) throws -> Bool? {
        let path = request.head.path ?? "/"
        let generation = source.generation
        let ready = spaces(of: context.target).withLock { spaces in
            spaces.enter(generation) ? spaces.ready(for: path, at: context.origin) : nil
        }
        if let ready {
            try source.requireSameUser(in: generation, for: request, stage: stage)
            request.setCredentials(ready, in: context)
            context.note = generation
            return true
        }
        return sending == .preemptively && context.maySendPreemptively ? nil : false
    }

    /// Adds the credential for the whole origin if it is to be sent preemptively.
    ///
    /// - Throws: ``AuthenticationError``; `UserChangedError`.
    package func addCredentials(
        to request: inout Request,
        in context: inout AuthenticationContext
    ) async throws -> Bool {
        let space = context.space(scheme, realm: nil)
        guard let provided = try await source.credential(for: space, stage: stage) else { return false }
        try source.requireSameUser(in: provided.generation, for: request, stage: stage)
        try use(provided, charset, realm: nil, prefix: "/", for: &request, in: &context)
        return true
    }

    /// Adds the credential for the challenge's realm if there is one that hasn't been rejected.
    ///
    /// - Throws: ``AuthenticationError``.
    package func respond(
        to challenge: Challenge,
        for request: inout Request,
        in context: inout AuthenticationContext
    ) async throws -> AuthenticationAnswer {
        let space = context.space(scheme, realm: challenge.realm)
        let field = request.head.headerFields[context.target.requestField]
        let sent = field.flatMap(BasicCredentials.decode)
        // Credentials sent preemptively may belong to another realm, and still be valid there.
        let rejected = isRejected(field, by: challenge.realm, in: context) ? sent : nil
        if let rejected { source.forget(rejected, for: context.space(scheme, realm: nil)) }
        var found = try await source.credential(for: space, rejected: rejected, stage: stage)
        if let credential = found?.credential, credential == sent {
            found = try await source.credential(for: space, rejected: sent, stage: stage)
        }
        guard let provided = found else {
            return .declined(sent == nil ? .noCredential(space) : .rejected(space))
        }
        // If the user has changed meanwhile, the request isn't retried as the new user.
        if let sent, let generation = context.note as? UInt64, generation != provided.generation,
            !sent.user.hasSameBytes(as: provided.credential.user)
        {
            return .declined(.rejected(space))
        }
        let charset = BasicCredentials.charset(of: challenge, else: charset)
        let prefix = BasicSpaces.prefix(of: request.head.path)
        try use(provided, charset, realm: challenge.realm, prefix: prefix, for: &request, in: &context)
        return .answered
    }

    /// Forgets a credential that a realm rejected, and returns whether it was the realm's own.
    private func isRejected(_ value: String?, by realm: String?, in context: AuthenticationContext) -> Bool {
        guard let value else { return false }
        return spaces(of: context.target).withLock { spaces in
            let isOwn = spaces.realm(of: value, at: context.origin).map { realm.hasSameBytes(as: $0) } ?? true
            spaces.forget(value, realm: realm, at: context.origin)
            return isOwn
        }
    }

    private func spaces(of target: AuthenticationTarget) -> Locked<BasicSpaces> {
        target == .origin ? ofServers : ofProxies
    }

    private var stage: String { "BasicAuthMiddleware" }

    private func use(
        _ provided: CredentialSource.Provided,
        _ charset: BasicCharset,
        realm: String?,
        prefix: String,
        for request: inout Request,
        in context: inout AuthenticationContext
    ) throws(AuthenticationError) {
        let value: String
        do {
            value = try BasicCredentials.encode(provided.credential, charset)
        } catch {
            let problem = AuthenticationError.Problem.invalidCredential(scheme: scheme, why: error.why)
            let exchange = ExchangeSnapshot(request.head, redaction: request.redaction)
            throw AuthenticationError(problem, stage: stage, exchange: exchange)
        }
        let ready = ReadyCredentials(context.target.requestField, value)
        let isSentEverywhere = sending == .preemptively
        let origin = context.origin
        spaces(of: context.target).withLock { spaces in
            // If the credential was forgotten while it was being provided, it is sent only with this request.
            guard spaces.enter(provided.generation) else { return }
            spaces.remember(ready, realm: realm, prefix: prefix, at: origin)
            guard isSentEverywhere, spaces.ready(for: "/", at: origin) == nil else { return }
            spaces.remember(ready, realm: realm, prefix: "/", at: origin)
        }
        request.setCredentials(ready, in: context)
        context.note = provided.generation
    }
}

extension BasicSending: CustomStringConvertible, DescribedValue {
    /// A short name of the rule.
    package var words: String {
        switch self {
        case .whenChallenged: "when asked"
        case .preemptively: "preemptively"
        }
    }
}
