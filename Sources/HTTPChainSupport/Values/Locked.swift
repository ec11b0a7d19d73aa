public import Foundation

/// A value that only one thread at a time can reach: the package's single lock.
///
/// The closure given to ``withLock(_:)`` must be short and must not call out to code that might take the same lock.
///
/// Inlinable, so that whoever locks does so without the runtime working out types; the compiler hands what is inlinable
/// to other modules only where the class itself is usable from there. It is the system's own mutex: `NSLock`, which is
/// one behind an object, takes four times as long where nobody else has it, and the thread sanitizer does not see
/// `Mutex`.
@usableFromInline
package final class Locked<Value>: @unchecked Sendable {
    #if os(Windows)
    @usableFromInline let lock = NSLock()
    #else
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    #endif
    @usableFromInline let value: UnsafeMutablePointer<Value>

    /// Guards `value`.
    @inlinable
    package init(_ value: sending Value) {
        self.value = .allocate(capacity: 1)
        self.value.initialize(to: value)
        #if !os(Windows)
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        #endif
    }

    deinit {
        value.deinitialize(count: 1)
        value.deallocate()
        #if !os(Windows)
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
        #endif
    }

    /// Runs `body` with exclusive access to the value and returns what it returns.
    @inlinable
    package func withLock<Result>(
        _ body: (inout sending Value) throws -> sending Result
    ) rethrows -> sending Result {
        #if os(Windows)
        lock.lock()
        defer { lock.unlock() }
        #else
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        #endif
        return try body(&value.pointee)
    }
}
