package import Foundation

/// Memory for a chunk of a body, reused by later chunks once its bytes are no longer referenced.
///
/// A body is read in short-lived chunks of the same size. The system's allocator would return their memory to the
/// system after each chunk and fault it in again for the next, which costs more than reading them.
package struct ChunkMemory: ~Copyable {
    /// The size of chunks that are kept for reuse.
    package static let size = 65_536
    /// The maximum number of chunks kept: 1 MiB for the whole process.
    private static let spareCount = 16
    /// The addresses of unused chunks.
    private static let spare = Locked<[UInt]>([])

    /// The memory for the bytes.
    package let memory: UnsafeMutableRawPointer
    private let isShared: Bool

    /// Allocates memory for a number of bytes; returns nil if no memory is left.
    ///
    /// A small number of bytes gets no more memory than needed, so that a reader doesn't retain more than its data.
    package init?(room: Int) {
        isShared = room > Self.size / 2 && room <= Self.size
        if isShared, let address = Self.spare.withLock({ $0.popLast() }),
            let memory = UnsafeMutableRawPointer(bitPattern: address)
        {
            self.memory = memory
        } else {
            guard let memory = malloc(isShared ? Self.size : room) else { return nil }
            self.memory = memory
        }
    }

    deinit {
        Self.release(memory, isShared: isShared)
    }

    /// Returns the bytes at the start of the memory without copying them.
    ///
    /// The memory is released with the bytes.
    ///
    /// The memory must not be written to once the bytes are shared.
    package consuming func take(count: Int) -> Data {
        let (memory, isShared) = (memory, isShared)
        discard self
        guard isShared else { return Data(bytesNoCopy: memory, count: count, deallocator: .free) }
        return Data(
            bytesNoCopy: memory,
            count: count,
            deallocator: .custom { memory, _ in
                Self.release(memory, isShared: true)
            }
        )
    }

    private static func release(_ memory: UnsafeMutableRawPointer, isShared: Bool) {
        let address = UInt(bitPattern: memory)
        let isKept =
            isShared
            && spare.withLock { spare in
                guard spare.count < spareCount else { return false }
                spare.append(address)
                return true
            }
        if !isKept { free(memory) }
    }
}
