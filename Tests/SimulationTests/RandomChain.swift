#if AllTests
import HTTPChain
import HTTPChainAuthDigest
import HTTPChainContentDigest
import HTTPChainMetrics
import HTTPChainResumableUpload
import HTTPChainSigning
import HTTPChainSupport
import HTTPChainTesting

/// A chain of stages in their order, each there or not, and set in one of its ways, as a seed chooses.
struct RandomChain {
    /// What the chains of all users share.
    private let shared: [any Middleware]
    private let world: SimulatedWorld
    private let proof: Proof

    /// How users prove who they are.
    private enum Proof { case token, basic, digest }

    /// - Parameters:
    ///   - log: Takes what the chains log.
    ///   - balance: Takes what they measure.
    static func simulation(
        seed: UInt64,
        log: LogOfSecrets = LogOfSecrets(),
        balance: MetricsBalance = MetricsBalance()
    ) -> ChainSimulation {
        ChainSimulation { world in
            // Chances of their own, so that a seed is the same chain as it was without metrics, signatures and uploads.
            let chain = RandomChain(
                world,
                SeededRandom(seed: seed),
                log,
                balance,
                SeededRandom(seed: ~seed),
                isSigning: SeededRandom(seed: seed &+ 0x5169_6E21).double(in: 0...1) < 0.3,
                uploading: SeededRandom(seed: seed &+ 0x7475_7321),
                isWritingElsewhere: SeededRandom(seed: seed &+ 0x6661_6C6C).double(in: 0...1) < 0.2,
                atOnce: SeededRandom(seed: seed &+ 0x6F6E_6365).double(in: 0...1) < 0.3 ? 1 : 6
            )
            return { user in try chain.chain(for: user) }
        }
    }

    private init(
        _ world: SimulatedWorld,
        _ random: SeededRandom,
        _ log: LogOfSecrets,
        _ balance: MetricsBalance,
        _ measuring: SeededRandom,
        isSigning: Bool,
        uploading: SeededRandom,
        isWritingElsewhere: Bool,
        atOnce: Int
    ) {
        func maybe(_ share: Double = 0.5) -> Bool { random.double(in: 0...1) < share }
        self.world = world
        let partition = UserPartition.by { $0.simulatedUser }
        let budget = RetryBudget()
        var stages: [any Middleware] = []
        let validates = maybe(0.8)
        if validates, maybe(0.3) { stages.append(ErrorHandlerMiddleware(.problemDetails)) }
        if maybe(0.3) { stages.append(ProgressMiddleware()) }
        if maybe(0.3) { stages.append(RemoteLoggingMiddleware(log, each: .call, detail: .bodies)) }
        if measuring.double(in: 0...1) < 0.4 { stages.append(MetricsMiddleware(each: .call, factory: balance)) }
        if maybe(0.6) { stages.append(TimeoutMiddleware(.seconds(maybe() ? 20 : 240))) }
        if maybe(0.2) {
            // The same servers over another way, and without who the user is; or an answer that is none.
            let canned = Response(.serviceUnavailable, body: "not now")
            stages.append(FallbackMiddleware(maybe() ? .chain(world.transport) : .response(canned)))
        }
        if maybe(0.3) { stages.append(SerializerMiddleware(.json)) }
        if validates { stages.append(StatusValidationMiddleware()) }
        if maybe(0.3) { stages.append(URLBuilderMiddleware(base: world.origin)) }
        if maybe(0.2) { stages.append(MultipartMiddleware()) }
        if maybe(0.3) {
            stages.append(RequestProcessorMiddleware("from") { $0.headers[.from] = "simulation@example.com" })
        }
        if maybe(0.4) { stages.append(HeadersMiddleware([.userAgent: "Simulation/1.0"])) }
        if maybe(0.8) { stages.append(RedirectMiddleware()) }
        if maybe(0.7) { stages.append(GzipMiddleware(requests: maybe(0.4) ? .standard : nil)) }
        if maybe(0.3) { stages.append(ContentDigestMiddleware()) }
        if maybe(0.7) {
            var settings = CacheSettings()
            if maybe(0.3) { settings.use = .storedOnFailure }
            stages.append(
                CacheMiddleware(
                    store: .memory(limit: maybe() ? .kibibytes(60) : .mebibytes(8)),
                    partition: partition,
                    settings: settings,
                    abandonment: maybe() ? .discard : .finish(upTo: .mebibytes(1))
                )
            )
        }
        if maybe(0.5) { stages.append(CoalescingMiddleware(partition: partition)) }
        if uploading.double(in: 0...1) < 0.3 {
            let parts: ByteCount? = uploading.double(in: 0...1) < 0.6 ? .kibibytes(4) : nil
            let createsWithContent = uploading.double(in: 0...1) < 0.3
            stages.append(
                ResumableUploadMiddleware(
                    .tus,
                    partition: partition,
                    options: ResumableUploadOptions(
                        selection: .from(.bytes(1)),
                        partSize: parts,
                        createsWithContent: createsWithContent
                    )
                )
            )
        }
        if isWritingElsewhere {
            // Inside the cache, which has to see what is written.
            stages.append(FallbackMiddleware(.chain(world.transport), when: FallbackMiddleware.standardOrUnsent))
        }
        if maybe(0.8) { stages.append(RetryMiddleware(budget: budget)) }
        if maybe(0.3) {
            stages.append(HedgingMiddleware(HedgingPolicy(after: .fixed(.milliseconds(60))), budget: budget))
        }
        stages.append(ForEachUser())
        if maybe(0.1) { stages.append(CircuitBreakerMiddleware(.consecutive(failures: 8))) }
        if maybe(0.1) { stages.append(LoadSheddingMiddleware()) }
        if maybe(0.3) { stages.append(RateLimitMiddleware(RateLimit(20, per: .seconds(1)))) }
        if maybe(0.2) { stages.append(ConcurrencyLimitMiddleware(maybe() ? .fixed(atOnce) : .adaptive())) }
        if maybe(0.6) {
            stages.append(AttemptTimeoutMiddleware(.seconds(30), response: .seconds(20), read: .seconds(20)))
        }
        if isSigning, let key = try? MessageSigningKey.hmacSHA256("simulated-secret-key") {
            let signer = BuiltInSigner.messageSignature(
                key,
                covering: [.method, .targetURI],
                whenPresent: [.contentDigest, .field(.authorization), .field(.cookie)],
                hasNonce: true
            )
            stages.append(SigningMiddleware(signer, for: world.origin))
        }
        if maybe(0.2) { stages.append(RemoteLoggingMiddleware(log, each: .attempt, detail: .bodies)) }
        if measuring.double(in: 0...1) < 0.4 { stages.append(MetricsMiddleware(factory: balance)) }
        shared = stages
        proof = maybe(0.6) ? .token : maybe() ? .digest : .basic
    }

