import Foundation
import HTTPChainCore
import HTTPTypes

extension CacheRules {
    /// Returns the decision about a request, RFC 9111 §4.
    ///
    /// - Parameters:
    ///   - question: The request, the call's settings, and the time.
    ///   - variants: The stored responses for its key.
    package func decide(_ question: CacheQuestion, among variants: [CacheEntry]) -> CacheDecision {
        let use = question.settings.use ?? .standard
        if use == .off { return .forward(.off) }
        if question.isUnowned { return withoutStored(question, .credentials) }
        if question.isContentUnknown { return withoutStored(question, .requestContent) }
        guard let key = question.key else {
            if use == .onlyStored { return .unavailable(.onlyIfCached) }
            return .forward(question.request.authority == nil || question.request.scheme == nil ? .noURL : .method)
        }
        if question.hasContent, key.identifier == nil { return withoutStored(question, .requestContent) }
        if question.directives.hasServerPrecondition { return withoutStored(question, .serverPrecondition) }
        guard let selected = select(question, among: variants) else {
            if variants.isEmpty { return withoutStored(question, .notStored) }
            return withoutStored(question, .otherVariants) { .validate(validation(question, nil, variants)) }
        }
        guard let form = selected.form else {
            let isSeveral = RequestedRange(question.request.headerFields) == .several
            return withoutStored(question, isSeveral ? .severalRanges : .incomplete) {
                completion(of: selected.entry, question).map(CacheDecision.complete)
            }
        }
        return decide(question, selected.entry, form, variants)
    }

    private func decide(
        _ question: CacheQuestion,
        _ entry: CacheEntry,
        _ form: CacheAnswer.Form,
        _ variants: [CacheEntry]
    ) -> CacheDecision {
        let freshness = freshness(of: entry.response, at: question.time, lifetime: question.settings.lifetime)
        func answer(_ reason: CacheReason) -> CacheAnswer {
            CacheAnswer(entry: entry, form: form, freshness: freshness, reason: reason)
        }
        let mayBeStale =
            !forbidsStale(entry.response, lifetime: question.settings.lifetime)
            && !entry.response.metadata.isInvalidated
        let isStoredFirst =
            question.settings.use == .storedFirst && question.request.method != .head
            && !question.directives.onlyIfCached
        guard let obstacle = obstacle(to: entry, freshness, question) else {
            let found = answer(freshness.isFresh ? .fresh : .acceptedStale)
            guard isStoredFirst else { return .serve(found) }
            return .serveAndRevalidate(
                found,
                self.validation(question, (entry, form, freshness, .storedFirst, mayBeStale), variants)
            )
        }
        if question.settings.use == .onlyStored {
            return mayBeStale || obstacle != .responseNoCache && obstacle != .invalidated && freshness.isFresh
                ? .serve(answer(.onlyStored)) : .unavailable(.onlyIfCached)
        }
        if question.directives.onlyIfCached { return .unavailable(.onlyIfCached) }
        let validation = validation(question, (entry, form, freshness, obstacle, mayBeStale), variants)
        if isStoredFirst, mayBeStale, !question.directives.limitsFreshness {
            return .serveAndRevalidate(answer(.storedFirst), validation)
        }
        if obstacle == .stale, mayBeStale, question.request.method != .head,
            !question.directives.limitsFreshness,
            let window = directives(entry.response.facts).staleWhileRevalidate, window > 0,
            -freshness.timeToLive <= Double(window)
        {
            return .serveAndRevalidate(answer(.staleWhileRevalidate), validation)
        }
        return .validate(validation)
    }

    /// §3.4: the missing end of a stored response can be requested if a strong validator shows that it is still the
    /// same representation.
    private func completion(of entry: CacheEntry, _ question: CacheQuestion) -> CacheCompletion? {
        let asked = question.directives
        guard case .part(let held, .some(let length)) = entry.response.metadata.content, held.lowerBound == 0,
            !asked.hasRange, !asked.hasCondition, question.request.method == .get,
            !entry.response.metadata.isInvalidated, question.settings.use != .refresh,
            let validator = entry.response.facts.validators.ifRange
        else { return nil }
        var fields = question.request.headerFields
        fields[.range] = RequestedRange.field(from: held.upperBound)
        fields[.ifRange] = validator
        return CacheCompletion(fields: fields, entry: entry, offset: held.upperBound, length: length)
    }

    /// §5.2.1.7: responds with 504 if the caller accepts only stored responses.
    private func withoutStored(
        _ question: CacheQuestion,
        _ reason: CacheReason,
        otherwise: () -> CacheDecision? = { nil }
    ) -> CacheDecision {
        if question.directives.onlyIfCached || question.settings.use == .onlyStored {
            return .unavailable(.onlyIfCached)
        }
        return otherwise() ?? .forward(reason)
    }

    /// The stored response to use, §4: the most recent of those that the request selects (§4.1).
    ///
    /// Those with the requested content take precedence.
    ///
    /// If there is none, a response in the preferred language.
    private func select(
        _ question: CacheQuestion,
        among variants: [CacheEntry]
    ) -> (entry: CacheEntry, form: CacheAnswer.Form?)? {
        if let same = mostRecent(question, variants, where: { question.selects($0.metadata.variant) }) { return same }
        return mostRecent(question, variants, where: question.selectsByLanguage)
    }

    private func mostRecent(
        _ question: CacheQuestion,
        _ variants: [CacheEntry],
        where isSelected: (StoredResponse) -> Bool
    ) -> (entry: CacheEntry, form: CacheAnswer.Form?)? {
        var best: (entry: CacheEntry, form: CacheAnswer.Form?)?
        for entry in variants where isSelected(entry.response) {
            let form = form(of: entry, for: question)
            if let other = best {
                if (form != nil) == (other.form != nil) {
                    if entry.response.isOlder(than: other.entry.response) { continue }
                } else if form == nil {
                    continue
                }
            }
            best = (entry, form)
        }
        return best
    }

    /// The reason why a stored response may not be used without validation; `nil` if it may.
    private func obstacle(
        to entry: CacheEntry,
        _ freshness: CacheFreshness,
        _ question: CacheQuestion
    ) -> CacheReason? {
        let asked = question.directives
        let client = question.settings.lifetime ?? entry.response.metadata.lifetime
        let said = directives(entry.response.facts)
        if entry.response.metadata.isInvalidated { return .invalidated }
        if said.noCache, !client.isExact { return .responseNoCache }
        if asked.noCache || question.settings.use == .refresh { return .requestNoCache }
        // RFC 8246 §2: a reload doesn't validate an immutable response. A `max-age` of 0 means "now", not "within this
        // second".
        if let maxAge = asked.maxAge, maxAge == 0 || freshness.age > Double(maxAge),
            !(maxAge == 0 && said.immutable && freshness.isFresh)
        {
            return .requestMaxAge
        }
        if let minFresh = asked.minFresh, freshness.timeToLive < Double(minFresh) { return .requestMinFresh }
        if freshness.isFresh { return nil }
        if let maxStale = asked.maxStale, -freshness.timeToLive <= Double(maxStale) || maxStale == DeltaSeconds.largest,
            !forbidsStale(entry.response, lifetime: question.settings.lifetime)
        {
            return nil
        }
        return .stale
    }
}

extension StoredResponse {
    /// Compares `Date`, then the time of arrival: RFC 9111 §4.
    func isOlder(than other: StoredResponse) -> Bool {
        if facts.date != other.facts.date { return facts.date < other.facts.date }
        return metadata.responseTime < other.metadata.responseTime
    }
}
