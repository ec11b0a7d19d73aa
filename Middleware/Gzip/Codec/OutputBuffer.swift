import Foundation
import HTTPChainCore
import HTTPChainSupport

/// A buffer for the next chunk of output.
///
/// If a chunk fills most of the buffer, the chunk takes over the buffer's memory without copying. A small chunk is
/// copied, so that a reader doesn't retain more memory than it needs.
final class OutputBuffer {
    private static let capacity = HTTPBody.chunkSize
    private var chunk: ChunkMemory?
    /// The number of bytes that are filled.
    var count = 0

    /// Whether there is no room left.
    var isFull: Bool { count == Self.capacity }

    /// Passes the input and the remaining space to a closure.
    ///
    /// - Returns: The amounts used, and the error that the closure threw, if any.
    /// - Throws: ``ContentCodingError/Problem/outOfMemory``, and ``ContentCodingError/Problem/failed(_:)`` if the
    ///   closure reports using more than was available.
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

    /// Returns the filled part as a chunk, and empties the buffer.
    func take() -> Data {
        Steps.take(count)
        defer { count = 0 }
        guard count > 0, let memory = chunk?.memory else { return Data() }
        guard count > Self.capacity / 2, let filled = chunk.take() else { return Data(bytes: memory, count: count) }
        return filled.take(count: count)
    }
}