    private func authentication(of user: String) -> any Middleware {
        let password = world.password(of: user)
        return switch proof {
        case .token: BearerAuthMiddleware(SimulatedTokens(world: world, user: user), for: world.origin)
        case .basic: BasicAuthMiddleware(user: user, password: password, for: world.origin)
        case .digest: DigestAuthMiddleware(user: user, password: password, for: world.origin)
        }
    }

    func chain(for user: String) throws -> Chain {
        let authentication = authentication(of: user)
        let cookies = CookieMiddleware(CookieJar())
        return try Chain(transport: world.transport) {
            shared.flatMap { stage -> [any Middleware] in
                switch stage {
                case is ForEachUser: [authentication]
                case is RedirectMiddleware: [stage, cookies]
                default: [stage]
                }
            }
        }
    }
}

/// Stands where each user's own stage comes.
private struct ForEachUser: Middleware {
    func intercept(_ request: consuming Request, next: Next) async throws -> Response { try await next(request) }
}

/// Takes records in memory, and keeps those in which a secret of the simulation stands.
final class LogOfSecrets: LogSink {
    private let state = Locked<(count: Int, telling: [String])>((0, []))

    /// How many records there were.
    var count: Int { state.withLock { $0.count } }
    /// Those that tell a secret.
    var telling: [String] { state.withLock { $0.telling } }

    func log(_ record: consuming LogRecord) {
        let text = "\(record.message) \(record.attributes)"
        state.withLock { state in
            state.count += 1
            if text.contains("simulated-secret") { state.telling.append(text) }
        }
    }
}

/// Tokens as the simulation's server issues them.
struct SimulatedTokens: AccessTokenProvider {
    let world: SimulatedWorld
    let user: String

    func accessToken(replacing old: AccessToken?, in context: RefreshContext) async throws -> AccessToken {
        AccessToken(try await world.token(for: user))
    }
}
#endif
