import Foundation
import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// Stores responses while they are read, and owns the cache's background work.
struct CacheRecorder: Sendable {
    let contents: CacheContents
    let rules: CacheRules
    /// The application's filter for what is stored, in addition to the rules.
    let filter: (@Sendable (CacheMetadata, HTTPRequest) -> CacheMetadata?)?
    let abandonment: EarlyAbandonment
    let revalidator: CacheRevalidator

    private var store: any CacheStore { contents.store }
    private var events: CacheEvents { contents.events }

    /// Stores the response while its body is read.
    ///
    /// - Returns: Whether the response will be stored if no error occurs.
    func record(_ response: inout Response, _ metadata: CacheMetadata, _ exchange: CacheExchange) async -> Bool {
        guard let key = exchange.question.key else { return false }
        var metadata = metadata
        metadata.originalContentFields = response.options[OriginalContentFieldsFact.self]
        let declared = response.headers.value(of: .contentLength).flatMap(ContentLength.parse)
        let plan: CombinationPlan
        let condition = exchange.question.request.headerFields.first(of: .ifRange)
        switch CombinationPlan.make(of: metadata, with: exchange.variants, requestedIf: condition, rules) {
        case .store(let made): plan = made
        case .freshen(let entry, let metadata):
            do {
                return try await store.update(entry, to: metadata) != nil
            } catch {
                events.emit(.storeFailure(key, error))
                return false
            }
        case .keep:
            events.emit(.notStored(key, reason: "all of it is stored already"))
            return false
        }
        var claimed = metadata
        // If the date is only the time of receipt, it doesn't show that the server created this response later.
        if !response.headers.contains(.date) { claimed.head.headerFields[.date] = nil }
        guard let claim = contents.log.claims.claim(key, claimed, sentAt: exchange.claims) else {
            events.emit(.notStored(key, reason: "another call, sent at the same time, stores it"))
            return false
        }
        do {
            let recording = try await start(plan, key, declared: declared, exchange, claim)
            if let bytes = response.body.bytes {
                if !bytes.isEmpty { await recording.write(bytes) }
                await recording.finish()
                return true
            }
            // A response without content is already complete, and its body may never be read.
            if response.body.length == 0 || response.body.length == nil && declared == 0 {
                await recording.finish()
                return true
            }
            response.body = teed(response.body, into: recording, key, exchange.time)
            return true
        } catch let refusal as Refusal {
            events.emit(.notStored(key, reason: refusal.reason))
            await supersede(by: response.head, exchange)
            return false
        } catch {
            events.emit(.storeFailure(key, error))
            let superseded = rules.superseded(by: response.head, to: exchange.question, among: exchange.variants)
            contents.log.noteSuperseded(superseded.map(\.entry))
            return false
        }
    }

    private struct Refusal: Error {
        var reason = "it is too large for the store"
    }

    private func start(
        _ plan: CombinationPlan,
        _ key: CacheKey,
        declared: Int64?,
        _ exchange: CacheExchange,
        _ claim: RecordingClaim
    ) async throws -> CacheRecording {
        var plan = plan
        if let recording = try await append(plan, key, exchange, claim) { return recording }
        var parts: (before: HTTPBody?, after: HTTPBody?)
        if let other = plan.other {
            if let range = plan.before { parts.before = try await store.body(of: other, range: range) }
            if let range = plan.after { parts.after = try await store.body(of: other, range: range) }
            // The stored part is gone, so only the new part is stored.
            if (plan.before != nil) != (parts.before != nil) || (plan.after != nil) != (parts.after != nil) {
                plan = plan.alone
                parts = (nil, nil)
            }
        }
        let extra = (parts.before?.length ?? 0) + (parts.after?.length ?? 0)
        let expected = declared.map { $0.addingReportingOverflow(extra) }.flatMap {
            $0.overflow ? nil : $0.partialValue
        }
        guard let writer = try await store.makeWriter(for: key, plan.metadata, expecting: expected) else {
            throw Refusal()
        }
        if let before = parts.before {
            for try await chunk in before {
                guard try await writer.write(chunk) else { throw Refusal(reason: writer.refusal) }
            }
        }
        return CacheRecording(
            writer,
            key: key,
            declared: plan.ownLength ?? declared,
            suffix: parts.after,
            place: place(of: plan, exchange),
            claim: claim
        )
    }

    private func place(of plan: CombinationPlan, _ exchange: CacheExchange) -> CommitPlace {
        CommitPlace(contents: contents, exchange: exchange, metadata: plan.metadata, rules: rules)
    }

    /// Appends a part to the stored part that it continues, so that stored bytes aren't written again.
    ///
    /// Returns `nil` if the store or the part doesn't allow this.
    private func append(
        _ plan: CombinationPlan,
        _ key: CacheKey,
        _ exchange: CacheExchange,
        _ claim: RecordingClaim
    ) async throws -> CacheRecording? {
        guard let other = plan.other, let overlap = plan.overlap, let length = plan.ownLength,
            let store = store as? any BodyAppending,
            let writer = try await store.makeAppender(to: other, plan.metadata, expecting: length - overlap)
        else { return nil }
        return CacheRecording(
            writer,
            key: key,
            declared: length,
            skipping: overlap,
            place: place(of: plan, exchange),
            claim: claim
        )
    }

    /// Invalidates the responses superseded by a full response that isn't stored.
    func supersede(by response: HTTPResponse, _ exchange: CacheExchange) async {
        let superseded = rules.superseded(by: response, to: exchange.question, among: exchange.variants)
        await contents.update(superseded.map { ($0.entry, $0.metadata) })
    }

    private func teed(
        _ body: HTTPBody,
        into recording: CacheRecording,
        _ key: CacheKey,
        _ time: any TimeSource
    ) -> HTTPBody {
        // If a replayable body is read a second time, that isn't recorded.
        let pending = Locked<CacheRecording?>(recording)
        let onAbandoned: (@Sendable (HTTPBody) -> Void)?
        if case .finish(let limit) = abandonment {
            onAbandoned = { [revalidator] rest in
                revalidator.start(key) { await rest.drain(upTo: limit, within: .seconds(60), time: time) }
            }
        } else {
            onAbandoned = nil
        }
        return body.transformed(length: body.length) { inner in
            guard let recording = pending.withLock({ $0.take() }) else { return inner }
            let reader = CachingReader(inner: inner, recording: recording)
            guard let onAbandoned else { return reader }
            return HandingOnReader(reader, onAbandoned: onAbandoned)
        }
    }
}
