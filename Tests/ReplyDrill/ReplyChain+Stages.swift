import Foundation
import HTTPChain
import HTTPChainAuthDigest
import HTTPChainBrotli
import HTTPChainClient
import HTTPChainContentDigest
import HTTPChainErrorHandlerXML
import HTTPChainHAR
import HTTPChainMetrics
import HTTPChainResumableUpload
import HTTPChainSerializerXML
import HTTPChainSigning
import HTTPChainSupport
import HTTPChainTracing
import HTTPChainZstd
import HTTPTypes
import Logging
import Metrics

#if Tracing
import Tracing
#endif

extension ReplyChain {
    /// The chains: each stage that reads replies is in one of them.
    ///
    /// Their number has no divisor in common with that of the ways to read, so that each chain is read in each way.
    enum Variant: CaseIterable {
        case caching, signed, uploading, hedged, routed
    }

    /// The chain for a reply.
    func variant(_ number: Int) -> Stages {
        Stages(origin: origin, variant: Variant.allCases[number % Variant.allCases.count])
    }

    /// The names of the types of all stages, without their parameters.
    static func stageNames() throws -> Set<String> {
        let stages = try Variant.allCases.flatMap { variant in
            // Which further stages there are depends on the number.
            try (0..<6).flatMap { try Stages(origin: "http://127.0.0.1", variant: variant).stages($0) }
        }
        return Set(stages.map { String("\(type(of: $0))".prefix { $0 != "<" }) })
    }

    /// The stages of one chain, from the outside in.
    struct Stages {
        let origin: String
        let variant: Variant

        func stages(_ number: Int) throws -> [any Middleware] {
            var stages = try inner(number)
            // Writing takes longer than all the rest.
            if number.isMultiple(of: 3) {
                stages.append(RemoteLoggingMiddleware(Forgetful(), each: .attempt, detail: .bodies))
            }
            return stages
        }

        private func inner(_ number: Int) throws -> [any Middleware] {
            switch variant {
            case .caching: caching
            case .signed: try signed
            case .uploading: uploading(number.isMultiple(of: 2) ? .tus : .draft, number)
            case .hedged: hedged
            case .routed: routed
            }
        }

        private var caching: [any Middleware] {
            [
                Self.errorHandler,
                ProgressMiddleware(),
                TimeoutMiddleware(.seconds(30)),
                SerializerMiddleware(Self.serializers),
                StatusValidationMiddleware(),
                RedirectMiddleware(.sameOrigin.and(.limited(3))),
                CookieMiddleware(CookieJar()),
                gzip,
                ContentDigestMiddleware(),
                CacheMiddleware(store: .memory(limit: .mebibytes(1)), partition: .shared),
                CoalescingMiddleware(partition: .shared),
                retry,
                DigestAuthMiddleware(user: "bob", password: "hunter2", for: origin),
                BasicAuthMiddleware(
                    user: "bob",
                    password: "hunter2",
                    proxy: "http://proxy.example:3128",
                    allowsPlaintext: true
                ),
                CircuitBreakerMiddleware(.consecutive(failures: 100)),
                LoadSheddingMiddleware(),
                RateLimitMiddleware(RateLimit(1000, per: .seconds(1)), excess: .refuse),
                ConcurrencyLimitMiddleware(.fixed(10)),
                AttemptTimeoutMiddleware(.seconds(20)),
            ]
        }

        private var signed: [any Middleware] {
            get throws {
                // Every other signature is valid, whatever it was made of.
                let key = MessageVerificationKey(.hmacSHA256) { signature, _ in signature.count.isMultiple(of: 2) }
                let verifier = MessageVerifier(
                    keys: [key],
                    requiring: [],
                    maximumAge: .seconds(10_000_000_000),
                    acceptsUnsigned: true,
                    asks: true
                )
                let bob: any CredentialProvider = .fixed(user: "bob", password: "hunter2", for: origin)
                let signer = try MessageSigningKey.hmacSHA256("a key of the drill's own")
                return [
                    TimeoutMiddleware(.seconds(30)),
                    SerializerMiddleware(Self.serializers),
                    StatusValidationMiddleware(),
                    URLBuilderMiddleware(base: origin),
                    HeadersMiddleware([.userAgent: "ReplyDrill"]),
                    gzip,
                    ContentDigestMiddleware(),
                    retry,
                    AuthenticationMiddleware([
                        DigestAuthenticator(bob), BasicAuthenticator(bob, allowsPlaintext: true),
                    ]),
                    AttemptTimeoutMiddleware(.seconds(20)),
                    SigningMiddleware(
                        .messageSignature(signer, covering: [.method, .targetURI]),
                        for: origin,
                        verifying: verifier
                    ),
                    RecordingMiddleware(HARRecorder()),
                ]
            }
        }

