public import HTTPChainCore
import HTTPTypes

/// A rule for when Basic credentials are sent.
public enum BasicSending: Sendable, Hashable, CustomStringConvertible {
    /// Credentials are sent when the server has asked, and then preemptively with what RFC 7617 §2.2 takes to be in the
    /// same protection space.
    case whenChallenged
    /// With the first request to an origin already: one exchange less, and a body that can be read once can be sent.
    case preemptively

    /// The rule, in a word or two.
    public var description: String {
        switch self {
        case .whenChallenged: "when asked"
        case .preemptively: "preemptively"
        }
    }
}

/// The Basic scheme, RFC 7617, for an ``AuthenticationMiddleware`` that has several; alone, as ``BasicAuthMiddleware``.
///
/// It remembers which realm and which paths took which credential, and sends it preemptively with the next request to them. A
/// credential that is rejected is asked for anew; calls at the same time ask once.
public final class BasicAuthenticator: Authenticator {
    private let provider: any CredentialProvider
    private let source: CredentialSource
    private let sending: BasicSending
    private let charset: BasicCharset
    /// Whether the password may be sent without TLS to a host other than this machine.
    public let allowsPlaintext: Bool
    private let ofServers = Locked(BasicSpaces())
    private let ofProxies = Locked(BasicSpaces())

    /// Takes credentials from a provider.
    ///
    /// - Parameters:
    ///   - provider: Where they come from.
    ///   - sending: When they are sent; when the server has asked by default.
    ///   - charset: How characters beyond ASCII are sent to a server that does not say; UTF-8 by default.
    ///   - allowsPlaintext: Whether passwords may be sent without TLS, to be read by whoever listens (RFC 7617 §4);
    ///     `false` by default. This machine's own addresses are always allowed.
    public init(
        _ provider: any CredentialProvider,
        sending: BasicSending = .whenChallenged,
        charset: BasicCharset = .utf8,
        allowsPlaintext: Bool = false
    ) {
        self.allowsPlaintext = allowsPlaintext
        self.provider = provider
        source = CredentialSource(provider)
        self.sending = sending
        self.charset = charset
    }

    /// Always "Basic".
    public var scheme: String { "Basic" }

    /// The password itself is sent.
    public var strength: AuthenticationStrength { .password }

    /// Those of the provider.
    public var origins: OriginSet { provider.origins }

    /// Whether it is set to send preemptively.
    public var sendsPreemptively: Bool { sending == .preemptively }

    /// There is nothing in a response to check.
    public var checksResponses: Bool { false }

    /// The settings: when credentials are sent, and where to, if that is known.
    public var settings: [StageSummary.Setting] {
        [.init(name: "for", value: "\(provider.origins)"), .init(name: "sent", value: "\(sending)")]
            + (allowsPlaintext ? [.init(name: "plaintext", value: "allowed")] : [])
    }

    /// Origins that are none, and those that the password would be sent to without TLS.
    public func problems(of stage: String) -> [ChainProblem] {
        provider.origins.problems(of: stage)
            + (allowsPlaintext ? [] : provider.origins.plaintextProblems(of: stage, sending: "the password"))
    }

    /// Adds the credential of the space that the request's path is in, if there was one before.
    public func prepareAtOnce(_ request: inout Request, in context: inout AuthenticationContext) -> Bool? {
        let path = request.head.path ?? "/"
        if let ready = spaces(of: context.target).withLock({ $0.ready(for: path, at: context.origin) }) {
            request.setCredentials(ready, in: context)
            return true
        }
        return sending == .preemptively && context.maySendPreemptively ? nil : false
    }

    /// Adds the credential for the whole origin, where it is to be sent preemptively.
    ///
    /// - Throws: ``AuthenticationError``.
    public func prepare(
        _ request: inout Request,
        in context: inout AuthenticationContext
    ) async throws -> Bool {
        let space = context.space(scheme, realm: nil)
        guard let credential = try await source.credential(for: space, stage: stage) else { return false }
        try use(credential, charset, realm: nil, prefix: "/", for: &request, in: context)
        return true
    }

    /// Adds the credential for the challenge's realm, if there is one that was not rejected.
    ///
    /// - Throws: ``AuthenticationError``.
    public func answer(
        _ challenge: Challenge,
        to request: inout Request,
        in context: inout AuthenticationContext
    ) async throws -> AuthenticationAnswer {
        let space = context.space(scheme, realm: challenge.realm)
        let field = request.head.headerFields[context.target.requestField]
        let sent = field.flatMap(BasicCredentials.decode)
        // What was sent preemptively may have been for another realm, where it is still good.
        let rejected = isRejected(field, by: challenge.realm, in: context) ? sent : nil
        if let rejected { source.forget(rejected, for: context.space(scheme, realm: nil)) }
        var found = try await source.credential(for: space, rejected: rejected, stage: stage)
        if found != nil, found == sent {
            found = try await source.credential(for: space, rejected: sent, stage: stage)
        }
        guard let credential = found else {
            return .declined(sent == nil ? .noCredential(space) : .rejected(space))
        }
        let charset = BasicCredentials.charset(of: challenge, else: charset)
        let prefix = BasicSpaces.prefix(of: request.head.path)
        try use(credential, charset, realm: challenge.realm, prefix: prefix, for: &request, in: context)
        return .answered
    }

    /// Whether the realm has turned its own credential down, which is then forgotten.
    private func isRejected(_ value: String?, by realm: String?, in context: AuthenticationContext) -> Bool {
        guard let value else { return false }
        return spaces(of: context.target).withLock { spaces in
            let isOwn = spaces.realm(of: value, at: context.origin).map { $0 == realm } ?? true
            spaces.forget(value, realm: realm, at: context.origin)
            return isOwn
        }
    }

    private func spaces(of target: AuthenticationTarget) -> Locked<BasicSpaces> {
        target == .origin ? ofServers : ofProxies
    }

    private var stage: String { "BasicAuthMiddleware" }

    private func use(
        _ credential: Credential,
        _ charset: BasicCharset,
        realm: String?,
        prefix: String,
        for request: inout Request,
        in context: AuthenticationContext
    ) throws(AuthenticationError) {
        let value: String
        do {
            value = try BasicCredentials.encode(credential, charset)
        } catch {
            let problem = AuthenticationError.Problem.invalidCredential(scheme: scheme, why: error.why)
            let exchange = ExchangeSnapshot(request.head, redaction: request.redaction)
            throw AuthenticationError(problem, stage: stage, exchange: exchange)
        }
        let ready = ReadyCredentials(context.target.requestField, value)
        let isSentEverywhere = sending == .preemptively
        spaces(of: context.target).withLock { spaces in
            spaces.remember(ready, realm: realm, prefix: prefix, at: context.origin)
            guard isSentEverywhere, spaces.ready(for: "/", at: context.origin) == nil else { return }
            spaces.remember(ready, realm: realm, prefix: "/", at: context.origin)
        }
        request.setCredentials(ready, in: context)
    }
}
