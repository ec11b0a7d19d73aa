/// Passes a value to a task that waits for it, or reports that the task was cancelled.
///
/// The value is never lost: either the task receives it, or ``give(_:)`` returns `false`.
package final class Handover<Value: Sendable>: Sendable {
    private enum State {
        case empty
        case awaited(CheckedContinuation<Value, any Error>)
        case given(Value)
        case over
    }

    private let state = Locked(State.empty)

    package init() {}

    /// Whether the value can still be passed.
    package var isWanted: Bool {
        state.withLock { state in
            switch state {
            case .empty, .awaited: true
            case .given, .over: false
            }
        }
    }

    /// Passes the value.
    ///
    /// - Returns: Whether the task has received or will receive it; `false` if the task was cancelled first.
    package func give(_ value: Value) -> Bool {
        let (isTaken, continuation) = state.withLock { state -> (Bool, CheckedContinuation<Value, any Error>?) in
            switch state {
            case .empty:
                state = .given(value)
                return (true, nil)
            case .awaited(let continuation):
                state = .over
                return (true, continuation)
            case .given, .over: return (false, nil)
            }
        }
        continuation?.resume(returning: value)
        return isTaken
    }

    /// Waits for the value; must be called only once.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled, unless the value was given first.
    package func value() async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
                let result = state.withLock { state -> Result<Value, any Error>? in
                    switch state {
                    case .given(let value):
                        state = .over
                        return .success(value)
                    case .over, .awaited: return .failure(CancellationError())
                    case .empty:
                        // If the task was cancelled before this point, there was nothing to resume.
                        if Task.isCancelled {
                            state = .over
                            return .failure(CancellationError())
                        }
                        state = .awaited(continuation)
                        return nil
                    }
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let continuation = state.withLock { state -> CheckedContinuation<Value, any Error>? in
                guard case .awaited(let continuation) = state else { return nil }
                state = .over
                return continuation
            }
            continuation?.resume(throwing: CancellationError())
        }
    }
}
