import Dispatch
package import HTTPChainCore
import HTTPChainSupport

extension Call {
    /// Sends the request and blocks the thread until its output arrives, for command-line tools without `async`.
    ///
    /// ```swift
    /// let plant = try client.call(GetPlant(id: 7)).wait(atMost: .seconds(30))
    /// ```
    ///
    /// Don't call this in a task or an `async` function. They run on a thread of Swift's concurrent pool, and blocking
    /// it could keep the call itself from progressing. In a task, this method throws an error without sending the
    /// request.
    ///
    /// - Parameter limit: The longest time to wait, after which the call is cancelled.
    /// - Throws: ``BlockingCallError`` on the concurrent pool, and if the time is up; the errors of ``value``.
    @available(*, noasync, message: "use value in a task: waiting blocks a thread of the pool that the call needs")
    public func wait(atMost limit: Duration) throws -> Kind.Output {
        // A synchronous function called in a task has a current task.
        guard withUnsafeCurrentTask(body: { $0 == nil }) else { throw BlockingCallError(.onPool) }
        let outcome = Locked<Result<Kind.Output, any Error>?>(nil)
        let done = DispatchSemaphore(value: 0)
        let task = Task {
            let result = await Result.of { try await value }
            outcome.withLock { $0 = result }
            done.signal()
        }
        // Avoids a Dispatch interval, which is an `Int`: on 32-bit platforms it can't exceed 2.1 s.
        let end = DispatchTime(
            uptimeNanoseconds: DispatchTime.now().uptimeNanoseconds + UInt64(limit.bounded.nanoseconds)
        )
        _ = done.wait(timeout: end)
        // Reads the outcome before cancelling the call, because afterwards it would be the cancellation.
        guard let result = outcome.withLock({ $0 }) else {
            task.cancel()
            throw BlockingCallError(.timedOut(after: limit))
        }
        return try result.get()
    }
}

/// An error thrown if a call can't block its thread to wait for the result.
public struct BlockingCallError: ClientError, Hashable {
    /// The problem.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// The thread belongs to Swift's concurrent pool.
        case onPool
        /// The call exceeded the limit and was cancelled.
        case timedOut(after: Duration)
    }

    /// The problem.
    public let problem: Problem

    init(_ problem: Problem) { self.problem = problem }

    package var explanation: Explanation {
        switch problem {
        case .onPool:
            Explanation(
                "a task tried to block its thread on a call; the pool has few threads, and the call needs one to proceed",
                "await the call's value instead, or wait on a program's main thread or on a thread that you created"
            )
        case .timedOut(let limit):
            Explanation(
                "the call did not end within \(limit), and was cancelled",
                "wait for longer, or find out why it takes so long"
            )
        }
    }
}
