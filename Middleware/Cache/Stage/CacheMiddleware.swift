import Foundation
public import HTTPChainCore
public import HTTPTypes

/// Serves stored responses to requests, as RFC 9111 specifies.
///
/// ```swift
/// let cache = CacheMiddleware(store: .memory(limit: .megabytes(50)), partition: .shared)
/// let chain = try Chain(transport: transport) { cache }
/// let response = try await chain.send(.get("https://api.example.com/plants"))
/// print(response.cacheStatus?.explanation ?? "")
/// ```
///
/// ``CacheRules`` decides what is stored, how long it is fresh, and when it is validated or invalidated. The rules are
/// those of a browser's cache, or with ``CacheRules/Mode/shared`` those of a proxy. A response is stored while its
/// caller reads it; if the transfer fails or the caller stops early, it isn't stored. A caller that stops early has
/// seen a newer response than the stored one, which is therefore validated before its next use. If the store fails,
/// the call doesn't: the failure is reported as an event and treated as a miss.
///
/// Every response carries its ``CacheStatus``, typed (`response.cacheStatus`) and as a `Cache-Status` field (RFC 9211).
/// Stored responses also carry `Age`. ``events(bufferingNewest:)`` reports events as they happen.
///
/// If the server allows it, a stale response is returned immediately and validated in the background
/// (`stale-while-revalidate`, RFC 5861) by ``CacheRevalidator``, which must be shut down before the transport.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/cache``: inside redirects and content codings, outside retry and
/// authentication. Because inner stages add the credentials, a chain that authenticates needs a partition that
/// separates users (``/HTTPChainCore/UserPartition``); without one, `Chain.init` throws. Without a partition, a private
/// cache ignores calls that carry their own credentials (`Authorization`, `Cookie`, an option), because their user is
/// unknown. The request as sent (`response.request`) determines whether it was authenticated, and which variant the
/// response is.
///
/// **Options.** ``CacheSettings``, for all calls, for a ``CacheRoute`` or for one call
/// (``HTTPChainCore/Request/caching(_:)``): lifetime, off, refresh, offline, identifier, ignored query
/// parameters, classification, and invalidations.
///
/// **Errors.** The stage adds none. Errors of inner stages pass through, unless a stored response may be served instead
/// (`response.cacheFailure` then has the error). If nothing else is allowed, the response is 504 (Gateway Timeout).
public struct CacheMiddleware: BuiltInStage, SharingMiddleware {
    let store: any CacheStore
    let rules: CacheRules
    let partition: UserPartition
    let settings: CacheSettings
    let routes: [CacheRoute]
    let abandonment: EarlyAbandonment
    let storing: CacheStoring
    let revalidator: CacheRevalidator
    let name: String
    let statusFields: CacheStatusFields
    let events: CacheEvents
    let invalidations: InvalidationLog

    /// Creates the stage.
    ///
    /// - Parameters:
    ///   - store: The store for responses.
    ///   - rules: The caching rules; those of a private cache by default.
    ///   - partition: The partition that separates users; none by default, which a chain that authenticates rejects.
    ///   - settings: The settings of calls that don't set their own.
    ///   - routes: The settings of some routes' calls; the first match applies.
    ///   - abandonment: The treatment of a response whose reader stops early; it is discarded by default.
    ///   - revalidator: The owner of background validations; a separate one by default.
    ///   - name: The cache's name in `Cache-Status`.
    ///   - observer: Receives each event immediately, on the call's task. It must return quickly.
    ///   - storing: A filter for what is stored; responses are stored as received by default. It receives the metadata
    ///     to be stored and the caller's request, and returns the metadata to store, or nil to store nothing and remove
    ///     what was stored before. It may change header fields, class and lifetime; changes to status, variant and times
    ///     are ignored. It runs again whenever the description changes: after a 304 and after a response to HEAD (RFC
    ///     9111 §4.3.4, §4.3.5). It must return quickly.
    public init(
        store: some CacheStore,
        rules: CacheRules = CacheRules(),
        partition: UserPartition = .none,
        settings: CacheSettings = CacheSettings(),
        routes: [CacheRoute] = [],
        abandonment: EarlyAbandonment = .discard,
        revalidator: CacheRevalidator = CacheRevalidator(),
        name: String = "HTTPChain",
        observer: (@Sendable (CacheEvent) -> Void)? = nil,
        storing: (@Sendable (_ metadata: CacheMetadata, _ request: HTTPRequest) -> CacheMetadata?)? = nil
    ) {
        self.store = store.unwrapped
        self.rules = rules
        self.partition = partition
        self.settings = settings
        self.routes = routes
        self.abandonment = abandonment
        self.storing = CacheStoring(decide: storing)
        self.revalidator = revalidator
        self.name = name
        statusFields = CacheStatusFields(cache: name)
        events = CacheEvents(observer: observer)
        invalidations = (self.store as? any InvalidationKeeping)?.invalidations ?? InvalidationLog()
    }

