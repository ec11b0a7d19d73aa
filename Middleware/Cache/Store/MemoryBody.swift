import Foundation
import HTTPChainCore
import HTTPChainSupport

/// A body in memory: a single buffer, or several appended segments that aren't copied.
struct MemoryBody: BlockSource {
    /// The maximum number of segments; a body with more is rewritten.
    static let maximumCount = 4096
    /// The maximum length of a body that is rewritten as one segment when it is extended.
    static let copied: Int64 = 65_536

    private var segments: [Data]
    /// The end offset of each segment.
    private var ends: [Int64]
    /// The whole body, if it is a single segment.
    private let single: HTTPBody

    init(_ bytes: Data) {
        segments = [bytes]
        ends = [Int64(bytes.count)]
        single = HTTPBody(bytes)
    }

    var count: Int { segments.count }

    mutating func append(_ bytes: Data) {
        guard !bytes.isEmpty else { return }
        ends.append((ends.last ?? 0) + Int64(bytes.count))
        segments.append(bytes)
    }

    /// The bytes in a range.
    func body(_ range: Range<Int64>) -> HTTPBody {
        let whole = 0..<(ends.last ?? 0)
        let range = range.clamped(to: whole)
        if range == whole, segments.count == 1 { return single }
        let (bytes, content) = segment(at: range.lowerBound)
        guard range.upperBound <= content.upperBound else { return body(in: range) }
        let start = bytes.startIndex + Int(range.lowerBound - content.lowerBound)
        return HTTPBody(bytes[start..<(start + range.count)])
    }

    nonisolated(nonsending) func block(at position: Int64) async throws -> (bytes: Data, content: Range<Int64>) {
        segment(at: position)
    }

    /// The segment that contains a position; the last segment for the end of the body.
    private func segment(at position: Int64) -> (bytes: Data, content: Range<Int64>) {
        let place = ends.sortedIndex(above: position)
        return (segments[place], (place == 0 ? 0 : ends[place - 1])..<ends[place])
    }
}
