/// State that several tasks change and wait for.
///
/// It can be used from inlinable code, like ``Locked``, so that changes are specialized for the state in every module.
@usableFromInline
package final class Watched<State: Sendable>: Sendable {
    @usableFromInline
    struct Waiter: Sendable {
        let id: Int
        /// Removes the awaited value from the state; the returned closure delivers it once the lock is released.
        let attempt: @Sendable (inout State) -> (@Sendable () -> Void)?
        let cancel: @Sendable () -> Void
    }

    @usableFromInline
    struct Guarded: Sendable {
        @usableFromInline var state: State
        @usableFromInline var waiters: [Waiter] = []
        var lastID = 0
    }

    @usableFromInline let guarded: Locked<Guarded>

    package init(_ state: State) {
        guarded = Locked(Guarded(state: state))
    }

    /// The current state.
    package var value: State { read { $0 } }

    /// Returns the result of `look` for the current state.
    package func read<Result: Sendable>(_ look: (State) -> Result) -> Result {
        guarded.withLock { look($0.state) }
    }

    /// Changes the state and wakes the tasks that waited for the change.
    ///
    /// It is inlinable, so that a change without waiters doesn't request type metadata from the runtime.
    @inlinable
    @discardableResult
    package func update<Result: Sendable>(_ change: (inout State) -> Result) -> Result {
        let (result, wake) = guarded.withLock { guarded in
            let result = change(&guarded.state)
            return (result, guarded.waiters.isEmpty ? nil : Self.satisfied(&guarded))
        }
        if let wake { for resume in wake { resume() } }
        return result
    }

    /// Waits until `condition` returns a value.
    ///
    /// The condition is called now and after every change. It may change the state if it returns a value.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    package func wait<Result: Sendable>(
        for condition: @escaping @Sendable (inout State) -> Result?
    ) async throws -> Result {
        let id = nextID()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Result, any Error>) in
                add(
                    waiter(id, for: condition, resume: { continuation.resume(returning: $0) }) {
                        continuation.resume(throwing: CancellationError())
                    },
                    // If the task was cancelled before the waiter was added, there was nothing to cancel.
                    unless: { Task.isCancelled }
                )
            }
        } onCancel: {
            let waiter = guarded.withLock { guarded -> Waiter? in
                guard let index = guarded.waiters.firstIndex(where: { $0.id == id }) else { return nil }
                return guarded.waiters.remove(at: index)
            }
            waiter?.cancel()
        }
    }

    /// Waits until `condition` returns a value, like ``wait(for:)``, regardless of cancellation.
    package func waitUninterrupted<Result: Sendable>(
        for condition: @escaping @Sendable (inout State) -> Result?
    ) async -> Result {
        let id = nextID()
        return await withCheckedContinuation { (continuation: CheckedContinuation<Result, Never>) in
            add(
                waiter(id, for: condition, resume: { continuation.resume(returning: $0) }, cancel: {}),
                unless: { false }
            )
        }
    }

    private func waiter<Result: Sendable>(
        _ id: Int,
        for condition: @escaping @Sendable (inout State) -> Result?,
        resume: @escaping @Sendable (Result) -> Void,
        cancel: @escaping @Sendable () -> Void
    ) -> Waiter {
        Waiter(
            id: id,
            attempt: { state in
                guard let result = condition(&state) else { return nil }
                return { resume(result) }
            },
            cancel: cancel
        )
    }

    private func nextID() -> Int {
        guarded.withLock { guarded in
            guarded.lastID += 1
            return guarded.lastID
        }
    }

    private func add(_ waiter: Waiter, unless isCancelled: () -> Bool) {
        let wake = guarded.withLock { guarded -> [@Sendable () -> Void] in
            if isCancelled() { return [waiter.cancel] }
            guarded.waiters.append(waiter)
            return Self.satisfied(&guarded)
        }
        for resume in wake { resume() }
    }

    /// Removes the waiters whose condition is met.
    ///
    /// Repeats this until no remaining condition is met, because a condition may change the state.
    @usableFromInline
    static func satisfied(_ guarded: inout Guarded) -> [@Sendable () -> Void] {
        var ready: [@Sendable () -> Void] = []
        var count = 0
        while guarded.waiters.count != count {
            count = guarded.waiters.count
            var waiting: [Waiter] = []
            for waiter in guarded.waiters {
                if let resume = waiter.attempt(&guarded.state) {
                    ready.append(resume)
                } else {
                    waiting.append(waiter)
                }
            }
            guarded.waiters = waiting
        }
        return ready
    }
}
