#if Valkey
import HTTPChainCore

/// Limits concurrency; waiting tasks are admitted in order.
final class CommandGate: Sendable {
    private struct State {
        var free: Int
        var waiting: [Handover<Void>] = []
    }
    private let state: Locked<State>

    init(width: Int) {
        state = Locked(State(free: max(1, width)))
    }

    /// Waits for admission; each admission must be followed by a call to `leave()`.
    ///
    /// - Throws: `CancellationError` if the task is cancelled while it waits. It is then not admitted.
    func enter() async throws {
        let turn = state.withLock { state -> Handover<Void>? in
            if state.free > 0 {
                state.free -= 1
                return nil
            }
            let turn = Handover<Void>()
            state.waiting.append(turn)
            return turn
        }
        guard let turn else { return }
        do {
            try await turn.value()
        } catch {
            state.withLock { state in state.waiting.removeAll { $0 === turn } }
            throw error
        }
    }

    func leave() {
        while true {
            let next = state.withLock { state -> Handover<Void>? in
                guard !state.waiting.isEmpty else {
                    state.free += 1
                    return nil
                }
                return state.waiting.removeFirst()
            }
            // A waiter that was cancelled in the meantime is skipped.
            guard let next, !next.give(()) else { return }
        }
    }
}
#endif
