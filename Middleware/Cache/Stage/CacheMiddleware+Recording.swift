import Foundation
import HTTPChainCore
import HTTPTypes

extension CacheMiddleware {
    /// Has the response stored while its body is read.
    ///
    /// - Returns: Whether it will be, if nothing goes wrong.
    func record(_ response: inout Response, _ metadata: CacheMetadata, _ exchange: Exchange) async -> Bool {
        guard let key = exchange.question.key else { return false }
        let declared = response.headers[.contentLength].flatMap(ContentLength.parse)
        let plan: CombinationPlan
        switch CombinationPlan.make(of: metadata, with: exchange.variants, exchange.question) {
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
        do {
            guard let recording = try await start(plan, key, declared: declared, exchange) else {
                events.emit(.notStored(key, reason: "it is too large for the store"))
                return false
            }
            if let bytes = response.body.bytes {
                if !bytes.isEmpty { await recording.write(bytes) }
                await recording.finish()
                return true
            }
            response.body = teed(response.body, into: recording, key)
            return true
        } catch {
            events.emit(.storeFailure(key, error))
            return false
        }
    }

    private func start(
        _ plan: CombinationPlan,
        _ key: CacheKey,
        declared: Int64?,
        _ exchange: Exchange
    ) async throws -> CacheRecording? {
        var plan = plan
        var parts: (before: Body?, after: Body?)
        if let other = plan.other {
            if let range = plan.before { parts.before = try await store.body(of: other, range: range) }
            if let range = plan.after { parts.after = try await store.body(of: other, range: range) }
            // What was to be combined with is gone: the part alone is stored.
            if (plan.before != nil) != (parts.before != nil) || (plan.after != nil) != (parts.after != nil) {
                plan = plan.alone
                parts = (nil, nil)
            }
        }
        let extra = (parts.before?.length ?? 0) + (parts.after?.length ?? 0)
        let expected = declared.map { $0.addingReportingOverflow(extra) }.flatMap {
            $0.overflow ? nil : $0.partialValue
        }
        guard let writer = try await store.makeWriter(for: key, plan.metadata, expecting: expected) else { return nil }
        if let before = parts.before {
            for try await chunk in before {
                guard try await writer.write(chunk) else { return nil }
            }
        }
        return CacheRecording(
            writer,
            key: key,
            declared: plan.ownLength ?? declared,
            suffix: parts.after,
            events: events
        ) { [invalidations, stamp = exchange.stamp, url = key.url] in invalidations.isCurrent(url, since: stamp) }
    }

    private func teed(_ body: Body, into recording: CacheRecording, _ key: CacheKey) -> Body {
        // Who reads a replayable body a second time reads it alone.
        let pending = Locked<CacheRecording?>(recording)
        let onAbandoned: (@Sendable (Body) -> Void)?
        if case .finish(let limit) = abandonment {
            onAbandoned = { [revalidator] rest in
                revalidator.start(key) { await rest.drain(upTo: limit) }
            }
        } else {
            onAbandoned = nil
        }
        return body.transformed(length: body.length) { inner in
            let recording = pending.withLock { pending in
                let taken = pending
                pending = nil
                return taken
            }
            guard let recording else { return inner }
            let reader = CachingReader(inner, recording)
            guard let onAbandoned else { return reader }
            return HandingOnReader(reader, onAbandoned: onAbandoned)
        }
    }
}

/// How a partial response goes together with what is stored, RFC 9111 §3.4.
struct CombinationPlan {
    enum Outcome {
        case store(CombinationPlan)
        /// All of it is stored: only the description is new.
        case freshen(CacheEntry, CacheMetadata)
        /// What is stored is worth more.
        case keep
    }

    /// What will be stored.
    var metadata: CacheMetadata
    /// How long the response's own bytes are; `nil` when it does not matter.
    var ownLength: Int64?
    /// The stored part.
    var other: CacheEntry?
    /// Which of the bytes held by the other come before, and which after.
    var before: Range<Int64>?
    var after: Range<Int64>?
    /// What is stored when the other is gone.
    private var own: CacheMetadata

    private init(_ metadata: CacheMetadata) {
        self.metadata = metadata
        own = metadata
    }

    /// The response by itself.
    var alone: CombinationPlan {
        var plan = CombinationPlan(own)
        plan.ownLength = ownLength
        return plan
    }

    static func make(of metadata: CacheMetadata, with variants: [CacheEntry], _ question: CacheQuestion) -> Outcome {
        var plan = CombinationPlan(metadata)
        guard case .part(let range, let length) = metadata.content else { return .store(plan) }
        plan.ownLength = range.upperBound - range.lowerBound
        guard let other = variants.first(where: { $0.response.metadata.variant == metadata.variant }) else {
            return .store(plan.whole(range, of: length))
        }
        let tag = metadata.head.headerFields.first(of: .eTag).flatMap { EntityTag($0) }
        let isSame = tag.flatMap { tag in other.response.facts.entityTag.map { $0.matchesStrongly(tag) } } ?? false
        switch other.response.metadata.content {
        case .complete:
            guard isSame else {
                // Without a tag nothing tells whether what is stored is out of date.
                let isUnknown = tag == nil || other.response.facts.entityTag == nil
                return isUnknown ? .keep : .store(plan.whole(range, of: length))
            }
            var updated = metadata
            updated.content = .complete
            updated.head.headerFields[.contentLength] =
                other.response.metadata.head.headerFields[.contentLength]
            return .freshen(other, updated)
        case .part(let held, let otherLength):
            guard isSame, held.lowerBound <= range.upperBound, range.lowerBound <= held.upperBound else {
                return .store(plan.whole(range, of: length))
            }
            plan.other = other
            if held.lowerBound < range.lowerBound { plan.before = 0..<(range.lowerBound - held.lowerBound) }
            if held.upperBound > range.upperBound {
                plan.after = (range.upperBound - held.lowerBound)..<(held.upperBound - held.lowerBound)
            }
            let union = min(held.lowerBound, range.lowerBound)..<max(held.upperBound, range.upperBound)
            return .store(plan.whole(union, of: length ?? otherLength))
        }
    }

    /// All the bytes there are make a complete response.
    private func whole(_ range: Range<Int64>, of length: Int64?) -> CombinationPlan {
        var plan = self
        if let length, range == 0..<length {
            plan.metadata.content = .complete
            plan.metadata.head.headerFields[.contentLength] = "\(length)"
        } else {
            plan.metadata.content = .part(range, of: length)
        }
        return plan
    }
}
