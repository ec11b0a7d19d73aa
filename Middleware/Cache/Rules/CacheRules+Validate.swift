public import Foundation
public import HTTPTypes

/// A conclusion from the server's answer for the stored response.
public enum CacheConclusion: Sendable {
    /// 304: these stored responses get these descriptions (RFC 9111 §4.3.4), and the answer is made of one of them.
    ///
    /// One without a description is to be removed: with what the 304 says it may not be stored (§3).
    case freshened([(entry: CacheEntry, metadata: CacheMetadata?)], answer: CacheAnswer)
    /// 304, but for nothing that is stored: the request has to be sent without conditions of the cache's own.
    case sendUnconditionally
    /// The response is for the caller.
    case passOn
    /// The stored response answers instead.
    case serveStored(CacheAnswer)
}

extension CacheRules {
    typealias Selected = (
        entry: CacheEntry, form: CacheAnswer.Form, freshness: CacheFreshness, obstacle: CacheReason, mayBeStale: Bool
    )

    /// How many entity tags one request carries at most.
    private static let tagLimit = 32

    /// The request that asks about stored responses, RFC 9111 §4.3.1.
    func validation(_ question: CacheQuestion, _ selected: Selected?, _ variants: [CacheEntry]) -> CacheValidation {
        var validation = CacheValidation(
            fields: question.request.headerFields,
            isConditional: false,
            entry: selected?.entry,
            candidates: [],
            freshness: selected?.freshness,
            reason: selected?.obstacle ?? .otherVariants,
            whenDisconnected: nil,
            whenFailing: nil,
            mustBeValidated: false
        )
        if let selected { addFallbacks(to: &validation, selected, question) }
        // A HEAD is sent as it is: its answer updates what is stored by §4.3.5.
        if question.request.method == question.key?.method { addConditions(to: &validation, variants, question) }
        return validation
    }

    private func addConditions(
        to validation: inout CacheValidation,
        _ variants: [CacheEntry],
        _ question: CacheQuestion
    ) {
        let own = question.request.headerFields[values: .ifNoneMatch]
        // "Any representation at all" asks about nothing in particular.
        if own.contains(where: { Substring($0).trimmed == "*" }) { return }
        let known = own.flatMap(EntityTag.list)
        if let entry = validation.entry, entry.response.facts.entityTag == nil, known.isEmpty,
            entry.response.facts.lastModified != nil,
            let modified = entry.response.metadata.head.headerFields.first(of: .lastModified)
        {
            // Tags of other responses would keep the server from looking at the date, RFC 9110 §13.1.3.
            validation.fields[.ifModifiedSince] = modified
            validation.isConditional = true
            validation.candidates = [entry]
            return
        }
        let usable = variants.filter { entry in
            entry.id == validation.entry?.id || entry.response.metadata.content == .complete
        }
        var tags: [EntityTag] = []
        // The selected one first, the most recent of the others next.
        let ordered = usable.sorted { left, right in
            if (left.id == validation.entry?.id) != (right.id == validation.entry?.id) {
                return left.id == validation.entry?.id
            }
            return right.response.isOlder(than: left.response)
        }
        for entry in ordered {
            guard let tag = entry.response.facts.entityTag else { continue }
            if !tags.contains(tag) {
                guard tags.count < Self.tagLimit else { break }
                tags.append(tag)
            }
            validation.candidates.append(entry)
        }
        if !tags.isEmpty {
            let union = known + tags.filter { !known.contains($0) }
            validation.fields[.ifNoneMatch] = union.map(\.description).joined(separator: ", ")
            validation.isConditional = true
        }
        guard validation.isConditional else { return }
        let selected = validation.entry?.response
        let hasBoth = selected?.facts.entityTag != nil && selected?.facts.lastModified != nil
        validation.fields[.ifModifiedSince] =
            hasBoth ? selected?.metadata.head.headerFields.first(of: .lastModified) : nil
    }

    /// §4.2.4, RFC 5861 §4: what may be used stale, and when.
    private func addFallbacks(to validation: inout CacheValidation, _ selected: Selected, _ question: CacheQuestion) {
        let response = selected.entry.response
        func answer(_ reason: CacheReason) -> CacheAnswer {
            CacheAnswer(entry: selected.entry, form: selected.form, freshness: selected.freshness, reason: reason)
        }
        guard selected.mayBeStale else {
            validation.mustBeValidated =
                !selected.freshness.isFresh && requiresRevalidation(response, lifetime: question.settings.lifetime)
            return
        }
        let staleness = -selected.freshness.timeToLive
        // A caller who asked for something newer does not get the old without having said so.
        let serverWindow = selected.obstacle == .requestNoCache ? nil : directives(response.facts).staleIfError
        let window = max(question.directives.staleIfError ?? -1, serverWindow ?? -1)
        let isPermitted =
            question.settings.use == .storedOnFailure
            || window >= 0 && staleness <= Double(window)
        if isPermitted { validation.whenFailing = answer(.staleIfError) }
        if isPermitted || servesStaleWhenDisconnected && selected.obstacle == .stale {
            validation.whenDisconnected = answer(.disconnected)
        }
    }

    /// Returns the conclusion from the answer to a validation, RFC 9111 §4.3.3.
    ///
    /// - Parameters:
    ///   - validation: What was asked.
    ///   - response: The answer.
    ///   - question: The request that it was asked for.
    ///   - request: The request as it was sent, where that is known: stages further in may have added credentials.
    ///   - sent: When the validation was sent, by the wall clock.
    ///   - received: When the answer arrived.
    public func conclude(
        _ validation: CacheValidation,
        with response: HTTPResponse,
        to question: CacheQuestion,
        sentAs request: HTTPRequest? = nil,
        sentAt sent: Date,
        receivedAt received: Date
    ) -> CacheConclusion {
        switch response.status.code {
        case 304 where validation.isConditional:
            return freshen(validation, with: response, to: question, request, sentAt: sent, receivedAt: received)
        case 500, 502, 503, 504:
            return validation.whenFailing.map(CacheConclusion.serveStored) ?? .passOn
        default:
            return .passOn
        }
    }

