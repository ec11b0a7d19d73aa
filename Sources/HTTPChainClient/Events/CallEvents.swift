import HTTPChainCore
import HTTPChainProgress

/// A queue of unread events, up to a limit.
final class CallEventQueue: Sendable {
    struct State: Sendable {
        var events: [CallEvent] = []
        var dropped = 0
        var isOver = false
    }

    let state = Watched(State())
    private let limit: Int

    init(limit: Int) { self.limit = max(1, limit) }

    func add(_ event: CallEvent) {
        state.update { state in
            // Of unread progress events, only the newest is worth keeping.
            if let index = state.events.lastIndex(where: { $0.isOutdated(by: event) }) {
                state.events[index] = event
                return
            }
            if state.events.count >= limit {
                let index = state.events.firstIndex { if case .progress = $0.change { true } else { false } }
                state.events.remove(at: index ?? 0)
                state.dropped += 1
            }
            state.events.append(event)
        }
    }

    func end() { state.update { $0.isOver = true } }

    func next() async -> CallEvent? {
        let next: CallEvent?? = try? await state.wait { state in
            if !state.events.isEmpty { return .some(state.events.removeFirst()) }
            return state.isOver ? .some(nil) : nil
        }
        return next ?? nil
    }
}

extension CallEvent {
    fileprivate func isOutdated(by newer: CallEvent) -> Bool {
        guard case .progress(let old) = change, case .progress(let new) = newer.change else { return false }
        return call == newer.call && old.direction == new.direction && old.view == new.view && !old.isLast
    }
}
