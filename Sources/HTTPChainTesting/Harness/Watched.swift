import HTTPChainCore

/// A value that tasks can wait on: each change wakes those whose condition now holds, in the order they came.
final class Watched<Value: Sendable>: Sendable {
    private struct Waiter {
        let id: Int
        /// Answers the waiter when its condition holds, and says whether it did.
        let attempt: @Sendable (inout Value) -> Bool
        let cancel: @Sendable () -> Void
    }

    private struct State {
        var value: Value
        var waiters: [Waiter] = []
        var nextID = 0

        mutating func wait<Result: Sendable>(
            _ id: Int,
            _ extract: @escaping @Sendable (inout Value) -> Result?,
            answer: @escaping @Sendable (Result) -> Void,
            cancel: @escaping @Sendable () -> Void
        ) {
            let attempt: @Sendable (inout Value) -> Bool = { value in
                guard let result = extract(&value) else { return false }
                answer(result)
                return true
            }
            waiters.append(Waiter(id: id, attempt: attempt, cancel: cancel))
        }
    }

    private let state: Locked<State>

    init(_ value: Value) {
        state = Locked(State(value: value))
    }

    var value: Value { state.withLock { $0.value } }

    @discardableResult
    func update<Result: Sendable>(_ change: @Sendable (inout Value) -> Result) -> Result {
        state.withLock { state in
            let result = change(&state.value)
            var index = 0
            while index < state.waiters.count {
                if state.waiters[index].attempt(&state.value) {
                    state.waiters.remove(at: index)
                } else {
                    index += 1
                }
            }
            return result
        }
    }

    /// Waits until `extract` gives a result; it may take something out of the value as it does.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    func wait<Result: Sendable>(_ extract: @escaping @Sendable (inout Value) -> Result?) async throws -> Result {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                state.withLock { state in
                    if Task.isCancelled {
                        continuation.resume(throwing: CancellationError())
                    } else if let result = extract(&state.value) {
                        continuation.resume(returning: result)
                    } else {
                        state.wait(id, extract, answer: { continuation.resume(returning: $0) }) {
                            continuation.resume(throwing: CancellationError())
                        }
                    }
                }
            }
        } onCancel: {
            state.withLock { state in
                guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return }
                state.waiters.remove(at: index).cancel()
            }
        }
    }

    /// Waits until `extract` gives a result, cancelled or not.
    func waitUninterrupted<Result: Sendable>(_ extract: @escaping @Sendable (inout Value) -> Result?) async -> Result {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                if let result = extract(&state.value) {
                    continuation.resume(returning: result)
                } else {
                    state.nextID += 1
                    state.wait(state.nextID, extract, answer: { continuation.resume(returning: $0) }, cancel: {})
                }
            }
        }
    }
}
