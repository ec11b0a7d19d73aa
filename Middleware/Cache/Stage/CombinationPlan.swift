import Foundation
import HTTPChainCore
import HTTPTypes

/// How a partial response goes together with what is stored, RFC 9111 §3.4.
struct CombinationPlan {
    enum Outcome {
        case store(CombinationPlan)
        /// All of it is stored: only the description is new.
        case freshen(CacheEntry, CacheMetadata)
        /// The stored response is worth more.
        case keep
    }

    /// The metadata that will be stored.
    var metadata: CacheMetadata
    /// How long the response's own bytes are; `nil` when it does not matter.
    var ownLength: Int64?
    /// The stored part.
    var other: CacheEntry?
    /// Which of the bytes stored by the other come before, and which after.
    var before: Range<Int64>?
    var after: Range<Int64>?
    /// How many of the response's first bytes are stored already, where the rest of it continues the stored part.
    var overlap: Int64?
    /// The metadata that is stored when the other is gone.
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

    static func make(of metadata: CacheMetadata, with variants: [CacheEntry], _ rules: CacheRules) -> Outcome {
        var plan = CombinationPlan(metadata)
        guard case .part(let range, let length) = metadata.content else { return .store(plan) }
        plan.ownLength = range.upperBound - range.lowerBound
        guard let other = variants.first(where: { $0.response.metadata.variant == metadata.variant }) else {
            return .store(plan.whole(range, of: length))
        }
        let facts = ResponseFacts(metadata.head.headerFields, status: 206, receivedAt: metadata.responseTime)
        // What answers no GET of the content (404 with a page of its own) is no part of it.
        let isSame =
            other.response.facts.status == 200 && facts.isSameRepresentation(as: other.response.facts)
        switch other.response.metadata.content {
        case .complete:
            guard isSame else {
                // Without a tag nothing tells whether what is stored is out of date.
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
