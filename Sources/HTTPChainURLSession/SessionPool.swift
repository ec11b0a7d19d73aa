import Foundation
import HTTPChainCore

/// Sessions for one task at a time each, made when needed and used again.
///
/// An upload that has to wait for its body blocks the queue of its session; here it blocks nobody else.
final class SessionPool: Sendable {
    private struct State {
        var idle: [SessionHandle] = []
        var all: [SessionHandle] = []
        var waiters: [(id: UInt64, continuation: CheckedContinuation<SessionHandle?, Never>)] = []
        var nextID: UInt64 = 0
        /// Waiters cancelled before they began to wait.
        var cancelled: Set<UInt64> = []
    }

    private enum Step {
        case session(SessionHandle)
        case cancelled
        case wait
    }

    private let limit: Int
    private let make: @Sendable () -> SessionHandle
    private let state = Locked(State())

    init(limit: Int, make: @escaping @Sendable () -> SessionHandle) {
        self.limit = max(1, limit)
        self.make = make
    }

    /// A session that nobody else uses, as soon as there is one; give it back with ``giveBack(_:)``.
    ///
    /// - Throws: `CancellationError`.
    func take() async throws -> SessionHandle {
        try Task.checkCancellation()
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        let taken = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let step: Step = state.withLock { state in
                    if state.cancelled.remove(id) != nil { return .cancelled }
                    if let session = state.idle.popLast() { return .session(session) }
                    if state.all.count < limit {
                        let session = make()
                        state.all.append(session)
                        return .session(session)
                    }
                    state.waiters.append((id, continuation))
                    return .wait
                }
                switch step {
                case .session(let session): continuation.resume(returning: session)
                case .cancelled: continuation.resume(returning: nil)
                case .wait: break
                }
            }
        } onCancel: {
            let waiter: CheckedContinuation<SessionHandle?, Never>? = state.withLock { state in
                guard let index = state.waiters.firstIndex(where: { $0.id == id }) else {
                    state.cancelled.insert(id)
                    return nil
                }
                return state.waiters.remove(at: index).continuation
            }
            waiter?.resume(returning: nil)
        }
        state.withLock { _ = $0.cancelled.remove(id) }
        guard let taken else { throw CancellationError() }
        return taken
    }

    func giveBack(_ session: SessionHandle) {
        let waiter: CheckedContinuation<SessionHandle?, Never>? = state.withLock { state in
            if state.waiters.isEmpty {
                state.idle.append(session)
                return nil
            }
            return state.waiters.removeFirst().continuation
        }
        waiter?.resume(returning: session)
    }

    /// Every session there is.
    var sessions: [SessionHandle] {
        state.withLock { $0.all }
    }
}
