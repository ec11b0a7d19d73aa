import HTTPChainCore

/// A value that is renewed now and then: one renewal at a time, for any number of calls.
final class Renewal<Value: Sendable>: Sendable {
    typealias State = RenewalState<Value>

    /// How a new value is made and kept.
    struct Work: Sendable {
        /// Makes a new value in place of the one given.
        let renew: @Sendable (_ old: Value?) async throws -> Value
        /// Keeps the new value before it is used.
        var save: (@Sendable (Value) async throws -> Void)?
        /// Whether the old value stays in use when none could be made.
        let keepsOldValue: Bool
    }

    private enum Key { case only }

    let limit: RenewalLimit
    private let state: Locked<State>
    private let flight = SingleFlight<Key, State.Held>()

    init(_ value: Value?, limit: RenewalLimit) {
        self.limit = limit
        state = Locked(State(value, limit: limit))
    }

    /// The value as it is, used or not.
    var current: Value? { state.withLock { $0.current } }

    /// The value that a call may use, and the ticket to ask for another with.
    func look() -> (held: State.Held?, ticket: State.Ticket) {
        state.withLock { ($0.usable, $0.ticket) }
    }

    /// Puts another value in place, or ends the use of the one there is, which is returned.
    @discardableResult
    func replace(with value: Value?) -> Value? {
        state.withLock { state in
            let old = state.current
            state.replace(with: value)
            return old
        }
    }

    /// Notes that the server does not take the value of a ticket, so that the next call renews it.
    func reject(_ ticket: State.Ticket) {
        state.withLock { $0.reject(ticket) }
    }

    /// What a call should do that was turned down with the value of a ticket.
    func advice(for ticket: State.Ticket, time: any TimeSource) -> State.Advice {
        state.withLock { $0.advice(for: ticket, at: time.elapsed) }
    }

    /// A newer value than that of the ticket; made if need be, or by the renewal that runs.
    ///
    /// - Throws: What the renewal throws, also when it ended after the call had begun; ``RenewalError``;
    ///   `CancellationError` when the caller is cancelled.
    func renewed(after ticket: State.Ticket, time: any TimeSource, _ work: Work) async throws -> State.Held {
        switch advice(for: ticket, time: time) {
        case .use(let held): return held
        case .fail(let error): throw error
        case .giveUp: throw RenewalError.tooMany(limit)
        case .renew: break
        }
        return try await flight.run(.only) { [self] in
            try await RenewalScope.run(for: self) { try await renew(after: ticket, time: time, work) }
        }
    }

    private func renew(after ticket: State.Ticket, time: any TimeSource, _ work: Work) async throws -> State.Held {
        switch state.withLock({ $0.begin(for: ticket, at: time.elapsed) }) {
        case .use(let held): return held
        case .save(let held): return try await save(held, work)
        case .refused: throw RenewalError.tooMany(limit)
        case .renew(let old, let renewal):
            let value: Value
            do {
                value = try await work.renew(old)
            } catch {
                return try end(renewal, with: error, keepsValue: work.keepsOldValue)
            }
            let (new, other) = state.withLock { state in
                let new = state.finish(renewal, with: value, isSaved: work.save == nil)
                return (new, state.usable)
            }
            if let new { return try await save(new, work) }
            // The value was replaced meanwhile: what was made in place of the old one is not for anybody.
            guard let other else { throw RenewalError.ended }
            return other
        }
    }

    private func end(_ renewal: State.Renewal, with error: any Error, keepsValue: Bool) throws -> State.Held {
        if Task.isCancelled || error is CancellationError {
            state.withLock { $0.abandon(renewal) }
            throw CancellationError()
        }
        guard let other = state.withLock({ $0.fail(renewal, with: error, keepsValue: keepsValue) }) else { throw error }
        return other
    }

    private func save(_ held: State.Held, _ work: Work) async throws -> State.Held {
        guard let save = work.save else { return held }
        do {
            try await save(held.value)
        } catch {
            if Task.isCancelled || error is CancellationError { throw CancellationError() }
            throw RenewalError.notSaved(error)
        }
        state.withLock { $0.saved(held) }
        return held
    }
}

/// Why there is no new value, where making one did not fail.
enum RenewalError: Error {
    /// More than the limit allows.
    case tooMany(RenewalLimit)
    /// The value that was to be renewed was taken away meanwhile.
    case ended
    /// The new value could not be kept; it is there, and is kept before the next call uses it.
    case notSaved(any Error)
}
