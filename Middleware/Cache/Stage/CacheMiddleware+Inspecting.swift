public import HTTPChainCore
import HTTPTypes

extension CacheMiddleware {
    /// Returns the state and freshness of the stored response to a request, without sending or changing anything.
    ///
    /// - Returns: `nil` if no stored response matches the request.
    /// - Throws: Errors of the store and the partition.
    public func state(for request: Request) async throws -> CachedState? {
        let question = try await questions.question(about: request)
        guard let key = question.key else { return nil }
        let (found, isUsable): (CacheEntry?, Bool) =
            switch rules.decide(question, among: try await contents.currentVariants(of: key)) {
            case .serve(let answer), .serveAndRevalidate(let answer, _): (answer.entry, true)
            case .validate(let validation): (validation.entry, false)
            case .complete(let completion): (completion.entry, false)
            case .forward, .unavailable: (nil, false)
            }
        guard let entry = found else { return nil }
        let metadata = entry.response.metadata
        return CachedState(
            key: key,
            status: metadata.head.status,
            freshness: rules.freshness(of: entry.response, at: question.time, lifetime: question.settings.lifetime),
            date: metadata.responseTime,
            length: entry.response.bodyLength,
            isUsable: isUsable
        )
    }

    /// Explains the cache's decision about a request, with the section that gives the rule, without sending anything.
    ///
    /// - Throws: Errors of the store and the partition.
    public func explain(_ request: Request) async throws -> String {
        let question = try await questions.question(about: request)
        var variants: [CacheEntry] = []
        if let key = question.key { variants = try await contents.currentVariants(of: key) }
        return rules.decide(question, among: variants).explanation
    }

    /// Returns the entries that match a selection, such as an identifier or an origin, without changing anything.
    ///
    /// - Parameters:
    ///   - selection: The entries to return.
    ///   - limit: The maximum number of entries; 1,000 by default.
    /// - Throws: Errors of the store.
    package func entries(_ selection: CacheSelection, limit: Int = 1000) async throws -> [CacheEntry] {
        var entries: [CacheEntry] = []
        guard limit > 0 else { return [] }
        try await contents.store.visit(selection) { entry in
            entries.append(entry)
            return entries.count < limit
        }
        return entries
    }

    /// Removes stored responses.
    ///
    /// Matching responses that are still in flight are not stored. A URL needn't be normalised: `https://A.example:443/`
    /// also selects the entries of `https://a.example/`.
    ///
    /// - Returns: The number of entries removed.
    /// - Throws: Errors of the store.
    @discardableResult
    public func remove(_ selection: CacheSelection) async throws -> Int {
        let selection = selection.normalised
        contents.log.note(selection)
        return try await contents.store.remove(selection)
    }

    /// Removes everything stored for a request: all variants of its key.
    ///
    /// - Returns: The number of entries removed.
    /// - Throws: Errors of the store and the partition.
    @discardableResult
    public func remove(for request: Request) async throws -> Int {
        guard let key = try await questions.question(about: request).key else { return 0 }
        contents.log.note(.url(key.url))
        return try await contents.store.remove(.key(key))
    }

    /// Returns a stream of the cache's events from now on.
    ///
    /// - Parameter limit: The number of events buffered for a slow reader. The newest are kept; 256 by default.
    public func events(bufferingNewest limit: Int = 256) -> AsyncStream<CacheEvent> {
        reports.events.stream(bufferingNewest: limit)
    }

    /// The counts so far, for export to a metrics system.
    public var metrics: CacheMetrics { reports.events.metrics }
}

extension CacheDecision {
    /// The decision in words, with the section that gives the rule.
    package var explanation: String {
        switch self {
        case .serve(let answer):
            "\(answer.freshness); served from the store\(answer.reason == .fresh ? "" : ": " + answer.reason.words)"
                + "; \(answer.reason.section)"
        case .serveAndRevalidate(let answer, _):
            "\(answer.freshness); served from the store and validated in the background; \(answer.reason.section)"
        case .validate(let validation):
            [
                validation.freshness?.description,
                validation.reason == .stale ? nil : "\(validation.reason.words) (\(validation.reason.section))",
                validation.isConditional
                    ? "validated with \(validation.validators); RFC 9111 §4.3.1"
                    : "sent unchanged; \(validation.reason.section)",
            ].compactMap { $0 }.joined(separator: "; ")
        case .complete(let completion):
            "\(completion.offset) of \(completion.length) bytes are stored; the rest is asked for; RFC 9111 §3.4"
        case .forward(let reason): "\(reason.words); sent to the server; \(reason.section)"
        case .unavailable(let reason): "\(reason.words); 504 (Gateway Timeout); \(reason.section)"
        }
    }
}

extension CacheValidation {
    /// The validators in words: "ETag", "Last-Modified" or both.
    var validators: String {
        [
            fields.contains(.ifNoneMatch) ? "ETag" : nil,
            fields.contains(.ifModifiedSince) ? "Last-Modified" : nil,
        ].compactMap { $0 }.joined(separator: " and ")
    }
}
