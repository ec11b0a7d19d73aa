import Foundation
public import HTTPChainCore
import HTTPTypes

/// Answers requests from stored responses, by RFC 9111.
///
/// ```swift
/// let cache = CacheMiddleware(store: .memory(limit: .megabytes(50)), partition: .shared)
/// let chain = try Chain(transport: transport) { cache }
/// let response = try await chain.send(.get("https://api.example.com/plants"))
/// print(response.cacheStatus?.explanation ?? "")
/// ```
///
/// What may be stored, for how long it is fresh, when it is validated and what makes it invalid is decided by
/// ``CacheRules``, as for a browser's cache; ``CacheRules/Mode/shared`` makes it a proxy's. A response is stored while
/// its caller reads it: one that breaks, or is left before its end, is not stored. A fault of the store never fails a
/// call; it is an event, and a miss.
///
/// Every response carries its ``CacheStatus``, typed (`response.cacheStatus`) and as a `Cache-Status` field (RFC 9211),
/// and what comes from the store carries `Age`. ``events(bufferingNewest:)`` tells what happens as it happens.
///
/// A response that is stale, and whose server allows it, is handed out at once and validated behind the caller's back
/// (`stale-while-revalidate`, RFC 5861). ``CacheRevalidator`` owns these validations: shut it down before the transport.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/cache``: inside redirects and content codings, outside retry and
/// authentication. Because credentials are added further in, a chain that authenticates needs a ``CachePartition`` that
/// keeps users apart, and does not build without one. With none, a private cache leaves calls alone that bring
/// credentials of their own (`Authorization`, `Cookie`, an option): nobody said whose they are. Whether a request was
/// authenticated, and by what a response varies, is judged by the request as it was sent (`response.request`).
///
/// **Options.** ``CacheSettings``, for all calls, for a ``CacheRoute`` and for one call
/// (``HTTPChainCore/Request/caching(_:)-(CacheSettings)``): lifetime, off, refresh, offline, identifier, ignored query
/// parameters, classification, and what a call makes invalid.
///
/// **Errors.** None of its own: errors of the stages inside pass on, unless a stored response may answer instead
/// (`response.cacheFailure` has the error then). 504 (Gateway Timeout) answers where nothing else may.
public struct CacheMiddleware: ChainAwareMiddleware, DeadlineKeepingMiddleware, SharingMiddleware {
    let store: any CacheStore
    let rules: CacheRules
    let partition: CachePartition
    let settings: CacheSettings
    let routes: [CacheRoute]
    let abandonment: EarlyAbandonment
    let storing: CacheStoring
    let revalidator: CacheRevalidator
    let name: String
    let events: CacheEvents
    let invalidations: InvalidationLog

    /// Makes the stage.
    ///
    /// - Parameters:
    ///   - store: Where responses are kept.
    ///   - rules: How they are used; a private cache by default.
    ///   - partition: What keeps users apart; nothing by default, which a chain that authenticates refuses.
    ///   - settings: What calls want that say nothing themselves.
    ///   - routes: What the calls of some routes want; the first that fits counts.
    ///   - abandonment: What happens to a response whose reader leaves before its end; it is discarded by default.
    ///   - storing: What is stored of each response, and whether it is; as it came by default.
    ///   - revalidator: Owns the validations in the background; one of its own by default.
    ///   - name: What the cache is called in `Cache-Status`.
    ///   - observer: Is told of each event at once, on the task of the call; it must return quickly.
    public init(
        store: some CacheStore,
        rules: CacheRules = CacheRules(),
        partition: CachePartition = .none,
        settings: CacheSettings = CacheSettings(),
        routes: [CacheRoute] = [],
        abandonment: EarlyAbandonment = .discard,
        storing: CacheStoring = .asReceived,
        revalidator: CacheRevalidator = CacheRevalidator(),
        name: String = "HTTPChain",
        observer: (@Sendable (CacheEvent) -> Void)? = nil
    ) {
        self.store = store
        self.rules = rules
        self.partition = partition
        self.settings = settings
        self.routes = routes
        self.abandonment = abandonment
        self.storing = storing
        self.revalidator = revalidator
        self.name = name
        events = CacheEvents(observer: observer)
        invalidations = (store as? any InvalidationKeeping)?.invalidations ?? InvalidationLog()
    }

    package var userPartition: UserPartition { partition }

    /// Outside coalescing, retry and authentication.
    public var phase: Phase { .cache }

    /// The store and the rules.
    public var summary: StageSummary {
        let users = partition.isApart ? "apart" : "shared"
        return StageSummary(
            "CacheMiddleware",
            purpose: "answers from stored responses",
            settings: [
                "store": store.summary, "mode": rules.mode.rawValue, "users": users, "routes": "\(routes.count)",
            ]
        )
    }

    /// A cache that would give one user's responses to another.
    public func problems(at place: ChainPlace) -> [ChainProblem] {
        guard !partition.seesUsers, !partition.isShared,
            let stage = place.inside.first(where: { $0.phase == .authenticate })
        else { return [] }
        let name = stage.summary.name
        return [
            ChainProblem(
                stage: "CacheMiddleware",
                problem: "CacheMiddleware stands outside \(name) and cannot tell whose responses it stores",
                fix: "give it partition: .by { … } with the user's name, or .shared where all callers are one user"
            )
        ]
    }

