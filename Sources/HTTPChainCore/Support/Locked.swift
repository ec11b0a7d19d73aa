public import Foundation

/// A value that only one thread at a time can reach: the package's single lock.
///
/// The closure given to ``withLock(_:)`` must be short and must not call out to code that might take the same lock.
///
/// Inlinable, so that whoever locks does so without the runtime working out types.
public final class Locked<Value>: @unchecked Sendable {
    @usableFromInline let lock = NSLock()
    @usableFromInline var value: Value

    /// Guards `value`.
    @inlinable
    public init(_ value: sending Value) {
        self.value = value
    }

    /// Runs `body` with exclusive access to the value and returns what it returns.
    @inlinable
    public func withLock<Result>(
        _ body: (inout sending Value) throws -> sending Result
    ) rethrows -> sending Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
