import Foundation
import HTTPChainCore

/// A body in memory: a single buffer, or several appended segments that aren't copied.
struct MemoryBody: Sendable {
    /// The maximum number of segments; a body with more is rewritten.
    static let maximumCount = 4096
    /// Bodies up to this length are rewritten as one segment when extended.
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

    /// The bytes in a range; all of them for `nil`.
    func body(_ range: Range<Int64>?) -> HTTPBody {
        if range == nil, segments.count == 1 { return single }
        let range = range ?? 0..<(ends.last ?? 0)
        let first = place(of: range.lowerBound)
        if range.upperBound <= ends[first] { return HTTPBody(part(first, range)) }
        return .replayable(length: range.upperBound - range.lowerBound) { [self] in
            Reader(source: self, place: first, range: range)
        }
    }

    /// The segment that contains a position; the last one for the end.
    private func place(of position: Int64) -> Int {
        var (low, high) = (0, ends.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if ends[middle] > position { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// The part of a range within a segment.
    private func part(_ place: Int, _ range: Range<Int64>) -> Data {
        let start = place == 0 ? 0 : ends[place - 1]
        let own = range.clamped(to: start..<ends[place])
        guard own.count < segments[place].count else { return segments[place] }
        let first = segments[place].startIndex
        return segments[place][(first + Int(own.lowerBound - start))..<(first + Int(own.upperBound - start))]
    }

    private struct Reader: BodyReader {
        let source: MemoryBody
        var place: Int
        let range: Range<Int64>

        nonisolated(nonsending) mutating func read() async throws -> Data? {
            try Task.checkCancellation()
            guard place < source.segments.count else { return nil }
            let chunk = source.part(place, range)
            place += 1
            return chunk.isEmpty ? nil : chunk
        }
    }
}
