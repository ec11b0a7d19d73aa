import Foundation

extension HTTPBody {
    /// The result of looking at the beginning of a body.
    package struct LookAhead {
        /// The first bytes.
        package let preview: BodyPreview
        /// The body to read from now on: it still has all its bytes, and after them the error that broke it.
        package let body: HTTPBody
        /// The error that broke the body while it was looked at; `nil` when nothing did.
        package let failure: (any Error)?
    }

    /// The first bytes of a body that may break, without losing any: ``peek(upTo:)`` where a broken body is no failure.
    ///
    /// - Parameter limit: How many bytes to look at, at most.
    package func lookAhead(upTo limit: ByteCount) async throws(CancellationError) -> LookAhead {
        let (body, seen) = tee(upTo: limit)
        do {
            let peeked = try await body.peek(upTo: limit)
            // What can be read again keeps what it is: bytes, a file.
            return LookAhead(preview: peeked.preview, body: isReplayable ? self : peeked.body, failure: nil)
        } catch {
            if Task.isCancelled || error is CancellationError { throw CancellationError() }
            let bytes = seen.preview.bytes
            let broken = HTTPBody.replayable { BrokenReader(bytes: bytes, error: error) }
            return LookAhead(preview: seen.preview, body: broken, failure: error)
        }
    }
}

/// Gives what arrived of a body that broke, then the error.
private struct BrokenReader: BodyReader {
    private var bytes: Data
    private let error: any Error

    init(bytes: Data, error: any Error) {
        self.bytes = bytes
        self.error = error
    }

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        guard bytes.isEmpty else {
            defer { bytes = Data() }
            return bytes
        }
        throw error
    }
}
