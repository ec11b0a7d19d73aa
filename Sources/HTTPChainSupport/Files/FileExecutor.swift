import Foundation

/// The threads that file work runs on, so that a slow disk blocks neither the cooperative pool nor the main actor.
///
/// It owns up to ``limit`` threads: one is started when work finds none idle, and one that finds no work for some
/// seconds ends. Work beyond the limit waits in order. A transfer has at most one operation at a time here, so one
/// that a disk stalls occupies one thread, and the others go on with the rest.
///
/// Bodies, saving and spilling share ``shared``, and so do files that are read or written now and then. What works on one
/// disk all the time has a few threads of its own (the stores of the cache, the spool of a log shipper), so that it
/// cannot take all of the shared ones where that disk stalls.
package final class FileExecutor: FileWork {
    /// The executor of the process; it is never shut down, and its threads end when they are idle.
    package static let shared = FileExecutor(limit: 16)

    /// The number of operations that run at once, at most.
    package let limit: Int

    private typealias Job = @Sendable () -> Void

    private struct State {
        /// Those that were taken are nil: the last reference to a job may end what submits another, and must go where
        /// the lock is not held.
        var pending: [Job?] = []
        /// Where the next job stands in `pending`.
        var next = 0
        var threads = 0
        /// Threads that wait and that no job has claimed.
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
    ///   - limit: How many operations run at once; at least one.
    ///   - patience: How long a thread waits for work before it ends.
    package init(limit: Int, patience: Duration = .seconds(10)) {
        self.limit = max(1, limit)
        self.patience = patience
    }

    /// Runs an operation that may block on one of the threads, some time later; nobody waits for it.
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

    /// The next job; `nil` when there was none for a while and the thread is to end.
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
            // A job claimed this thread just then; its signal is due.
            work.wait()
        }
    }
}

/// A place for file work: threads that may wait for a disk.
package protocol FileWork: Sendable {
    /// Runs an operation that may block, some time later; nobody waits for it.
    func submit(_ operation: @escaping @Sendable () -> Void)
}

extension FileWork {
    /// Runs an operation that may block on a thread that may wait.
    ///
    /// - Throws: What the operation throws. Where the task is cancelled, `CancellationError`: at once, without waiting
    ///   for a disk that stalls. An operation that has begun then finishes on its own, and its result is dropped.
    package func run<Value: Sendable>(_ operation: @escaping @Sendable () throws -> Value) async throws -> Value {
        let outcome = Outcome<Value>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard outcome.wait(continuation) else { return }
                submit {
                    guard outcome.isWanted else { return }
                    outcome.finish(Result { try operation() })
                }
            }
        } onCancel: {
            outcome.finish(.failure(CancellationError()))
        }
    }

    /// Runs an operation that may block on a thread that may wait, to its end, cancelled or not.
    ///
    /// For work that must not be left half done.
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

/// Hands what an operation returns to the task that waits, or tells it at once that it was cancelled.
private final class Outcome<Value: Sendable>: Sendable {
    private enum State {
        case notStarted
        case waiting(CheckedContinuation<Value, any Error>)
        case finished
    }

    private let state = Locked(State.notStarted)

    /// Whether somebody still waits.
    var isWanted: Bool {
        state.withLock { if case .waiting = $0 { true } else { false } }
    }

    /// - Returns: Whether there is something to wait for; otherwise the task was cancelled before.
    func wait(_ continuation: CheckedContinuation<Value, any Error>) -> Bool {
        let waits = state.withLock { state -> Bool in
            guard case .notStarted = state else { return false }
            state = .waiting(continuation)
            return true
        }
        if !waits { continuation.resume(throwing: CancellationError()) }
        return waits
    }

    func finish(_ result: Result<Value, any Error>) {
        let continuation = state.withLock { state -> CheckedContinuation<Value, any Error>? in
            defer { state = .finished }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
        continuation?.resume(with: result)
    }
}
