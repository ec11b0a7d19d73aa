import Foundation

extension HTTPBody {
    /// The result of reading ahead in a body.
    package struct LookAhead {
        /// The first bytes.
        package let preview: BodyPreview
        /// The body to read from now on.
        ///
        /// It returns all bytes, including the first ones, and then throws ``failure`` if there is one.
        package let body: HTTPBody
        /// The error that broke the body during the look-ahead, or `nil` if there was none.
        package let failure: (any Error)?
    }

    /// Returns the first bytes of a body without losing any, like ``peek(upTo:)``, but doesn't fail if the body breaks.
    ///
    /// - Parameter limit: The maximum number of bytes to read ahead.
    package func lookAhead(upTo limit: ByteCount) async throws(CancellationError) -> LookAhead {
        let (body, seen) = tee(upTo: limit)
        do {
            let peeked = try await body.peek(upTo: limit)
            // A replayable body keeps its kind, such as bytes or a file.
            return LookAhead(preview: peeked.preview, body: isReplayable ? self : peeked.body, failure: nil)
        } catch {
            if Task.isCancelled || error is CancellationError { throw CancellationError() }
            let bytes = seen.preview.bytes
            let broken = HTTPBody.replayable { BrokenReader(bytes: bytes, error: error) }
            return LookAhead(preview: seen.preview, body: broken, failure: error)
        }
    }
}

/// Returns what arrived of a broken body, then throws the error.
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
