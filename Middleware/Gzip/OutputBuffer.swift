import Foundation
import HTTPChainCore

/// Room for the next chunk of output.
///
/// A chunk that fills most of the room takes the memory with it, uncopied; a small one is copied, so that what a reader
/// keeps is not larger than what it was given.
final class OutputBuffer {
    private static let capacity = HTTPBody.chunkSize
    private var memory: UnsafeMutableRawPointer?
    /// How much of the room is filled.
    var count = 0

    deinit {
        free(memory)
    }

    /// Whether there is no room left.
    var isFull: Bool { count == Self.capacity }

    /// Gives the room that is left to a closure.
    func fill<Value>(
        _ body: (UnsafeMutableRawBufferPointer) throws(GzipError) -> Value
    ) throws(GzipError) -> Value {
        if memory == nil { memory = malloc(Self.capacity) }
        guard let memory else { throw GzipError(.outOfMemory) }
        return try body(UnsafeMutableRawBufferPointer(start: memory + count, count: Self.capacity - count))
    }

    /// What was filled, as a chunk; the room is empty then.
    func take() -> Data {
        defer { count = 0 }
        guard let filled = memory, count > 0 else { return Data() }
        guard count > Self.capacity / 2 else { return Data(bytes: filled, count: count) }
        memory = nil
        return Data(bytesNoCopy: filled, count: count, deallocator: .free)
    }
}
