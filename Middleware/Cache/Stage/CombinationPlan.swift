import Foundation
import HTTPChainCore
import HTTPTypes

/// The way a partial response is combined with a stored one, RFC 9111 §3.4.
struct CombinationPlan {
    enum Outcome {
        case store(CombinationPlan)
        /// All of it is already stored: only the description changes.
        case freshen(CacheEntry, CacheMetadata)
        /// The stored response is more valuable.
        case keep
    }

    /// The metadata to store.
    var metadata: CacheMetadata
    /// The length of the response's own content; `nil` if irrelevant.
    var ownLength: Int64?
    /// The stored part.
    var other: CacheEntry?
    /// The ranges of the other entry's stored bytes that come before and after.
    var before: Range<Int64>?
    var after: Range<Int64>?
    /// The number of leading bytes of the response that are already stored, if the rest continues the stored part.
    var overlap: Int64?
    /// The metadata to store if the other entry is gone.
    private var own: CacheMetadata

    private init(_ metadata: CacheMetadata) {
        self.metadata = metadata
        own = metadata
    }

    /// The plan for the response alone.
    var alone: CombinationPlan {
        var plan = CombinationPlan(own)
        plan.ownLength = ownLength
        return plan
    }

    static func make(of metadata: CacheMetadata, with variants: [CacheEntry], _ rules: CacheRules) -> Outcome {
        var plan = CombinationPlan(metadata)
        guard case .part(let range, let length) = metadata.content else { return .store(plan) }
        plan.ownLength = range.upperBound - range.lowerBound
        guard let other = variants.first(where: { $0.response.metadata.variant == metadata.variant }) else {
            return .store(plan.whole(range, of: length))
        }
        let facts = ResponseFacts(metadata.head.headerFields, status: 206, receivedAt: metadata.responseTime)
        // A response with another status (such as a 404 with its own page) isn't part of the content.
        let isSame =
            other.response.facts.status == 200 && facts.isSameRepresentation(as: other.response.facts)
        switch other.response.metadata.content {
        case .complete:
            guard isSame else {
                // Without a tag, the stored response can't be known to be outdated.
                let isUnknown = facts.entityTag == nil || other.response.facts.entityTag == nil
                return isUnknown ? .keep : .store(plan.whole(range, of: length))
            }
            var updated = metadata
            updated.content = .complete
            updated.head.headerFields = rules.combinedFields(of: other, with: metadata)
            return .freshen(other, updated)
        case .part(let held, let otherLength):
            guard isSame, held.lowerBound <= range.upperBound, range.lowerBound <= held.upperBound else {
                return .store(plan.whole(range, of: length))
            }
            plan.other = other
            plan.metadata.head.headerFields = rules.combinedFields(of: other, with: metadata)
            if held.lowerBound < range.lowerBound { plan.before = 0..<(range.lowerBound - held.lowerBound) }
            if held.upperBound > range.upperBound {
                plan.after = (range.upperBound - held.lowerBound)..<(held.upperBound - held.lowerBound)
            }
            if held.lowerBound <= range.lowerBound, held.upperBound < range.upperBound {
                plan.overlap = held.upperBound - range.lowerBound
            }
            let union = min(held.lowerBound, range.lowerBound)..<max(held.upperBound, range.upperBound)
            return .store(plan.whole(union, of: length ?? otherLength))
        }
    }

    /// Marks the response as complete if the range covers the whole content.
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
