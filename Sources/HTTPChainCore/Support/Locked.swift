#if canImport(Darwin)
public import Foundation
#else
public import Synchronization
#endif

/// A value that only one thread at a time can reach: the package's single lock.
///
/// The closure given to ``withLock(_:)`` must be short and must not call out to code that might take the same lock.
///
/// Inlinable, so that whoever locks does so without the runtime working out types. It is a `Mutex` where there is one
/// on every system that the package supports; with `NSLock` an uncontended lock takes four times as long.
public final class Locked<Value>: @unchecked Sendable {
    #if canImport(Darwin)
    @usableFromInline let lock = NSLock()
    @usableFromInline var value: Value
    #else
    @usableFromInline let mutex: Mutex<Value>
    #endif

    /// Guards `value`.
    @inlinable
    public init(_ value: sending Value) {
        #if canImport(Darwin)
        self.value = value
        #else
        mutex = Mutex(value)
        #endif
    }

    /// Runs `body` with exclusive access to the value and returns what it returns.
    @inlinable
    public func withLock<Result>(
        _ body: (inout sending Value) throws -> sending Result
    ) rethrows -> sending Result {
        #if canImport(Darwin)
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
        #else
        try mutex.withLock(body)
        #endif
    }
}
