import HTTPChainCore

#if !canImport(Darwin)
import Synchronization
#endif

/// Whether a jar in memory is empty, for each call to read without the jar's lock.
///
/// It is written under that lock. Who was told that a cookie is stored, or has the response that set it, reads that it is
/// there.
final class CookieOccupancy: Sendable {
    #if canImport(Darwin)
    // Atomics are there from macOS 15 on; this lock is held so shortly that nobody waits for it.
    private let value = Locked(true)

    var isEmpty: Bool {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
    #else
    private let value = Atomic(true)

    @inline(__always)
    var isEmpty: Bool {
        get { value.load(ordering: .acquiring) }
        set { value.store(newValue, ordering: .releasing) }
    }
    #endif
}
