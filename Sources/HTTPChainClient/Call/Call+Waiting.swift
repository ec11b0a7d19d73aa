import Dispatch
public import HTTPChainCore
import HTTPChainSupport

extension Call {
    /// Sends the request and blocks the thread until its output is there, for command-line tools without `async`.
    ///
    /// ```swift
    /// let plant = try client.call(GetPlant(id: 7)).wait(atMost: .seconds(30))
    /// ```
    ///
    /// It must not be called on a thread of Swift's concurrent pool, in a task or an `async` function, where it could keep the
    /// call itself from going on. There it throws, and asks nobody.
    ///
    /// - Parameter limit: How long to wait; the call is cancelled then.
    /// - Throws: ``BlockingCallError`` on the pool and when the time is up; what ``value`` throws.
    @available(*, noasync, message: "use value in a task: waiting blocks a thread of the pool that the call needs")
    public func wait(atMost limit: Duration) throws -> Kind.Output {
        // A synchronous function that a task calls is still in the task.
        guard withUnsafeCurrentTask(body: { $0 == nil }) else { throw BlockingCallError(.onPool) }
        let outcome = Locked<Result<Kind.Output, any Error>?>(nil)
        let done = DispatchSemaphore(value: 0)
        let task = Task {
            do {
                let output = try await value
                outcome.withLock { $0 = .success(output) }
            } catch {
                outcome.withLock { $0 = .failure(error) }
            }
            done.signal()
        }
        // Not with an interval of Dispatch, which is an Int: of 32 bits on some platforms, 2.1 s.
        let end = DispatchTime(
            uptimeNanoseconds: DispatchTime.now().uptimeNanoseconds + UInt64(limit.bounded.nanoseconds)
        )
        _ = done.wait(timeout: end)
        // Looked at before the call is cancelled, which would be its result otherwise.
        guard let result = outcome.withLock({ $0 }) else {
            task.cancel()
            throw BlockingCallError(.timedOut(after: limit))
        }
        return try result.get()
    }
}

/// A call was not waited for.
public struct BlockingCallError: HTTPChainError, Hashable {
    /// Why.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// The thread is one of Swift's concurrent pool.
        case onPool
        /// The call took longer than the limit, and was cancelled.
        case timedOut(after: Duration)
    }

    /// Why.
    public let problem: Problem

    init(_ problem: Problem) { self.problem = problem }

    /// Always "Client".
    public var stage: String { "Client" }

    /// Why, in words.
    public var reason: String {
        switch problem {
        case .onPool:
            "a call was to block a thread in a task; the pool has few threads, and the call needs one to go on"
        case .timedOut(let limit): "the call had not ended after \(limit), and was cancelled"
        }
    }

    /// Advice on what to do about it.
    public var recoverySuggestion: String? {
        switch problem {
        case .onPool: "await the call's value instead, or wait on the main thread of a program or a thread of your own"
        case .timedOut: "wait for longer, or find out why it takes so long"
        }
    }
}
