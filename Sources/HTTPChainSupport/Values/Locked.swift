public import Foundation

#if os(Windows)
@usableFromInline
package typealias SystemMutex = NSLock
#else
@usableFromInline
package typealias SystemMutex = pthread_mutex_t
#endif

/// A value that only one thread at a time can reach: the package's single lock.
///
/// The closure given to ``withLock(_:)`` must be short and must not call out to code that might take the same lock.
///
/// Inlinable, so that whoever locks does so without the runtime working out types. It is the system's own mutex: `NSLock`,
/// which is one behind an object, takes four times as long where nobody else has it, and the thread sanitizer does not see
/// `Mutex`. Lock and value are in one piece of memory, since calls make several of them.
@usableFromInline
package struct Locked<Value>: @unchecked Sendable {
    @usableFromInline let storage: LockedStorage<Value>

    /// What is there for as long as the value is, for whoever waits until it is gone.
    package var lifetime: AnyObject { storage }

    /// Guards `value`.
    @inlinable
    package init(_ value: sending Value) {
        storage = LockedStorage.make(value)
    }

    /// Runs `body` with exclusive access to the value and returns what it returns.
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
            // The addresses are good for as long as the memory is.
            withExtendedLifetime(storage) {}
        }
        return try body(&value.pointee)
    }
}

/// The memory of a lock and its value, whose addresses stay the same.
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
