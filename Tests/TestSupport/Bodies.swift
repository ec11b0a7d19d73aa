package import Foundation
package import HTTPChainCore

/// Gives chunks, and then ends or fails.
package struct ChunkReader: BodyReader {
    private var chunks: ArraySlice<Data>
    private let error: (any Error)?
    private let lifeline: Lifeline?

    /// - Parameters:
    ///   - chunks: What it gives.
    ///   - error: What it throws after the last; `nil` to end.
    ///   - lifeline: What is kept as long as the reader is.
    package init(_ chunks: [Data], failing error: (any Error)? = nil, lifeline: Lifeline? = nil) {
        self.chunks = chunks[...]
        self.error = error
        self.lifeline = lifeline
    }

    /// Gives chunks of text.
    package init(_ chunks: [String], failing error: (any Error)? = nil, lifeline: Lifeline? = nil) {
        self.init(chunks.map { Data($0.utf8) }, failing: error, lifeline: lifeline)
    }

    package nonisolated(nonsending) mutating func read() async throws -> Data? {
        try Task.checkCancellation()
        if let chunk = chunks.popFirst() { return chunk }
        if let error { throw error }
        return nil
    }
}

extension HTTPBody {
    /// A stream of these chunks.
    ///
    /// - Parameters:
    ///   - chunks: The content.
    ///   - length: The length that the body declares; none by default.
    ///   - replayable: Whether it can be read again; `false` by default.
    ///   - error: What reading throws after the last chunk; `nil` to end.
    ///   - lifeline: What each reader keeps as long as it lives.
    package static func chunks(
        _ chunks: [Data],
        length: Int64? = nil,
        replayable: Bool = false,
        failing error: (any Error)? = nil,
        lifeline: Lifeline? = nil
    ) -> HTTPBody {
        let open: @Sendable () async throws -> sending any BodyReader = {
            ChunkReader(chunks, failing: error, lifeline: lifeline)
        }
        return replayable ? .replayable(length: length, open: open) : .once(length: length, open: open)
    }

    /// A stream of these chunks of text.
    package static func chunks(
        _ chunks: [String],
        length: Int64? = nil,
        replayable: Bool = false,
        failing error: (any Error)? = nil,
        lifeline: Lifeline? = nil
    ) -> HTTPBody {
        .chunks(
            chunks.map { Data($0.utf8) },
            length: length,
            replayable: replayable,
            failing: error,
            lifeline: lifeline
        )
    }

    /// A stream of bytes in pieces of one size; every other piece is a slice whose indices do not begin at 0.
    package static func pieces(
        _ bytes: Data,
        of size: Int,
        length: Int64? = nil,
        replayable: Bool = false,
        failing error: (any Error)? = nil,
        lifeline: Lifeline? = nil
    ) -> HTTPBody {
        var chunks: [Data] = []
        var rest = bytes
        while !rest.isEmpty {
            chunks.append(chunks.count % 2 == 0 ? rest.prefix(size) : Data(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        return .chunks(chunks, length: length, replayable: replayable, failing: error, lifeline: lifeline)
    }

    /// The chunks up to the end or the error, as they come.
    package func readChunks() async -> (chunks: [Data], error: (any Error)?) {
        var chunks: [Data] = []
        do {
            for try await chunk in self { chunks.append(chunk) }
            return (chunks, nil)
        } catch {
            return (chunks, error)
        }
    }
}
