import Foundation

/// A thread with the stack that threads have on Apple platforms: 512 KiB.
package enum SmallStack {
    /// Runs a closure on such a thread.
    package static func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let thread = Thread { continuation.resume(with: Result(catching: body)) }
            thread.stackSize = 512 << 10
            thread.start()
        }
    }
}
