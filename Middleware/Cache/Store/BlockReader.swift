package import Foundation
package import HTTPChainCore

/// A stored body that is read and verified block by block.
package protocol BlockSource: Sendable {
    /// Returns the verified block that contains a position, and its place in the body.
    nonisolated(nonsending) func block(at position: Int64) async throws -> (bytes: Data, content: Range<Int64>)
}

extension BlockSource {
    /// Returns a range of the body.
    package func body(in range: Range<Int64>) -> HTTPBody {
        .replayable(length: range.upperBound - range.lowerBound) { BlockReader(source: self, range: range) }
    }
}

private struct BlockReader<Source: BlockSource>: BodyReader {
    let source: Source
    var range: Range<Int64>

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        guard !range.isEmpty else { return nil }
        try Task.checkCancellation()
        let (bytes, content) = try await source.block(at: range.lowerBound)
        let end = min(range.upperBound, content.upperBound)
        let start = bytes.startIndex + Int(range.lowerBound - content.lowerBound)
        defer { range = end..<range.upperBound }
        return bytes[start..<(start + Int(end - range.lowerBound))]
    }
}
