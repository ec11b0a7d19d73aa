import HTTPChainCore

#if !canImport(Darwin)
import Synchronization
#endif

/// Whether a jar in memory is empty, readable by each call without the jar's lock.
///
/// It is written under that lock. Anyone who knows that a cookie is stored, or has the response that set it, sees that
/// the jar isn't empty.
final class CookieOccupancy: Sendable {
    #if canImport(Darwin)
    // Atomics require macOS 15; this lock is held so briefly that nobody waits for it.
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
