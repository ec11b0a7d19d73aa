import Foundation
import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// The conclusion from a validation, for the stored responses.
package enum CacheConclusion: Sendable {
    /// 304: these stored responses get new descriptions (RFC 9111 §4.3.4), and one of them is served.
    ///
    /// An entry without a new description must be removed, because the fields of the 304 forbid storing it (§3).
    case freshened([(entry: CacheEntry, metadata: CacheMetadata?)], answer: CacheAnswer)
    /// 304, but for none of the stored responses: the request must be sent again without the cache's conditions.
    case sendUnconditionally
    /// The server's response is returned to the caller.
    case passOn
    /// The stored response is served instead.
    case serveStored(CacheAnswer)
}

extension CacheRules {
    typealias Selected = (
        entry: CacheEntry, form: CacheAnswer.Form, freshness: CacheFreshness, obstacle: CacheReason, mayBeStale: Bool
    )

    /// The maximum number of entity tags in a request.
    private static let tagLimit = 32

    /// Creates the validation request for stored responses, RFC 9111 §4.3.1.
    func validation(_ question: CacheQuestion, _ selected: Selected?, _ variants: [CacheEntry]) -> CacheValidation {
        var validation = CacheValidation(
            fields: question.request.headerFields,
            entry: selected?.entry,
            freshness: selected?.freshness,
            reason: selected?.obstacle ?? .otherVariants
        )
        if let selected { addFallbacks(to: &validation, selected, question) }
        // A HEAD is sent unchanged. Its response updates stored responses according to §4.3.5.
        if question.request.method == question.key?.method { addConditions(to: &validation, variants, question) }
        return validation
    }

    private func addConditions(
        to validation: inout CacheValidation,
        _ variants: [CacheEntry],
        _ question: CacheQuestion
    ) {
        let own = question.request.headerFields[values: .ifNoneMatch]
        // The condition `*` doesn't name a particular representation.
        if own.contains(where: { $0.trimming() == "*" }) { return }
        let known = own.flatMap(EntityTag.list)
        if let entry = validation.entry, entry.response.facts.entityTag == nil, known.isEmpty,
            entry.response.facts.lastModified != nil,
            let modified = entry.response.metadata.head.headerFields.first(of: .lastModified)
        {
            // If there are tags of other responses, the server would ignore the date, RFC 9110 §13.1.3.
            validation.fields[.ifModifiedSince] = modified
            validation.isConditional = true
            validation.candidates = [entry]
            return
        }
        let usable = variants.filter { entry in
            entry.id == validation.entry?.id || entry.response.metadata.content == .complete
        }
        var tags: [EntityTag] = []
        // The selected response comes first, then the others, most recent first.
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

    /// §4.2.4, RFC 5861 §4: adds the responses that may be served stale.
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
        // A caller that requires a newer response gets a stale one only if its request allows that explicitly.
        let serverWindow = selected.obstacle == .requestNoCache ? nil : directives(response.facts).staleIfError
        let window = max(question.directives.staleIfError ?? -1, serverWindow ?? -1)
        // A window of zero permits only a fresh response. An invalid window counts as zero.
        let isWithin = window > 0 ? staleness <= Double(window) : window == 0 && staleness < 0
        let isPermitted = question.settings.use == .storedOnFailure || isWithin
        if isPermitted { validation.whenFailing = answer(.staleIfError) }
        if isPermitted || servesStaleWhenDisconnected && selected.obstacle == .stale {
            validation.whenDisconnected = answer(.disconnected)
        }
    }

    /// Returns the conclusion from the response to a validation, RFC 9111 §4.3.3.
    ///
    /// - Parameters:
    ///   - validation: The validation that was sent.
    ///   - response: The server's response.
    ///   - question: The question of the call.
    package func conclude(
        _ validation: CacheValidation,
        with response: ReceivedResponse,
        to question: CacheQuestion
    ) -> CacheConclusion {
        switch response.head.status.code {
        case 304 where validation.isConditional:
            return freshen(validation, with: response, to: question)
        case 500, 502, 503, 504:
            return validation.whenFailing.map(CacheConclusion.serveStored) ?? .passOn
        default:
            return .passOn
        }
    }

