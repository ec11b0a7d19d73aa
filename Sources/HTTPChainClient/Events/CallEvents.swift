import HTTPChainCore
import HTTPChainProgress

/// The events of a client's calls as they happen; created by ``Client/events(limit:)``.
///
/// ```swift
/// for await event in client.events() {
///     switch event.change {
///     case .willBegin: spinner.start()
///     case .slow: offerToCancel(event.id)
///     case .progress(let progress): bar.show(progress.fraction)
///     case let change where change.isEnd: spinner.stop()
///     default: break
///     }
/// }
/// ```
///
/// It has the events of calls that began after its creation. Only one task may iterate at a time. It ends when the
/// client has been deallocated and its last call has ended, or when the task is cancelled.
public struct CallEvents: AsyncSequence, Sendable {
    let queue: CallEventQueue

    /// The number of events dropped because more than the limit were waiting to be read.
    public var dropped: Int { queue.state.read(\.dropped) }

    /// An iterator over the events.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let queue: CallEventQueue

        /// The next event; `nil` at the end.
        public mutating func next() async -> CallEvent? { await queue.next() }

        /// The next event; `nil` at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> CallEvent? { await queue.next() }
    }

    /// Starts an iteration with the events that are already waiting.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(queue: queue) }
}

/// The events that haven't been read yet, up to a limit.
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
            // Of unread progress, only the newest is worth keeping.
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
