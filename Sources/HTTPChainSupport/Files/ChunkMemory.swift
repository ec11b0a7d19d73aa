package import Foundation

/// Memory for one chunk of a body, used again by later chunks once nobody has its bytes any more.
///
/// A body is read in chunks of one size, each of which lives for a moment. Asked of the system's allocator each time, that
/// memory is given back to the system and faulted in again between two chunks, which costs more than to read them.
package struct ChunkMemory: ~Copyable {
    /// The size that is kept for later.
    package static let size = 65_536
    /// How many are kept: 1 MiB for the whole process.
    private static let spareCount = 16
    /// Where those are that nobody has, by their addresses.
    private static let spare = Locked<[UInt]>([])

    /// The memory for the bytes.
    package let memory: UnsafeMutableRawPointer
    private let isShared: Bool

    /// Memory for a number of bytes; nil if there is none left.
    ///
    /// A small number gets no more than it needs, so that what a reader keeps is not larger than what it was given.
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

    /// The bytes at the beginning of the memory, which goes with them, uncopied.
    ///
    /// It must not be written to once somebody has them.
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
