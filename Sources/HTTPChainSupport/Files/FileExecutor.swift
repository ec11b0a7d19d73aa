import Foundation

/// The threads for file work, so that a slow disk blocks neither the cooperative pool nor the main actor.
///
/// It has up to ``limit`` threads. A thread is started if there is work and no idle thread, and ends after some seconds
/// without work. Work beyond the limit waits in order. Each transfer has at most one operation here at a time, so a
/// transfer on a stalled disk occupies only one thread, and the others continue.
///
/// Bodies, saving, spilling, and files that are read or written occasionally use ``shared``. Components that use a disk
/// all the time (the stores of the cache, the spool of a log shipper) have a few separate threads, so that they can't
/// occupy all shared threads if their disk stalls.
package final class FileExecutor: FileWork {
    /// The executor of the process.
    ///
    /// It is never shut down; its threads end when they are idle.
    package static let shared = FileExecutor(limit: 16)

    /// The maximum number of concurrent operations.
    package let limit: Int

    private typealias Job = @Sendable () -> Void

    private struct State {
        /// The pending jobs.
        ///
        /// A job that was taken is replaced by nil. Releasing the last reference to a job may submit another, which
        /// must not happen while the lock is held.
        var pending: [Job?] = []
        /// The index of the next job in `pending`.
        var next = 0
        var threads = 0
        /// The number of waiting threads that no job has been assigned to.
        var idle = 0

        mutating func takeJob() -> Job? {
            guard next < pending.count else { return nil }
            let job = pending[next]
            pending[next] = nil
            next += 1
            if next == pending.count || next > 64 {
                pending.removeFirst(next)
                next = 0
            }
            return job
        }
    }

    private let state = Locked(State())
    private let work = DispatchSemaphore(value: 0)
    private let patience: Duration

    /// Makes an executor.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of concurrent operations; at least one.
    ///   - patience: The time that a thread waits for work before it ends.
    package init(limit: Int, patience: Duration = .seconds(10)) {
        self.limit = max(1, limit)
        self.patience = patience
    }

    /// Runs a blocking operation on one of the threads later, without waiting for it.
    package func submit(_ operation: @escaping @Sendable () -> Void) {
        let (wakes, starts) = state.withLock { state in
            state.pending.append(operation)
            if state.idle > 0 {
                state.idle -= 1
                return (true, false)
            }
            guard state.threads < limit else { return (false, false) }
            state.threads += 1
            return (false, true)
        }
        if wakes { work.signal() }
        if starts { Thread.detachNewThread { self.serve() } }
    }

    private func serve() {
        while let job = nextJob() { job() }
    }

    /// Returns the next job, or `nil` if there was none for a while and the thread should end.
    private func nextJob() -> Job? {
        while true {
            let job = state.withLock { state -> Job? in
                if let job = state.takeJob() { return job }
                state.idle += 1
                return nil
            }
            if let job { return job }
            guard work.wait(timeout: .now() + patience.inSeconds) == .timedOut else { continue }
            let ends = state.withLock { state -> Bool in
                guard state.idle > 0 else { return false }
                state.idle -= 1
                state.threads -= 1
                return true
            }
            if ends { return nil }
            // A job has just been assigned to this thread, so its signal will follow.
            work.wait()
        }
    }
}

/// An executor for file work on threads that may wait for a disk.
package protocol FileWork: Sendable {
    /// Runs a blocking operation later, without waiting for it.
    func submit(_ operation: @escaping @Sendable () -> Void)
}

extension FileWork {
    /// Runs a blocking operation on a thread that may wait.
    ///
    /// - Throws: Errors of the operation; `CancellationError` immediately if the task is cancelled, without waiting for
    ///   a stalled disk. An operation that has already started then finishes by itself, and its result is discarded.
    package func run<Value: Sendable>(_ operation: @escaping @Sendable () throws -> Value) async throws -> Value {
        try Task.checkCancellation()
        let outcome = Handover<Result<Value, any Error>>()
        submit {
            if outcome.isWanted { _ = outcome.give(Result { try operation() }) }
        }
        return try await outcome.value().get()
    }

    /// Runs a blocking operation to its end on a thread that may wait, even if the task is cancelled.
    ///
    /// Use this for work that must not be left half done.
    package func runToEnd<Value: Sendable, Failure: Error>(
        _ operation: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Value, Failure>, Never>) in
            submit {
                continuation.resume(returning: Result { () throws(Failure) in try operation() })
            }
        }
        return try result.get()
    }
}
