import Foundation
import HTTPChainCore
import HTTPTypes

/// The way a partial response is combined with a stored one, RFC 9111 §3.4.
package struct CombinationPlan {
    package enum Outcome {
        case store(CombinationPlan)
        /// All of the response is already stored, so only the description changes.
        case freshen(CacheEntry, CacheMetadata)
        /// Nothing is stored, because the stored response is more valuable.
        case keep
    }

    /// The metadata to store.
    package var metadata: CacheMetadata
    /// The length of the response's own content; `nil` if it doesn't matter.
    package var ownLength: Int64?
    /// The stored part.
    package var other: CacheEntry?
    /// The ranges of the other entry's stored bytes that come before and after.
    package var before: Range<Int64>?
    package var after: Range<Int64>?
    /// The number of leading bytes of the response that are already stored, if the rest continues the stored part.
    package var overlap: Int64?
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

    /// - Parameter condition: The `If-Range` of the request, or `nil` if there was none.
    package static func make(
        of metadata: CacheMetadata,
        with variants: [CacheEntry],
        requestedIf condition: String?,
        _ rules: CacheRules
    ) -> Outcome {
        var plan = CombinationPlan(metadata)
        guard case .part(let range, let length) = metadata.content else { return .store(plan) }
        plan.ownLength = range.upperBound - range.lowerBound
        guard let other = variants.first(where: { $0.response.metadata.variant == metadata.variant }) else {
            return .store(plan.whole(range, of: length))
        }
        let validators = Validators(metadata.head.headerFields, receivedAt: metadata.responseTime)
        // A response with another status, such as a 404 with an error page, isn't part of the content.
        let joined =
            other.response.facts.status == 200
            ? try? other.response.heldContent.joined(
                with: PartialContent(validators, ContentRange(range, of: length)),
                requestedIf: condition
            ) : nil
        switch other.response.metadata.content {
        case .complete:
            guard joined != nil else {
                // Without an entity tag, it can't be determined whether the stored response is outdated.
                let isUnknown = validators.entityTag == nil || other.response.facts.entityTag == nil
                return isUnknown ? .keep : .store(plan.whole(range, of: length))
            }
            var updated = metadata
            updated.content = .complete
            updated.head.headerFields = rules.combinedFields(of: other, with: metadata)
            return .freshen(other, updated)
        case .part(let held, _):
            guard let joined else { return .store(plan.whole(range, of: length)) }
            plan.other = other
            plan.metadata.head.headerFields = rules.combinedFields(of: other, with: metadata)
            if held.lowerBound < range.lowerBound { plan.before = 0..<(range.lowerBound - held.lowerBound) }
            if held.upperBound > range.upperBound {
                plan.after = (range.upperBound - held.lowerBound)..<(held.upperBound - held.lowerBound)
            }
            if held.lowerBound <= range.lowerBound, held.upperBound < range.upperBound {
                plan.overlap = held.upperBound - range.lowerBound
            }
            return .store(plan.whole(joined.range, of: joined.length))
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

extension StoredResponse {
    /// The stored bytes.
    var heldContent: PartialContent {
        switch metadata.content {
        case .complete: PartialContent(facts.validators, ContentRange(0..<bodyLength, of: bodyLength))
        case .part(let range, let length): PartialContent(facts.validators, ContentRange(range, of: length))
        }
    }
}
