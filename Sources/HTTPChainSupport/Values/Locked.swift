public import Foundation

#if os(Windows)
@usableFromInline
package typealias SystemMutex = NSLock
#else
@usableFromInline
package typealias SystemMutex = pthread_mutex_t
#endif

/// A value that only one thread can access at a time.
///
/// It is the package's only lock.
///
/// The closure passed to ``withLock(_:)`` must be short and must not call code that might acquire the same lock.
///
/// It is inlinable, so that locking needs no type metadata from the runtime. It uses the system's own mutex: `NSLock`,
/// which wraps one in an object, takes four times as long without contention, and the thread sanitizer doesn't support
/// `Mutex`. The lock and the value share one allocation, because each call creates several of them.
@usableFromInline
package struct Locked<Value>: @unchecked Sendable {
    @usableFromInline let storage: LockedStorage<Value>

    /// An object that exists as long as the value, for code that waits until the value is released.
    package var lifetime: AnyObject { storage }

    /// Makes a lock that protects `value`.
    @inlinable
    package init(_ value: sending Value) {
        storage = LockedStorage.make(value)
    }

    /// Runs `body` with exclusive access to the value and returns its result.
    @inlinable
    package func withLock<Result>(
        _ body: (inout sending Value) throws -> sending Result
    ) rethrows -> sending Result {
        let (mutex, value) = storage.withUnsafeMutablePointers { ($0, $1) }
        #if os(Windows)
        mutex.pointee.lock()
        #else
        pthread_mutex_lock(mutex)
        #endif
        defer {
            #if os(Windows)
            mutex.pointee.unlock()
            #else
            pthread_mutex_unlock(mutex)
            #endif
            // The addresses are valid as long as the storage exists.
            withExtendedLifetime(storage) {}
        }
        return try body(&value.pointee)
    }
}

/// The memory of a lock and its value, with stable addresses.
@usableFromInline
package final class LockedStorage<Value>: ManagedBuffer<SystemMutex, Value> {
    @inlinable
    static func make(_ value: sending Value) -> LockedStorage {
        let storage = create(minimumCapacity: 1) { _ in SystemMutex() }
        storage.withUnsafeMutablePointers { mutex, element in
            element.initialize(to: value)
            #if !os(Windows)
            pthread_mutex_init(mutex, nil)
            #endif
        }
        return unsafeDowncast(storage, to: LockedStorage.self)
    }

    deinit {
        withUnsafeMutablePointers { mutex, element in
            _ = element.deinitialize(count: 1)
            #if !os(Windows)
            pthread_mutex_destroy(mutex)
            #endif
        }
    }
}
