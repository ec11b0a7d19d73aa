import HTTPChainCore

#if !canImport(Darwin)
import Synchronization
#endif

/// Whether a jar in memory is empty; calls can read this without the jar's lock.
///
/// It is written while holding that lock. A task that knows that a cookie is stored, or has the response that set it,
/// therefore sees that the jar isn't empty.
final class CookieOccupancy: Sendable {
    #if canImport(Darwin)
    // An atomic would require macOS 15. This lock is held so briefly that nobody waits for it.
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
