import Foundation
import HTTPChainCore
import HTTPChainSupport

/// Room for the next chunk of output.
///
/// A chunk that fills most of the room takes the memory with it, uncopied; a small one is copied, so that what a reader
/// keeps is not larger than what it was given.
final class OutputBuffer {
    private static let capacity = HTTPBody.chunkSize
    private var chunk: ChunkMemory?
    /// How much of the room is filled.
    var count = 0

    /// Whether there is no room left.
    var isFull: Bool { count == Self.capacity }

    /// Gives some input, and the room that is left, to a closure.
    ///
    /// - Returns: How much of the input was used, and what the closure threw.
    /// - Throws: ``ContentCodingError/Problem/outOfMemory``, and ``ContentCodingError/Problem/failed(_:)`` for a closure
    ///   that says it used more than there was.
    func fill(
        from input: Data,
        _ body: (inout CodingBuffers) throws(ContentCodingError.Problem) -> Void
    ) throws(ContentCodingError.Problem) -> (buffers: CodingBuffers, problem: ContentCodingError.Problem?) {
        if chunk == nil { chunk = ChunkMemory(room: Self.capacity) }
        guard let memory = chunk?.memory else { throw .outOfMemory }
        let room = UnsafeMutableRawBufferPointer(start: memory + count, count: Self.capacity - count)
        let step: (buffers: CodingBuffers, problem: ContentCodingError.Problem?) = input.withUnsafeBytes { bytes in
            var buffers = CodingBuffers(input: bytes, output: room)
            do throws(ContentCodingError.Problem) {
                try body(&buffers)
                return (buffers, nil)
            } catch {
                return (buffers, error)
            }
        }
        guard step.buffers.areValid else { throw .failed("it claims more bytes than there were") }
        count += step.buffers.produced
        return step
    }

    /// Returns the filled part as a chunk; the room is empty then.
    func take() -> Data {
        defer { count = 0 }
        guard count > 0, let memory = chunk?.memory else { return Data() }
        guard count > Self.capacity / 2, let filled = chunk.take() else { return Data(bytes: memory, count: count) }
        return filled.take(count: count)
    }
}