    /// Over a cache there is no use for another.
    public func capabilities(over inner: TransportCapabilities) -> TransportCapabilities { inner.union(.caches) }

    /// Answers from the store, or asks the server.
    ///
    /// - Throws: What the stages inside and the partition throw.
    public func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        let settings = settings(for: request)
        if settings.use == .off, settings.invalidates.isEmpty, request.head.method.isSafe, events.countPassed() {
            return try await pass(request, next)
        }
        let question = try await question(about: request, settings)
        let variants = await variants(for: question)
        switch rules.decide(question, among: variants) {
        case .serve(let answer):
            if let response = await hit(answer, question) { return response }
            return try await forward(request, question, .notStored, variants: [], next)
        case .serveAndRevalidate(let answer, _):
            guard let response = await hit(answer, question) else {
                return try await forward(request, question, .notStored, variants: [], next)
            }
            revalidateInBackground(request, question, variants, next)
            return response
        case .validate(let validation):
            return try await validate(request, question, validation, variants: variants, next)
        case .complete(let completion):
            return try await complete(request, question, completion, variants: variants, next)
        case .forward(let reason):
            return try await forward(request, question, reason, variants: variants, next)
        case .unavailable(let reason):
            return unavailable(CacheStatus(cache: name, reason: reason, detail: reason.words))
        }
    }

    /// A store that is reached over a network has to say so itself; those of this package end every wait.
    public var keepsDeadlines: Bool { store.keepsDeadlines }

    // MARK: - What is asked

    func question(about request: borrowing Request) async throws -> CacheQuestion {
        try await question(about: request, settings(for: request))
    }

    private func question(about request: borrowing Request, _ settings: CacheSettings) async throws -> CacheQuestion {
        let head = request.head
        let owner: String
        switch try await partition.owner(of: request) {
        case .user(let name): owner = name
        // A shared cache stores of authenticated requests what is meant for all, RFC 9111 §3.5.
        case .unknown where rules.isShared: owner = ""
        case .unknown:
            var question = CacheQuestion(head, key: nil, settings: settings, time: request.environment.time.date)
            question.isUnowned = true
            return question
        }
        var question = CacheQuestion(
            head,
            key: Self.key(for: head, settings, partition: owner),
            settings: settings,
            hasContent: !request.body.isEmpty,
            time: request.environment.time.date
        )
        question.isOwnerKnown = partition.seesUsers
        question.needsOwner = !rules.isShared && !partition.isShared && !partition.seesUsers
        if question.needsOwner { question.redaction = request.redaction }
        if question.hasContent, question.key?.identifier != nil, settings.use != .off {
            question.content = try await Self.digest(of: request)
            question.isContentUnknown = question.content == nil
        }
        if head.method == .post, question.key == nil, settings.use != .off,
            let url = CacheKey.url(of: head, ignoring: question.ignoredQuery)
        {
            question.keyOfGet = CacheKey(url: url, partition: owner)
        }
        return question
    }

    private func settings(for request: borrowing Request) -> CacheSettings {
        var result = settings
        if !routes.isEmpty {
            let head = request.head
            if let route = routes.first(where: { $0.matches(head) }) { result = route.settings.over(result) }
        }
        if request.options.contains(CacheSettingsOption.self) {
            result = request.options[CacheSettingsOption.self].over(result)
        }
        // HTML standard §9.2.2: a stream is asked for with the cache mode "no-store".
        if request.options[LongLivedResponse.self] { result.use = .off }
        return result
    }

    /// GET and HEAD share what is stored; other methods have stored responses only where the call names them, and those
    /// that change what they name (PUT, DELETE, PATCH) never have.
    private static func key(for head: HTTPRequest, _ settings: CacheSettings, partition: String) -> CacheKey? {
        let isPlain = head.method == .get || head.method == .head
        let isChange = [.put, .delete, .patch, .connect].contains(head.method)
        guard isPlain || settings.identifier != nil, !isChange,
            let url = CacheKey.url(of: head, ignoring: settings.ignoredQuery ?? .none)
        else { return nil }
        return CacheKey(
            url: url,
            method: isPlain ? .get : head.method,
            partition: partition,
            identifier: settings.identifier
        )
    }

    /// The most content of a request that is compared.
    private static let comparedContent = ByteCount.mebibytes(1)

    /// The digest of a request's content; nil for content that cannot be read twice, or is too large.
    private static func digest(of request: borrowing Request) async throws -> String? {
        let body = request.body
        guard body.isReplayable, body.length ?? 0 <= comparedContent.bytes else { return nil }
        if let bytes = body.bytes { return SHA256Digest.hex(of: bytes) }
        do {
            let bytes = try await (copy request).withinDeadline { try await body.collect(upTo: comparedContent) }
            return SHA256Digest.hex(of: bytes)
        } catch let error where !(error is CancellationError) && !(error is any TimeoutFailure) {
            // Whoever sends the request reads it too, and tells.
            return nil
        }
    }

    func variants(for question: CacheQuestion) async -> [CacheEntry] {
        guard let key = question.key, question.settings.use != .off, !question.isContentUnknown else { return [] }
        do {
            return try await store.variants(of: key).filter {
                $0.response.metadata.variant.isOf(content: question.content)
            }
        } catch {
            events.emit(.storeFailure(key, error))
            return []
        }
    }
}
