import Foundation
import HTTPChain
import HTTPChainClient
import HTTPChainContentDigest
import HTTPChainHAR
import HTTPChainInMemory
import HTTPChainPagination
import HTTPChainResumableUpload
import HTTPChainSigning
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@Suite("Options that nothing reads", .timeLimit(.minutes(10)))
struct UnreadOptionTests {
    private static let url = "https://api.example.com/items"

    /// A request with an option, the method that set it, up to its first label, what the error calls it, and the
    /// stage that it names.
    struct Lost: CustomTestStringConvertible, Sendable {
        let method: String
        let expression: String
        let reader: String
        let request: Request
        let stage: (any Middleware)?

        init(
            _ method: String,
            _ expression: String? = nil,
            by reader: String,
            _ stage: (any Middleware)? = nil,
            _ change: (Request) -> Request
        ) {
            self.method = method
            self.expression = expression ?? (method.contains("(") ? ".\(method)" : ".\(method)(")
            self.reader = reader
            self.stage = stage
            request = change(.get(UnreadOptionTests.url))
        }

        var testDescription: String { method }
    }

    private static let basic = BasicAuthMiddleware(user: "ada", password: "x", for: [url])

    @Test("The name of a route is refused by a chain whose authentication stage has no routes")
    func routeWithoutRoutes() async throws {
        let bearer = BearerAuthMiddleware(token: "t", for: [Self.url])
        for stage in [Self.basic, bearer] as [any Middleware] {
            let chain = try Chain([stage], transport: InMemoryTransport { _ in Response(.ok) })
            let error = await #expect(throws: UnreadOptionError.self) {
                try await chain.send(.get(Self.url).authentication(by: "admin"))
            }
            #expect(error?.options.map(\.expression) == [".authentication(by:)"])
        }
    }

    @Test("An option that only the stage of a route reads is read")
    func optionOfARoute() async throws {
        enum Tenant: RequestOption {
            static var defaultValue: String? { nil }
        }
        struct Own: Middleware {
            var phase: Phase { .authenticate }
            var optionsRead: [any RequestOption.Type] { [Tenant.self] }

            func intercept(_ request: consuming Request, next: Next) async throws -> Response {
                request.headers[.authorization] = request.options[Tenant.self]
                return try await next(request)
            }
        }
        let chain = try Chain(
            transport: InMemoryTransport { Response(.ok, body: HTTPBody($0.headers[.authorization] ?? "")) }
        ) {
            RoutedAuthMiddleware([AuthRoute(with: Own())])
        }
        var request = Request.get(Self.url)
        request.options[Tenant.self] = "blue"
        #expect(try await chain.send(request).body.text() == "blue")
    }

    /// Each method of a request that has an effect only if a stage reads the option.
    static let lost: [Lost] = [
        Lost("authentication(by:", by: "RoutedAuthMiddleware", RoutedAuthMiddleware([AuthRoute("basic", with: basic)]))
        {
            $0.authentication(by: "basic")
        },
        Lost("caching(identifier:", ".caching(", by: "CacheMiddleware") { $0.caching(identifier: "items") },
        Lost("caching", by: "CacheMiddleware") { $0.caching(.onlyStored) },
        Lost("caching", by: "CacheMiddleware") { $0.caching(.refresh) },
        Lost("caching(invalidating:", ".caching(", by: "CacheMiddleware") { $0.caching(invalidating: .all) },
        Lost("caching(invalidating:", ".caching(", by: "CacheMiddleware") {
            $0.caching(invalidating: .all).caching(.off)
        },
        Lost("callDuplicates", by: "CallRegistryMiddleware", CallRegistryMiddleware(CallRegistry())) {
            $0.callKey(7).callDuplicates(false)
        },
        Lost("coalescing", by: "CoalescingMiddleware", CoalescingMiddleware(partition: .shared)) { $0.coalescing() },
        Lost("priority", by: "ConcurrencyLimitMiddleware", ConcurrencyLimitMiddleware(.fixed(1))) {
            $0.priority(.critical)
        },
        Lost("digests", by: "ContentDigestMiddleware", ContentDigestMiddleware()) {
            $0.digests(.contentDigest(.sha256))
        },
        Lost("digests(response:", by: "ContentDigestMiddleware", ContentDigestMiddleware()) {
            $0.digests(response: .whenPresent)
        },
        Lost("cookies", by: "CookieMiddleware", CookieMiddleware()) { $0.cookies(["a": "b"]) },
        Lost("cookies", by: "CookieMiddleware", CookieMiddleware()) { $0.cookies(.sendOnly) },
        Lost("site", by: "CookieMiddleware", CookieMiddleware()) { $0.site(.page("https://other.example/")) },
        Lost("errorHandlers", by: "ErrorHandlerMiddleware", ErrorHandlerMiddleware(.problemDetails)) {
            $0.errorHandlers(.problemDetails)
        },
        Lost("errorHandlers(only:", ".errorHandlers(", by: "ErrorHandlerMiddleware") { $0.errorHandlers(only: []) },
        Lost("compression", by: "GzipMiddleware", GzipMiddleware()) { $0.compression() },
        Lost("decompression(limits:", by: "GzipMiddleware", GzipMiddleware()) {
            $0.decompression(limits: DecodingLimits())
        },
        Lost("recording", by: "RecordingMiddleware") { $0.recording(true) },
        Lost("headerParameters", by: "HeadersMiddleware", HeadersMiddleware([.set("X-Id", template: "{id}")])) {
            $0.headerParameters(["id": "7"])
        },
        Lost("headers", by: "HeadersMiddleware", HeadersMiddleware()) { $0.headers(.set(.accept, to: "a/b")) },
        Lost("hedging", by: "HedgingMiddleware", HedgingMiddleware(HedgingPolicy(after: .fixed(.seconds(9))))) {
            $0.hedging(HedgingPolicy(after: .fixed(.seconds(9))))
        },
        Lost("network", by: "URLSessionTransport") { $0.network(.noCellular) },
        Lost("progress", by: "ProgressMiddleware", ProgressMiddleware()) { $0.progress { _ in } },
        Lost("observingProgress", ".progress(", by: "ProgressMiddleware", ProgressMiddleware()) {
            $0.observingProgress().request
        },
        Lost("reportingFoundationProgress", ".progress(", by: "ProgressMiddleware", ProgressMiddleware()) {
            $0.reportingFoundationProgress().request
        },
        Lost("rateLimit(weight:", by: "RateLimitMiddleware") { $0.rateLimit(weight: 3) },
        Lost("redirects", by: "RedirectMiddleware", RedirectMiddleware()) { $0.redirects(.sameOrigin) },
        Lost("logging", by: "RemoteLoggingMiddleware") { $0.logging(component: "shop") },
        Lost("processing", by: "RequestProcessorMiddleware", RequestProcessorMiddleware()) { $0.processing { _ in } },
        Lost("processing(by:", ".processing(", by: "RequestProcessorMiddleware", RequestProcessorMiddleware()) {
            $0.processing(by: ClosureRequestProcessor("late") { _ in })
        },
        Lost("resumableUpload(identity:", ".resumableUpload(", by: "ResumableUploadMiddleware(…)") {
            $0.resumableUpload()
        },
        Lost("retry(idempotencyKey:", by: "RetryMiddleware", RetryMiddleware()) { $0.retry(idempotencyKey: true) },
        Lost("retry", by: "RetryMiddleware", RetryMiddleware()) { $0.retry(RetryPolicy(maximumAttempts: 2)) },
        Lost("afterDecoding", "serialization", by: "SerializerMiddleware", SerializerMiddleware(.json)) {
            $0.afterDecoding(String.self) { _ in }
        },
        Lost("afterEncoding", "serialization", by: "SerializerMiddleware", SerializerMiddleware(.json)) {
            $0.afterEncoding(String.self) { _, _ in }
        },
        Lost("decoding(by:", "serialization", by: "SerializerMiddleware", SerializerMiddleware(.json)) {
            $0.decoding(upTo: .kilobytes(1))
        },
        Lost("encoding(by:", "serialization", by: "SerializerMiddleware", SerializerMiddleware(.json)) {
            $0.encoding(under: "a")
        },
        Lost("encoding(nilAsNull:", "serialization", by: "SerializerMiddleware", SerializerMiddleware(.json)) {
            $0.encoding(nilAsNull: true)
        },
        Lost("serializer", "serialization", by: "SerializerMiddleware", SerializerMiddleware(.json)) {
            $0.serializer(.json)
        },
        Lost("signing(payload:", by: "SigningMiddleware(AWSSigner(…), for: …)") { $0.signing(payload: .unsigned) },
        Lost("signing(webhookID:", by: "SigningMiddleware(.webhook(keys: …), for: …)") {
            $0.signing(webhookID: "msg_1")
        },
        Lost("statuses(only:", by: "StatusValidationMiddleware", StatusValidationMiddleware()) {
            $0.statuses(only: [200])
        },
        Lost("timeout(attempt:", by: "AttemptTimeoutMiddleware", AttemptTimeoutMiddleware()) {
            $0.timeout(attempt: .seconds(1))
        },
        Lost("timeout", by: "TimeoutMiddleware", TimeoutMiddleware(nil)) { $0.timeout(.milliseconds(200)) },
        Lost("timeout(connect:", by: "AttemptTimeoutMiddleware", AttemptTimeoutMiddleware()) {
            $0.timeout(read: .value(.seconds(1)))
        },
        Lost("url(path:", "the path, query", by: "URLBuilderMiddleware", URLBuilderMiddleware(base: url)) {
            $0.url(query: ["id": 7])
        },
        Lost("url(reserved:", by: "URLBuilderMiddleware(builder: …)", URLBuilderMiddleware(builder: OwnBuilder())) {
            $0.url(reserved: "days", 3...7)
        },
        Lost("url(builtBy:", "the path, query", by: "URLBuilderMiddleware", URLBuilderMiddleware(base: url)) {
            $0.url(builtBy: OwnBuilder())
        },
        Lost("url(leavesOrigin:", "the path, query", by: "URLBuilderMiddleware", URLBuilderMiddleware(base: url)) {
            $0.url(leavesOrigin: .refused)
        },
    ]

    /// Methods whose effect is the same in a chain in which nothing reads the option.
    static let harmless: [String: @Sendable (Request) -> Request] = [
        "statuses(adding:": { $0.statuses(adding: [404]) },
        "callKey": { $0.callKey(7) },
        "callTags": { $0.callTags("a") },
        "url(leavesOrigin:": { $0.url(leavesOrigin: .allowed) },
        "decompression": { $0.decompression(false) },
        "made": { $0.made(from: 7) },
        "authentication": { $0.authentication(false) },
        "compression": { $0.compression(false) },
        "signing": { $0.signing(false) },
        "urlTemplate": { $0.urlTemplate("/items") },
        "redirects": { $0.redirects(false) },
        "serializer": { $0.serializer(false) },
    ]

    /// Methods of modules that these tests don't import, and one that fails by itself without its stage.
    private static let elsewhere: Set<String> = ["tracing", "multipart", "route", "odata", "declare(reserved:"]

    @Test("A request with an option that nothing reads fails before anything is sent", arguments: lost)
    func isRefused(_ lost: Lost) async throws {
        let transport = InMemoryTransport { _ in Response(.ok) }
        let chain = try Chain(transport: transport)
        let error = await #expect(throws: UnreadOptionError.self) { try await chain.send(lost.request) }
        let text = try #require(error).description
        #expect(text.contains(lost.expression) && text.contains(lost.reader) && text.contains(".unchecked"), "\(text)")
        #expect(transport.requests.isEmpty)
        let unchecked = try Chain(transport: transport, options: .unchecked)
        #expect(try await unchecked.send(lost.request).status == .ok)
        #expect("\(lost.request)".contains("options: "))
    }

    @Test("A chain with the stage that reads an option sends the request, also from a chain inside", arguments: lost)
    func isRead(_ lost: Lost) async throws {
        guard let stage = lost.stage else { return }
        let transport = InMemoryTransport { _ in Response(.ok) }
        let chain = try Chain([stage], transport: transport, order: .unchecked)
        #expect(try await chain.send(lost.request).status == .ok)
        let around = try Chain(transport: chain) { ClosureMiddleware("around") { try await $1($0) } }
        #expect(try await around.send(lost.request).status == .ok)
        let traced = await chain.trace(lost.request)
        #expect(traced.description.contains("reads "), "\(traced)")
    }

    /// Stages that read an option only in another configuration.
    static let unable: [(stage: any Middleware, request: Request, expression: String)] = [
        (HeadersMiddleware(), Request.get(url).headerParameters(["id": "7"]), ".headerParameters("),
        (
            HeadersMiddleware([.set("X-Id", template: "{ä}")]), Request.get(url).headerParameters(["ä": "7"]),
            ".headerParameters("
        ),
        (URLBuilderMiddleware(base: url), Request.get(url).url(reserved: "days", 3...7), ".url(reserved:"),
        (hmac, Request.get(url).signing(webhookID: "msg_1"), ".signing(webhookID:"),
        (hmac, Request.get(url).signing(payload: .unsigned), ".signing(payload:"),
        (
            SigningMiddleware(.webhook(keys: []), for: url), Request.get(url).signing(payload: .unsigned),
            ".signing(payload:"
        ),
        (
            ResumableUploadMiddleware(.draft),
            Request.post(url, body: "a").resumableUpload(metadata: ["filename": "a"]),
            ".resumableUpload(metadata:)"
        ),
        (
            GzipMiddleware(codings: []), Request.get(url).decompression(limits: DecodingLimits()),
            ".decompression(limits:"
        ),
        (RateLimitMiddleware(obeysServer: false), Request.get(url).rateLimit(weight: 3), ".rateLimit(weight:"),
        (
            ConcurrencyLimitMiddleware(.fixed(1), queue: .none),
            Request.get(url).priority(.critical), ".priority("
        ),
    ]

    private static let hmac = SigningMiddleware(
        .hmac(.sha256, key: "0123456789abcdef", covering: .content()) { $1.headers[.authorization] = $0.hexadecimal },
        for: url
    )

    @Test("A stage whose configuration leaves an option without effect doesn't read it", arguments: 0..<unable.count)
    func isNotRead(index: Int) async throws {
        let (stage, request, expression) = Self.unable[index]
        let transport = InMemoryTransport { _ in Response(.ok) }
        let chain = try Chain([stage], transport: transport, order: .unchecked)
        let error = await #expect(throws: UnreadOptionError.self) { try await chain.send(request) }
        #expect(error?.options.map(\.expression).contains { $0.hasPrefix(expression) } == true)
        #expect(transport.requests.isEmpty)
    }

    @Test("A template of the call itself reads its parameters, in either order")
    func ownTemplate() async throws {
        let transport = InMemoryTransport { _ in Response(.ok) }
        let chain = try Chain(transport: transport) { HeadersMiddleware() }
        let template = HeaderOperation.set("X-Id", template: "{id}")
        for request in [
            Request.get(Self.url).headerParameters(["id": "7"]).headers(template),
            Request.get(Self.url).headers(template).headerParameters(["id": "7"]),
        ] {
            _ = try await chain.send(request)
            #expect(transport.requests.last?.headers[try #require(HTTPField.Name("X-Id"))] == "7")
        }
        // The stage is still needed.
        let bare = try Chain(transport: transport)
        await #expect(throws: UnreadOptionError.self) {
            try await bare.send(.get(Self.url).headerParameters(["id": "7"]).headers(template))
        }
    }

    @Test("A builder of the call itself reads its values, in either order")
    func ownBuilder() async throws {
        let transport = InMemoryTransport { _ in Response(.ok) }
        let chain = try Chain(transport: transport) { URLBuilderMiddleware(base: Self.url) }
        for request in [
            Request.get(Self.url).url(reserved: "days", 3...7).url(builtBy: OwnBuilder()),
            Request.get(Self.url).url(builtBy: OwnBuilder()).url(reserved: "days", 3...7),
        ] {
            #expect(try await chain.send(request).status == .ok)
        }
    }

    @Test("An option that means the same without a stage is harmless", arguments: harmless.keys.sorted())
    func isHarmless(_ name: String) async throws {
        let change = try #require(Self.harmless[name])
        let chain = try Chain(transport: InMemoryTransport { _ in Response(.ok) })
        #expect(try await chain.send(change(.get(Self.url))).status == .ok)
    }

    @Test("A value that asks for nothing is harmless")
    func offIsHarmless() async throws {
        let chain = try Chain(transport: InMemoryTransport { _ in Response(.ok) })
        let off = Request.get(Self.url).retry(.never).timeout(nil).timeout(attempt: nil).caching(.off).cookies(.off)
            .coalescing(false).redirects(.never).logging(false).retry(idempotencyKey: false).digests(response: .off)
            .recording(false)
            .network([.background, .http3]).url().headers().hedging(HedgingPolicy(attempts: 1)).rateLimit(weight: 0)
            .decoding(at: .whole).encoding(under: .whole).encoding(nilAsNull: false)
        #expect(try await chain.send(off).status == .ok)
    }

    @Test("A call turns on again what it turned off")
    func onAgain() async throws {
        let transport = InMemoryTransport { _ in Response(.ok) }
        let chain = try Chain([BearerAuthMiddleware(token: "t", for: [Self.url])], transport: transport)
        let off = Request.get(Self.url).authentication(false).decompression(false).serializer(false).signing(false)
            .callKey(7).callDuplicates(false)
        await #expect(throws: UnreadOptionError.self) { try await chain.send(off) }
        let on = off.authentication(true).decompression(true).serializer(true).signing(true).callDuplicates(true)
        #expect(try await chain.send(on).status == .ok)
        #expect(transport.requests.map { $0.headers[.authorization] } == ["Bearer t"])
        let following = InMemoryTransport(capabilities: [.followsRedirects, .streamsUploads]) { _ in Response(.ok) }
        let request = Request.get(Self.url).redirects(false).redirects(true)
        #expect(try await Chain(transport: following).send(request).status == .ok)
    }

    /// Values that forbid what a transport with a capability does by itself.
    static let forbidding: [(capabilities: TransportCapabilities, request: Request, expression: String)] = [
        (.handlesCookies, .get(url).cookies(.off), ".cookies("), (.caches, .get(url).caching(.off), ".caching("),
        (.followsRedirects, .get(url).redirects(.never), ".redirects(.never)"),
        (.followsRedirects, .get(url).redirects(false), ".redirects(false)"),
    ]

    @Test("A value that forbids what the transport does by itself is refused", arguments: 0..<forbidding.count)
    func forbidsTransport(index: Int) async throws {
        let (capabilities, request, expression) = Self.forbidding[index]
        let transport = InMemoryTransport(capabilities: [capabilities, .streamsUploads]) { _ in Response(.ok) }
        let chain = try Chain(transport: transport)
        let error = await #expect(throws: UnreadOptionError.self) { try await chain.send(request) }
        let text = try #require(error).description
        #expect(text.contains(expression) && text.contains("switch off in the transport"), "\(text)")
        #expect(transport.requests.isEmpty)
        // What the call doesn't forbid, the transport may do.
        #expect(try await chain.send(.get(Self.url)).status == .ok)
        let able = try Chain(transport: InMemoryTransport { _ in Response(.ok) })
        #expect(try await able.send(request).status == .ok)
    }

    @Test("A value that forbids what a transport does only when allowed, or a stage of a chain inside, is accepted")
    func forbidsStages() async throws {
        let strict = InMemoryTransport(capabilities: [.followsRedirects, .redirectsOnlyWhenAllowed]) { _ in
            Response(.ok)
        }
        let stages = try Chain(transport: InMemoryTransport { _ in Response(.ok) }, order: .unchecked) {
            RedirectMiddleware()
            CacheMiddleware(store: .memory(limit: .megabytes(1)), partition: .shared)
            CookieMiddleware()
        }
        #expect(try await Chain(transport: strict).send(.get(Self.url).redirects(.never)).status == .ok)
        for (_, request, _) in Self.forbidding {
            #expect(try await Chain(transport: stages).send(request).status == .ok)
        }
    }

    @Test(
        "A limit to networks is refused by a chain that can't follow it, also beside hints",
        arguments: [NetworkHints.noCellular, .noExpensive, .noConstrained, [.background, .noExpensive, .http3]]
    )
    func networkLimits(hints: NetworkHints) async throws {
        let transport = InMemoryTransport { _ in Response(.ok) }
        let chain = try Chain(transport: transport)
        let error = await #expect(throws: UnreadOptionError.self) {
            try await chain.send(.get(Self.url).network(hints))
        }
        #expect(error?.options.map(\.expression) == [".network(_:)"])
        #expect(transport.requests.isEmpty)
    }

    @Test(
        "A hint that limits no network has no effect in a chain that can't follow it",
        arguments: [NetworkHints.background, .responsive, .streaming, .http3, []]
    )
    func networkHints(hints: NetworkHints) async throws {
        let chain = try Chain(transport: InMemoryTransport { _ in Response(.ok) })
        #expect(try await chain.send(.get(Self.url).network(hints)).status == .ok)
    }

    @Test("Every public method that sets an option is either refused without its stage or harmless")
    func methodsAreComplete() throws {
        let folder = Repository.tests
            .appendingPathComponent("API")
        var names: Set<String> = []
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        where file.pathExtension == "txt" {
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                guard line.hasPrefix("Request: "), line.contains("-> Request") || line.contains("(request: Request,"),
                    !line.contains(" static func "),
                    let name = line.firstMatch(of: /func (\w+)(?:<.*?>)?\((?:(\w+)[ :])?/)
                else { continue }
                let label = name.2.map(String.init) ?? "_"
                names.insert(label == "_" ? String(name.1) : "\(name.1)(\(label):")
            }
        }
        let known = Set(Self.lost.map(\.method)).union(Self.harmless.keys).union(Self.elsewhere)
        #expect(names.count >= 40)
        #expect(names.subtracting(known) == [])
    }

    @Test("The error names a place for the stage")
    func place() async throws {
        let chain = try Chain(transport: InMemoryTransport { _ in Response(.ok) }) {
            StatusValidationMiddleware()
            RetryMiddleware()
        }
        for (request, place) in [
            (Request.get(Self.url).timeout(.seconds(1)), "TimeoutMiddleware(nil) outside StatusValidationMiddleware"),
            (Request.get(Self.url).caching(.onlyStored), "outside RetryMiddleware"),
            (Request.get(Self.url).timeout(attempt: .seconds(1)), "AttemptTimeoutMiddleware() as the innermost stage"),
        ] {
            let error = await #expect(throws: UnreadOptionError.self) { try await chain.send(request) }
            #expect(error?.recoverySuggestion?.contains(place) == true, "\(error?.description ?? "")")
        }
    }

    private struct OwnBuilder: URLBuilding {
        func url(for call: URLBuildingCall) async throws -> String { UnreadOptionTests.url }
    }

    private enum Tenant: RequestOption {
        static var defaultValue: String? { nil }
    }

    private struct TenantMiddleware: Middleware {
        var optionsRead: [any RequestOption.Type] { [Tenant.self] }

        func intercept(_ request: consuming Request, next: Next) async throws -> Response {
            request.headers[.from] = request.options[Tenant.self]
            return try await next(request)
        }
    }

    @Test("A custom option has to be read by a stage that names it")
    func customOption() async throws {
        var request = Request.get(Self.url)
        request.options[Tenant.self] = "acme"
        let transport = InMemoryTransport { _ in Response(.ok) }
        let without = try Chain(transport: transport)
        let error = await #expect(throws: UnreadOptionError.self) { try await without.send(request) }
        #expect(error?.description.contains("options[Tenant.self]") == true)
        #expect(error?.description.contains("optionsRead") == true)
        let with = try Chain(transport: transport) { TenantMiddleware() }
        #expect(try await with.send(request).status == .ok)
        let closure = try Chain(transport: transport) {
            ClosureMiddleware("tenant", reading: [Tenant.self]) { try await $1($0) }
        }
        #expect(try await closure.send(request).status == .ok)
        let processor = try Chain(transport: transport, options: .reading([Tenant.self])) {
            RequestProcessorMiddleware { $0.headers[.from] = $0.options[Tenant.self] }
        }
        #expect(try await processor.send(request).status == .ok)
    }

    @Test("An option that a stage sets for another, or for a chain inside, isn't refused")
    func setInside() async throws {
        let transport = InMemoryTransport { _ in Response(.ok) }
        let inner = try Chain(transport: transport)
        let chain = try Chain(transport: inner) {
            ClosureMiddleware("sets") { request, next in try await next(request.timeout(.seconds(1))) }
        }
        #expect(try await chain.send(.get(Self.url)).status == .ok)
    }

    /// What a hook sets too late, and whether a chain refuses it.
    private static let late: [(change: @Sendable (inout Request) -> Void, expression: String?)] = [
        ({ $0 = $0.timeout(.seconds(1)) }, ".timeout(_:)"),
        ({ $0 = $0.url(query: ["id": 7]) }, "the path, query and builder of the URL"),
        ({ $0 = $0.headers(.set("X-A", to: "b")) }, ".headers(_:)"),
        ({ $0 = $0.cookies(["id": "7"]) }, ".cookies(_:)"),
        ({ $0 = $0.timeout(attempt: .seconds(1)) }, nil),
        ({ $0 = $0.statuses(only: 500) }, ".statuses(only:)"),
        // Harmless only in a chain without retries.
        ({ $0 = $0.retry(.never) }, ".retry(_:)"),
        ({ $0 = $0.hedging(HedgingPolicy(attempts: 1)) }, nil),
        ({ $0.options[Tenant.self] = "acme" }, nil),
        ({ $0.headers[.from] = "a@b.example" }, nil),
    ]

    private struct Login: SessionAuthenticator {
        let change: @Sendable (inout Request) -> Void

        func authenticate(replacing old: Int?, in context: RefreshContext) async throws -> Int { 1 }

        func decorate(_ request: inout Request, with session: Int) async throws { change(&request) }

        func check(_ response: inout Response, in session: Int) async throws -> SessionStatus { .open }
    }

    private static func around(
        _ stage: any Middleware,
        options: OptionCheck = .checked,
        over transport: any Transport
    ) throws -> Chain {
        try Chain(
            [
                TimeoutMiddleware(nil), StatusValidationMiddleware(), URLBuilderMiddleware(base: url),
                HeadersMiddleware(), CookieMiddleware(), RetryMiddleware(), stage, AttemptTimeoutMiddleware(),
            ],
            transport: transport,
            order: .unchecked,
            options: options
        )
    }

    @Test("An option that a hook sets inside the stage that reads it is refused", arguments: 0..<late.count)
    func setTooLate(row: Int) async throws {
        let (change, expression) = Self.late[row]
        let stages: [any Middleware] = [
            RequestProcessorMiddleware("late", at: .authenticate) { change(&$0) },
            SessionAuthMiddleware(Login(change: change), for: Self.url),
        ]
        for stage in stages {
            let transport = InMemoryTransport { _ in Response(.ok) }
            let chain = try Self.around(stage, over: transport)
            guard let expression else {
                #expect(try await chain.send(.get(Self.url)).status == .ok)
                continue
            }
            let error = await #expect(throws: UnreadOptionError.self) { try await chain.send(.get(Self.url)) }
            let text = error?.description ?? ""
            #expect(text.contains("no stage inside \(stage.summary.name) reads \(expression)"), "\(text)")
            #expect(transport.requests.isEmpty)
            let unchecked = try Self.around(stage, options: .unchecked, over: transport)
            #expect(try await unchecked.send(.get(Self.url)).status == .ok)
        }
    }

    @Test("A call's own processor can't set an option that comes too late, also if the call has another value for it")
    func changedTooLate() async throws {
        let transport = InMemoryTransport { _ in Response(.ok) }
        let chain = try Self.around(RequestProcessorMiddleware(), over: transport)
        let request = Request.get(Self.url).timeout(.seconds(1))
        #expect(try await chain.send(request.processing { _ in }).status == .ok)
        await #expect(throws: UnreadOptionError.self) {
            try await chain.send(request.processing { $0 = $0.timeout(.seconds(2)) })
        }
        #expect(transport.requests.count == 1)
        let named = try Self.around(
            RequestProcessorMiddleware(),
            options: .reading([TimeoutOption.self]),
            over: transport
        )
        #expect(try await named.send(request.processing { $0 = $0.timeout(.seconds(2)) }).status == .ok)
    }

    @Test("A request of an authenticator's own has no option that the stages inside don't read")
    func refreshWithOptions() async throws {
        let changes: [(isRead: Bool, @Sendable (any Transport) async throws -> Void)] = [
            (false, { _ = try await $0.send(.get(Self.url).timeout(.seconds(1))) }),
            (false, { _ = try await $0.send(.get(Self.url, query: ["id": 7])) }),
            (true, { _ = try await $0.send(.get(Self.url).timeout(attempt: .seconds(1)).authentication(false)) }),
            (
                true,
                { context in
                    let chain = try Chain(transport: context) { TimeoutMiddleware(nil) }
                    _ = try await chain.send(.get(Self.url).timeout(.seconds(1)))
                }
            ),
        ]
        for (isRead, send) in changes {
            let transport = InMemoryTransport { _ in Response(.ok) }
            let provider = ClosureAccessTokenProvider.asking { _, context in
                try await send(context)
                return AccessToken("t")
            }
            let chain = try Self.around(BearerAuthMiddleware(provider, for: Self.url), over: transport)
            if isRead {
                #expect(try await chain.send(.get(Self.url)).status == .ok)
            } else {
                let error = await #expect(throws: AuthenticationError.self) { try await chain.send(.get(Self.url)) }
                #expect(error?.description.contains("no stage inside the stage that authenticates reads") == true)
                #expect(transport.requests.isEmpty)
            }
        }
    }

    @Test("A fallback chain isn't sent a request with an option that it doesn't read and that decides the response")
    func fallbackChain() async throws {
        let down = InMemoryTransport { _ in Response(.serviceUnavailable) }
        let lost: [Request] = [
            .get("\(Self.url)/:id", path: ["id": 1]), .get(Self.url, query: ["id": 7]),
            .get(Self.url).headers(.set(.accept, to: "text/csv")), .get(Self.url).cookies(["id": "7"]),
        ]
        let kept: [Request] = [
            .get(Self.url), .get(Self.url).timeout(.seconds(1)), .get(Self.url).timeout(attempt: .seconds(1)),
        ]
        for (index, request) in (lost + kept).enumerated() {
            for isFull in [false, true] {
                let mirror = InMemoryTransport { _ in Response(.ok) }
                let full = try Chain(transport: mirror) {
                    URLBuilderMiddleware(base: Self.url)
                    HeadersMiddleware()
                    CookieMiddleware()
                }
                let isSent = isFull || index >= lost.count
                let chain = try Chain(transport: down) {
                    TimeoutMiddleware(nil)
                    FallbackMiddleware(.chain(isFull ? full : mirror))
                    URLBuilderMiddleware(base: Self.url)
                    HeadersMiddleware()
                    CookieMiddleware()
                    AttemptTimeoutMiddleware()
                }
                let response = try await chain.send(request)
                #expect(response.status == (isSent ? .ok : .serviceUnavailable), "\(request), \(isFull)")
                #expect(mirror.requests.count == (isSent ? 1 : 0))
            }
        }
    }

    @Test("Pages follow each other in a chain without a URL builder, by links and by parameters")
    func pages() async throws {
        let transport = InMemoryTransport()
        let chain = try Chain(transport: transport)
        let link = try #require(HTTPField.Name("Link"))
        transport.enqueue([try .json([1], headers: [link: "</items?page=2>; rel=\"next\""]), try .json([2])])
        var numbers: [Int] = []
        for try await page in chain.pages(of: [Int].self, from: .get(Self.url), by: .linkHeader()) {
            numbers += page.value
        }
        #expect(numbers == [1, 2])
        transport.enqueue([try .json([3]), try .json([4]), try .json([Int]())])
        numbers = []
        for try await page in chain.pages(of: [Int].self, from: .get(Self.url), by: .page(isLast: \.isEmpty)) {
            numbers += page.value
        }
        #expect(numbers == [3, 4])
    }

    @Test(
        "A preset reads the options that the pages show",
        arguments: PresetTests.Preset.allCases
    )
    func presets(_ preset: PresetTests.Preset) async throws {
        let transport = InMemoryTransport { _ in Response(.ok) }
        let chain = try preset.chain(over: transport)
        let request = Request.get("items/{id}").url(path: ["id": 7], query: ["page": 1]).timeout(.seconds(5))
            .timeout(attempt: .seconds(2)).headers(.set(.accept, to: "a/b"))
            .processing { $0.headers[.from] = "a@b.example" }
            .retry(RetryPolicy(maximumAttempts: 2)).retry(idempotencyKey: true).decoding(upTo: .kilobytes(10)).statuses(
                only: [200])
            .compression().errorHandlers(.problemDetails)
        #expect(try await chain.send(request).status == .ok)
        let sent = try #require(transport.requests.first)
        #expect(sent.url.hasSuffix("/items/7?page=1"))
        #expect(sent.headers[.accept] == "a/b" && sent.headers[.from] == "a@b.example")
    }

    @Test("A call over a preset ends within its timeout", arguments: PresetTests.Preset.allCases)
    func timeout(_ preset: PresetTests.Preset) async throws {
        let transport = InMemoryTransport()
        transport.on(.get, "*", reply: .text("late").delayed(by: .seconds(3)))
        let chain = try preset.chain(over: transport, environment: .virtual(.automatic()))
        let error = await #expect(throws: TimeoutError.self) {
            try await chain.send(.get("a").timeout(.milliseconds(200)).retry(.never))
        }
        #expect(error != nil)
    }
}