    package var userPartition: UserPartition { partition }

    package var stagePhase: Phase { .cache }
    package var stageOptions: [any RequestOption.Type] { [CacheSettingsOption.self] }
    package var stageSummary: StageSummary {
        StageSummary(
            "CacheMiddleware",
            purpose: "answers from stored responses",
            settings: [
                "store": store.summary, "mode": rules.mode.rawValue, "users": partition.summary,
                "routes": "\(routes.count)",
            ]
        )
        .adding("use", settings.use?.rawValue)
        .adding("lifetime", settings.lifetime.map { "\($0)" })
        .adding("ignores", settings.ignoredQuery.map { "query: \($0)" })
        .adding("stopped early", abandonment == .discard ? nil : "\(abandonment)")
        .adding("stores", storing.isByClosure ? "as a closure says" : nil)
    }

    /// Reports a cache that would serve one user's responses to another.
    package func stageProblems(at place: ChainPlace) -> [ChainProblem] {
        partition.problems(at: place, of: "CacheMiddleware", "whose responses it stores")
    }

    /// Marks the transport as caching, since a second cache would be useless.
    package func stageCapabilities(over inner: TransportCapabilities) -> TransportCapabilities {
        inner.union(.caches)
    }

    /// Serves the request from the store, or sends it to the server.
    ///
    /// - Throws: Errors of the inner stages and of the partition.
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

    /// Whether the store keeps deadlines; a networked store must declare it, and those of this package bound every wait.
    package var stageKeepsDeadlines: Bool { store.keepsDeadlines }

    // MARK: - The question

    func question(about request: borrowing Request) async throws -> CacheQuestion {
        try await question(about: request, settings(for: request))
    }

    private func question(about request: borrowing Request, _ settings: CacheSettings) async throws -> CacheQuestion {
        let head = request.head
        let owner: String
        switch try await partition.owner(of: request) {
        case .user(let name): owner = name
        // A shared cache stores responses to authenticated requests if they are meant for all, RFC 9111 §3.5.
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
        // HTML standard §9.2.2: streams are requested with the cache mode "no-store".
        if request.options[LongLivedResponse.self] { result.use = .off }
        return result
    }

    /// The key of a request; GET and HEAD share one.
    private static func key(for head: HTTPRequest, _ settings: CacheSettings, partition: String) -> CacheKey? {
        guard head.method.hasCacheKey(withIdentifier: settings.identifier != nil),
            let url = CacheKey.url(of: head, ignoring: settings.ignoredQuery ?? .none)
        else { return nil }
        return CacheKey(
            url: url,
            method: head.method == .head ? .get : head.method,
            partition: partition,
            identifier: settings.identifier
        )
    }

    /// The maximum size of request content that is compared.
    private static let comparedContent = ByteCount.mebibytes(1)

    /// The digest of a request's content; nil if the content can't be read twice, or is too large.
    private static func digest(of request: borrowing Request) async throws -> String? {
        let body = request.body
        guard body.isReplayable, body.length ?? 0 <= comparedContent.bytes else { return nil }
        if let bytes = body.bytes { return SHA256Digest.hex(of: bytes) }
        do {
            let bytes = try await (copy request).withinDeadline { try await body.collect(upTo: comparedContent) }
            return SHA256Digest.hex(of: bytes)
        } catch let error where !(error is CancellationError) && !(error is any TimeoutFailure) {
            // Sending the request reads the body too, and reports the error.
            return nil
        }
    }

    func variants(for question: CacheQuestion) async -> [CacheEntry] {
        guard let key = question.key, question.settings.use != .off, !question.isContentUnknown else { return [] }
        do {
            return try await invalidatingSuperseded(store.variants(of: key), of: key).filter {
                $0.response.metadata.variant.isOf(content: question.content)
            }
        } catch {
            events.emit(.storeFailure(key, error))
            return []
        }
    }

    /// Invalidates the entries that a newer response superseded without being stored, RFC 9111 §4.3.3.
    private func invalidatingSuperseded(_ entries: [CacheEntry], of key: CacheKey) async throws -> [CacheEntry] {
        guard let superseded = invalidations.superseded(of: key) else { return entries }
        var variants: [CacheEntry] = []
        for entry in entries {
            if let metadata = superseded.invalidated(entry) {
                if let updated = try await store.update(entry, to: metadata) { variants.append(updated) }
            } else {
                variants.append(entry)
            }
        }
        invalidations.forget(superseded, of: key)
        return variants
    }
}