    /// §4.3.4: which stored responses a 304 is about.
    private func freshen(
        _ validation: CacheValidation,
        with response: HTTPResponse,
        to question: CacheQuestion,
        _ request: HTTPRequest?,
        sentAt sent: Date,
        receivedAt received: Date
    ) -> CacheConclusion {
        let facts = ResponseFacts(response.headerFields, status: 304, receivedAt: received)
        var matching: [CacheEntry]
        if let tag = facts.entityTag {
            matching = validation.candidates.filter { entry in
                entry.response.facts.entityTag.map { $0.matchesWeakly(tag) } ?? false
            }
            if matching.isEmpty {
                let own = question.request.headerFields[values: .ifNoneMatch].flatMap(EntityTag.list)
                return own.contains { $0.matchesWeakly(tag) } ? .passOn : .sendUnconditionally
            }
        } else if let modified = facts.lastModified {
            matching = validation.candidates.filter { $0.response.facts.lastModified == modified }
        } else {
            matching = validation.candidates
        }
        if let tag = facts.entityTag {
            if tag.isWeak { matching = Array(matching.prefix(1)) }
        } else {
            // Without an entity tag the 304 has to be about the only response that was asked about.
            let own = question.request.headerFields.contains(.ifNoneMatch)
            guard validation.candidates.count == 1, !own else { return .sendUnconditionally }
        }
        let updates = matching.map { entry in
            (entry, freshened(entry, with: response, question: question, sentAt: sent, receivedAt: received))
        }
        guard let first = updates.first(where: { $0.0.id == validation.entry?.id }) ?? updates.first else {
            return .sendUnconditionally
        }
        let updated = CacheEntry(id: first.0.id, key: first.0.key, response: first.0.response.with(first.1))
        guard let form = form(of: updated, for: question) else { return .sendUnconditionally }
        let freshness = freshness(of: updated.response, at: received, lifetime: question.settings.lifetime)
        let answer = CacheAnswer(entry: updated, form: form, freshness: freshness, reason: .validated)
        // §5.2.1.5: nothing of an answer to a no-store request is kept.
        guard !question.directives.noStore else { return .freshened([], answer: answer) }
        return .freshened(updates.map { ($0.0, kept($0.1, question, sentAs: request)) }, answer: answer)
    }

    /// A description that 304 or HEAD has changed, if the response may be stored with it, RFC 9111 §3.
    private func kept(
        _ metadata: CacheMetadata,
        _ question: CacheQuestion,
        sentAs request: HTTPRequest?
    ) -> CacheMetadata? {
        let fields = metadata.head.headerFields
        guard question.variant(of: fields) != nil else { return nil }
        guard !metadata.lifetime.isExact else { return metadata }
        let facts = ResponseFacts(fields, status: metadata.head.status.code, receivedAt: metadata.responseTime)
        let obstacle = obstacle(toStoring: facts, question, request ?? question.request, metadata.lifetime)
        return obstacle == nil ? metadata : nil
    }

    private func freshened(
        _ entry: CacheEntry,
        with response: HTTPResponse,
        question: CacheQuestion,
        sentAt sent: Date,
        receivedAt received: Date
    ) -> CacheMetadata {
        var metadata = entry.response.metadata
        let isSelected = question.selects(metadata.variant)
        metadata.head.headerFields = updatedFields(metadata.head.headerFields, with: response.headerFields, received)
        metadata.requestTime = sent
        metadata.responseTime = received
        metadata.isInvalidated = false
        if let lifetime = question.settings.lifetime { metadata.lifetime = lifetime }
        if isSelected, let variant = question.variant(of: metadata.head.headerFields) { metadata.variant = variant }
        return metadata
    }

    /// Returns the updates to the stored responses to GET that an answer to HEAD brings, RFC 9111 §4.3.5.
    ///
    /// - Returns: The stored responses that change, with their new descriptions; one without is to be removed, because
    ///   it may not be stored with what the answer says (§3).
    public func updates(
        byHead response: HTTPResponse,
        to question: CacheQuestion,
        among variants: [CacheEntry],
        sentAs request: HTTPRequest? = nil,
        sentAt sent: Date,
        receivedAt received: Date
    ) -> [(entry: CacheEntry, metadata: CacheMetadata?)] {
        // §5.2.1.5: nothing of an answer to a no-store request is kept.
        guard !question.directives.noStore else { return [] }
        let facts = ResponseFacts(response.headerFields, status: response.status.code, receivedAt: received)
        let isGone = [404, 410].contains(response.status.code)
        guard response.status.code == 200 || isGone else { return [] }
        return variants.compactMap { entry in
            guard question.selects(entry.response.metadata.variant),
                entry.response.facts.status == 200
            else { return nil }
            let stored = entry.response
            var isSame = !isGone
            if let tag = facts.entityTag { isSame = isSame && tag == stored.facts.entityTag }
            if let modified = facts.lastModified { isSame = isSame && modified == stored.facts.lastModified }
            if let length = response.headerFields[.contentLength],
                let own = stored.metadata.head.headerFields[.contentLength]
            {
                isSame = isSame && length == own
            }
            if isSame {
                let merged = freshened(entry, with: response, question: question, sentAt: sent, receivedAt: received)
                return (entry, kept(merged, question, sentAs: request))
            }
            var metadata = stored.metadata
            metadata.isInvalidated = true
            return (entry, metadata)
        }
    }
}
