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
/// ``CacheRules`` determines what is stored, how long it is fresh, and when it is validated or invalidated. The rules
/// are those of a browser's cache, or with ``CacheRules/Mode/shared`` those of a proxy. A response is stored while its
/// caller reads it; if the transfer fails or the caller stops early, it isn't stored. A caller that stops early has
/// seen a newer response than the stored one, which is therefore validated before its next use. A failure of the store
/// doesn't fail the call, but is reported as an event and treated as a miss.
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
/// **Errors.** The stage throws none of its own. Errors of inner stages pass through, unless a stored response may be
/// served instead (`response.cacheFailure` then has the error). If the caller accepts only stored responses and none
/// may be used, the response is 504 (Gateway Timeout).
public struct CacheMiddleware: BuiltInStage, SharingMiddleware {
    let questions: CacheQuestions
    let rules: CacheRules
    let contents: CacheContents
    let recorder: CacheRecorder
    let reports: CacheReports

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
    ///   - observer: A closure that receives each event immediately, in the call's task. It must return quickly.
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
        let events = CacheEvents(observer: observer)
        let contents = CacheContents(store.unwrapped, events: events)
        questions = CacheQuestions(
            partition: partition,
            settings: settings,
            routes: routes,
            isShared: rules.isShared
        )
        self.rules = rules
        self.contents = contents
        recorder = CacheRecorder(
            contents: contents,
            rules: rules,
            filter: storing,
            abandonment: abandonment,
            revalidator: revalidator
        )
        reports = CacheReports(name: name, events: events)
    }

    package var userPartition: UserPartition { questions.partition }

    package var stagePhase: Phase { .cache }
    package var stageOptions: [any RequestOption.Type] { [CacheOption.self] }
    package var stageSummary: StageSummary {
        let (settings, abandonment) = (questions.settings, recorder.abandonment)
        return StageSummary(
            "CacheMiddleware",
            purpose: "answers from stored responses",
            settings: [
                "store": contents.store.summary, "mode": rules.mode.rawValue, "users": questions.partition.summary,
                "routes": "\(questions.routes.count)",
            ]
        )
        .adding("use", settings.use?.rawValue)
        .adding("lifetime", settings.lifetime.map { "\($0)" })
        .adding("ignores", settings.ignoredQuery.map { "query: \($0)" })
        .adding("stopped early", abandonment == .discard ? nil : "\(abandonment)")
        .adding("stores", recorder.filter == nil ? nil : "as a closure says")
    }

    /// Reports a cache that would serve one user's responses to another.
    package func stageProblems(at place: ChainPlace) -> [ChainProblem] {
        questions.partition.problems(at: place, of: "CacheMiddleware", "whose responses it stores")
    }

    /// Marks the transport as caching, because a second cache would be useless.
    package func stageCapabilities(over inner: TransportCapabilities) -> TransportCapabilities {
        inner.union(.caches)
    }

    /// Serves the request from the store, or sends it to the server.
    ///
    /// - Throws: Errors of the inner stages and of the partition.
    @inline(__always)  // Into the protocol's witness, which saves each call a frame.
    public nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        let settings = questions.settings(for: request)
        if settings.use == .off, settings.invalidates.isEmpty, request.head.method.isSafe, reports.events.countPassed()
        {
            return try await pass(request, next)
        }
        let question = try await questions.question(about: request, settings)
        let variants = await contents.variants(for: question)
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
            // A lookup that was cancelled finds nothing.
            try Task.checkCancellation()
            return unavailable(CacheStatus(cache: reports.name, reason: reason, detail: reason.words))
        }
    }

    /// Whether the store respects deadlines.
    ///
    /// A networked store must declare that it does; the stores of this package limit every wait.
    package var stageKeepsDeadlines: Bool { contents.store.keepsDeadlines }
}