    /// §4.3.4: selects the stored responses that a 304 applies to, and updates them.
    private func freshen(
        _ validation: CacheValidation,
        with response: ReceivedResponse,
        to question: CacheQuestion
    ) -> CacheConclusion {
        let facts = response.facts
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
            // A 304 without an entity tag applies only if there was a single response to validate.
            let own = question.request.headerFields.contains(.ifNoneMatch)
            guard validation.candidates.count == 1, !own else { return .sendUnconditionally }
        }
        let updates = matching.map { entry in
            (entry, freshened(entry, with: response, question))
        }
        guard let first = updates.first(where: { $0.0.id == validation.entry?.id }) ?? updates.first else {
            return .sendUnconditionally
        }
        let updated = first.0.with(first.1)
        guard let form = form(of: updated, for: question) else { return .sendUnconditionally }
        let freshness = freshness(of: updated.response, at: response.receivedAt, lifetime: question.settings.lifetime)
        let answer = CacheAnswer(entry: updated, form: form, freshness: freshness, reason: .validated)
        // §5.2.1.5: nothing of a response to a no-store request is stored.
        guard !question.directives.noStore else { return .freshened([], answer: answer) }
        return .freshened(updates.map { ($0.0, kept($0.1, question, sentAs: response.request)) }, answer: answer)
    }

    /// Returns a description changed by a 304 or a HEAD; nil if the response may not be stored with it, RFC 9111 §3.
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
        with response: ReceivedResponse,
        _ question: CacheQuestion
    ) -> CacheMetadata {
        var metadata = entry.response.metadata
        let isSelected = question.selects(metadata.variant)
        metadata.head.headerFields = updatedFields(
            metadata.head.headerFields,
            with: response.head.headerFields,
            response.receivedAt,
            isEmpty: response.head.status == .notModified
        )
        metadata.requestTime = response.sentAt
        metadata.responseTime = response.receivedAt
        metadata.isInvalidated = false
        if let lifetime = question.settings.lifetime { metadata.lifetime = lifetime }
        if isSelected, let variant = question.variant(of: metadata.head.headerFields) { metadata.variant = variant }
        return metadata
    }

    /// The stored responses that a full response invalidates without replacing them, §4.3.3.
    ///
    /// They no longer match the server's state, although the new response isn't stored. A server failure doesn't
    /// invalidate them, nor does a response that is only about the request: its credentials, a condition or range, or
    /// its time.
    func superseded(
        by response: HTTPResponse,
        to question: CacheQuestion,
        among variants: [CacheEntry]
    ) -> [(entry: CacheEntry, metadata: CacheMetadata)] {
        switch response.status.code {
        case 206, 304, 401, 407, 408, 412, 416, 417, 421, 425, 429, ..<200, 500...: return []
        default: break
        }
        // §5.2.1.5: nothing of a response to a no-store request is stored.
        guard question.request.method == question.key?.method, !question.directives.noStore else { return [] }
        return variants.compactMap { entry in
            var metadata = entry.response.metadata
            guard question.selects(metadata.variant) || question.selectsByLanguage(entry.response),
                !metadata.isInvalidated
            else { return nil }
            metadata.isInvalidated = true
            return (entry, metadata)
        }
    }

    /// Returns the updates to the stored responses to GET after a response to HEAD, RFC 9111 §4.3.5.
    ///
    /// - Returns: The changed stored responses, with their new descriptions. One without a description must be removed,
    ///   because the new fields forbid storing it (§3).
    package func updates(
        byHead response: ReceivedResponse,
        to question: CacheQuestion,
        among variants: [CacheEntry]
    ) -> [(entry: CacheEntry, metadata: CacheMetadata?)] {
        // §5.2.1.5: nothing of a response to a no-store request is stored.
        guard !question.directives.noStore else { return [] }
        let facts = response.facts
        let isGone = [404, 410].contains(response.head.status.code)
        guard response.head.status.code == 200 || isGone else { return [] }
        return variants.compactMap { entry in
            guard question.selects(entry.response.metadata.variant),
                entry.response.facts.status == 200
            else { return nil }
            let stored = entry.response
            var isSame = !isGone
            if let tag = facts.entityTag { isSame = isSame && tag == stored.facts.entityTag }
            if let modified = facts.lastModified { isSame = isSame && modified == stored.facts.lastModified }
            if let length = response.head.headerFields[.contentLength],
                let own = stored.metadata.head.headerFields[.contentLength]
            {
                isSame = isSame && length == own
            }
            if isSame {
                return (entry, kept(freshened(entry, with: response, question), question, sentAs: response.request))
            }
            var metadata = stored.metadata
            metadata.isInvalidated = true
            return (entry, metadata)
        }
    }
}
