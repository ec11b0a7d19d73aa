import Foundation
import HTTPChainSupport

/// How content lies in the store beneath: in segments, one after the other, each encrypted with a key of its own.
///
/// Content that was stored at once is one segment; each part that was put behind it later is another, and no byte that is
/// there is written again. The key of a segment is derived from a random salt, so that no nonce is used twice with it:
/// not where a part is begun that was begun before and not finished, either. The last block of a segment says that it is
/// the last, and the description, which is authenticated, has the salts and lengths in order.
struct SealedLayout: Sendable, Hashable {
    struct Segment: Sendable, Hashable {
        /// From which the key of the segment is derived.
        let salt: Data
        /// How many bytes of content it has.
        let length: Int64
    }

    /// One block of content.
    struct Block: Sendable, Hashable {
        let segment: Int
        /// Which block of its segment it is.
        let number: Int64
        let isLast: Bool
        /// Which bytes of the content it has.
        let content: Range<Int64>
        /// Where it is in what the store beneath has.
        let sealed: Range<Int64>
    }

    /// Content of more segments is written anew: the description has all of them.
    static let maximumCount = 1024
    private static let payload = Int64(ContentCipher.payload)
    private static let overhead = Int64(ContentCipher.overhead)

    private(set) var segments: [Segment] = []
    /// Where each segment ends in the content.
    private var ends: [Int64] = []
    /// Where each segment ends in what the store beneath has.
    private var sealedEnds: [Int64] = []

    /// Content of one segment.
    init(salt: Data, length: Int64) {
        append(Segment(salt: salt, length: length))
    }

    /// Content of several; `nil` where they make no sense.
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

    /// The same with another segment behind.
    func appending(_ segment: Segment) -> SealedLayout {
        var layout = self
        if segment.length > 0 { layout.append(segment) }
        return layout
    }

    /// How long the content is.
    var length: Int64 { ends.last ?? 0 }
    /// How long it is in the store beneath.
    var sealedLength: Int64 { sealedEnds.last ?? 0 }

    /// The block that has a byte of the content.
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
