import Foundation
import HTTPChainCore

/// A stream that is read in parts.
///
/// Each part continues after the previous one without reading earlier bytes again, so that progress counts each byte
/// once.
actor ContentStream {
    private let body: HTTPBody
    private var reader: (any BodyReader)?
    /// The position of ``rest`` in the content.
    private var position: Int64 = 0
    /// Bytes that were read but not returned yet.
    private var rest = Data()

    init(_ body: HTTPBody) {
        self.body = body
    }

    /// Returns up to `count` bytes from an offset, or `nil` at the end of the content.
    func read(at offset: Int64, upTo count: Int64) async throws -> Data? {
        var reader = try await takeReader(before: offset)
        while true {
            if rest.isEmpty {
                guard let chunk = try await reader.read() else { return nil }
                rest = chunk
            }
            let skipped = min(Int64(rest.count), offset - position)
            rest = rest.dropFirst(Int(skipped))
            position += skipped
            guard !rest.isEmpty else { continue }
            let piece = rest.prefix(Int(min(count, Int64(HTTPBody.chunkSize))))
            rest = rest.dropFirst(piece.count)
            position += Int64(piece.count)
            self.reader = reader
            return piece
        }
    }

    /// Returns a reader at or before an offset.
    ///
    /// Concurrent callers get different readers.
    private func takeReader(before offset: Int64) async throws -> any BodyReader {
        if let reader, position <= offset {
            self.reader = nil
            return reader
        }
        reader = nil
        rest = Data()
        position = 0
        return try await body.makeReader()
    }
}

/// Reads a part of a stream.
struct ContentPartReader: BodyReader {
    let stream: ContentStream
    var range: Range<Int64>

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        guard !range.isEmpty, let chunk = try await stream.read(at: range.lowerBound, upTo: Int64(range.count))
        else { return nil }
        range = range.lowerBound + Int64(chunk.count)..<range.upperBound
        return chunk
    }
}
