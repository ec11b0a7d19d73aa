import Foundation
import HTTPChainSupport

/// The layout of content in the underlying store: consecutive segments, each encrypted with a separate key.
///
/// Content stored at once is one segment. Each part appended later is another, and existing bytes are never rewritten.
/// The key of a segment is derived from a random salt. No nonce is therefore used twice with it, even if an unfinished
/// part is written again. The last block of a segment is marked as the last, and the authenticated description has the
/// salts and lengths in order.
struct SealedLayout: Sendable, Hashable {
    struct Segment: Sendable, Hashable {
        /// The salt from which the segment's key is derived.
        let salt: Data
        /// The number of bytes of content.
        let length: Int64
    }

    /// One block of content.
    struct Block: Sendable, Hashable {
        let segment: Int
        /// The number of the block within its segment.
        let number: Int64
        let isLast: Bool
        /// The range of the content.
        let content: Range<Int64>
        /// The range in the underlying store.
        let sealed: Range<Int64>
    }

    /// The maximum number of segments.
    ///
    /// All of them are in the description. Content with more is rewritten.
    static let maximumCount = 1024
    private static let payload = Int64(ContentCipher.payload)
    private static let overhead = Int64(ContentCipher.overhead)

    private(set) var segments: [Segment] = []
    /// The end of each segment within the content.
    private var ends: [Int64] = []
    /// The end of each segment in the underlying store.
    private var sealedEnds: [Int64] = []

    /// Creates a layout of one segment.
    init(salt: Data, length: Int64) {
        append(Segment(salt: salt, length: length))
    }

    /// Creates a layout of several segments; returns `nil` if they are inconsistent.
    init?(salt: Data, _ further: [Segment], length: Int64) {
        var first = length
        for segment in further {
            guard segment.length > 0, segment.length < first else { return nil }
            first -= segment.length
        }
        self.init(salt: salt, length: first)
        for segment in further { append(segment) }
    }

    private mutating func append(_ segment: Segment) {
        ends.append(length + segment.length)
        let (end, isTooLarge) = sealedLength.addingReportingOverflow(ContentCipher.sealedLength(segment.length))
        sealedEnds.append(isTooLarge ? .max : end)
        segments.append(segment)
    }

    /// Returns the layout with another segment at the end.
    func appending(_ segment: Segment) -> SealedLayout {
        var layout = self
        if segment.length > 0 { layout.append(segment) }
        return layout
    }

    /// The length of the content.
    var length: Int64 { ends.last ?? 0 }
    /// The length in the underlying store.
    var sealedLength: Int64 { sealedEnds.last ?? 0 }

    /// Returns the block that contains a position of the content.
    func block(at position: Int64) -> Block? {
        guard position >= 0, position < length else { return nil }
        let index = ends.sortedIndex(above: position)
        let (start, sealedStart) = index == 0 ? (0, 0) : (ends[index - 1], sealedEnds[index - 1])
        let number = (position - start) / Self.payload
        let lower = start + number * Self.payload
        let upper = min(lower + Self.payload, ends[index])
        let sealedLower = sealedStart + number * (Self.payload + Self.overhead)
        return Block(
            segment: index,
            number: number,
            isLast: upper == ends[index],
            content: lower..<upper,
            sealed: sealedLower..<(sealedLower + upper - lower + Self.overhead)
        )
    }
}