        private func uploading(_ name: UploadProtocol, _ number: Int) -> [any Middleware] {
            let options = ResumableUploadOptions(
                selection: .from(.bytes(1)),
                partSize: number.isMultiple(of: 3) ? .kibibytes(1) : nil,
                createsWithContent: number.isMultiple(of: 5),
                asksForLimits: number.isMultiple(of: 4),
                maximumAttempts: 3,
                maximumAttemptsWithoutProgress: 1,
                totalTime: .seconds(10),
                backoff: .none,
                retryAfterLimit: .zero
            )
            // The same server is asked for the token, by a reply like any other, which hardly ever has one.
            let endpoint = TokenEndpoint(
                "\(origin)/r/\(number)",
                client: OAuthClient(id: "drill", secret: "hunter2"),
                allowsPlaintext: true
            )
            let tokens = ClosureAccessTokenProvider.asking { old, context in
                let grant = ClosureAccessTokenProvider.clientCredentials(at: endpoint)
                return (try? await grant.accessToken(replacing: old, in: context)) ?? AccessToken("abc")
            }
            return [
                Self.errorHandler,
                TimeoutMiddleware(.seconds(30)),
                SerializerMiddleware(Self.serializers),
                StatusValidationMiddleware(),
                MultipartMiddleware(),
                RequestProcessorMiddleware("from") { $0.headers[.from] = "drill@example.com" },
                RedirectMiddleware(.sameOrigin.and(.limited(3))),
                gzip,
                ResumableUploadMiddleware(name, partition: .shared, options: options),
                retry,
                BearerAuthMiddleware(tokens, for: origin, allowsPlaintext: true),
                AttemptTimeoutMiddleware(.seconds(20)),
            ]
        }

        private var hedged: [any Middleware] {
            let budget = RetryBudget()
            var logger = Logger(label: "drill", factory: { _ in ForgetfulHandler() })
            logger.logLevel = .trace
            var stages: [any Middleware] = [
                CallRegistryMiddleware(CallRegistry()),
                LogRequestsMiddleware(logger: logger, detail: .bodies),
                MetricsMiddleware(each: .call, factory: NOOPMetricsHandler.instance),
                TimeoutMiddleware(.seconds(30)),
                FallbackMiddleware(
                    .lastAnswer(by: .by("user") { _ in "bob" }).or(.response(Response(.serviceUnavailable, body: "no")))
                ),
                StatusValidationMiddleware(),
                RedirectMiddleware(.sameOrigin.and(.limited(3))),
                gzip,
                CacheMiddleware(store: .memory(limit: .mebibytes(1)), partition: .shared),
                RetryMiddleware(briefly, budget: budget),
                HedgingMiddleware(HedgingPolicy(after: .fixed(.milliseconds(50))), budget: budget),
                SessionAuthMiddleware(BriefSessions(), for: origin, allowsPlaintext: true),
                ConcurrencyLimitMiddleware(.adaptive()),
                AttemptTimeoutMiddleware(.seconds(20)),
                MetricsMiddleware(factory: NOOPMetricsHandler.instance),
            ]
            #if Tracing
            let fields = [HTTPField.Name.contentType, .setCookie, .retryAfter]
            stages.append(TracingMiddleware(tracer: NoOpTracer(), responseFields: fields))
            #endif
            return stages
        }

        private var routed: [any Middleware] {
            let digest = DigestAuthMiddleware(user: "bob", password: "hunter2", for: origin)
            return [
                Self.errorHandler,
                TimeoutMiddleware(.seconds(30)),
                StatusValidationMiddleware(),
                RedirectMiddleware(.sameOrigin.and(.limited(3))),
                CookieMiddleware(CookieJar()),
                gzip,
                ContentDigestMiddleware(),
                retry,
                RoutedAuthMiddleware([AuthRoute("all", for: origin, with: digest)]),
                CircuitBreakerMiddleware(.consecutive(failures: 2)),
                RateLimitMiddleware(RateLimit(1000, per: .seconds(1)), excess: .refuse),
                AttemptTimeoutMiddleware(.seconds(20)),
            ]
        }

        private var gzip: GzipMiddleware {
            var codings: [ContentCoding] = [.gzip, .deflate]
            #if Brotli
            codings.append(.brotli)
            #endif
            #if Zstd
            codings.append(.zstd)
            #endif
            return GzipMiddleware(codings: codings)
        }

        private var retry: RetryMiddleware { RetryMiddleware(briefly) }

        private var briefly: RetryPolicy {
            RetryPolicy(maximumAttempts: 2, backoff: .none, retryAfterLimit: .zero)
        }

        private static var errorHandler: ErrorHandlerMiddleware {
            #if XML
            let types = ["application/problem+xml", "application/xml", "text/xml"]
            return ErrorHandlerMiddleware(.problemDetails, .problemDetailsXML(contentTypes: types))
            #else
            return ErrorHandlerMiddleware(.problemDetails)
            #endif
        }

        private static var serializers: [any Serializer] {
            var all: [any Serializer] = [
                JSONSerializer(), PropertyListSerializer(), FormSerializer(), PlainTextSerializer(),
            ]
            #if XML
            all.append(XMLSerializer())
            #endif
            return all
        }
    }
}

/// Takes what is logged, and so has it written.
private struct Forgetful: LogSink {
    func log(_ record: consuming LogRecord) { precondition(!"\(record.message)\(record.attributes)".isEmpty) }
}

private struct ForgetfulHandler: LogHandler {
    var logLevel = Logger.Level.trace
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { precondition(!"\(event.message)\(event.metadata ?? [:])".isEmpty) }
}

/// Sessions that a status ends.
private struct BriefSessions: SessionAuthenticator {
    func authenticate(replacing old: Int?, in context: RefreshContext) async throws -> Int { (old ?? 0) + 1 }

    func decorate(_ request: inout Request, with session: Int) async throws {
        request.headers[.authorization] = "Session \(session)"
    }

    func check(_ response: inout Response, in session: Int) async throws -> SessionStatus {
        response.status == .unauthorized || response.status == .forbidden ? .closed : .open
    }
}
