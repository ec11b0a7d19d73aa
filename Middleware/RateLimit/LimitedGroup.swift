import HTTPChainCore

/// The calls of one group, and their waiting queue.
final class LimitedGroup: Sendable {
    private struct Waiter: Sendable {
        let tokens: Int
        /// The time at which the longest allowed wait ends.
        let end: Duration
        /// The call's deadline.
        ///
        /// The deadline may become later when another call joins a shared exchange.
        let callDeadline: @Sendable () -> Duration?
        /// Signalled when it is the waiter's turn to check the limits.
        ///
        /// Until then, the waiter waits without a timer.
        let turn: Handover<Turn>

        var deadline: Duration { min(end, callDeadline() ?? end) }
    }

    private enum Turn: Sendable {
        case look
        /// The server requested a pause that is longer than the call can wait.
        case late
    }

    private struct State: Sendable {
        var rules: RateLimitRules
        var queue = TurnQueue<Waiter>()

        /// If no waiter has the turn, gives it to the first one that is neither cancelled nor late.
        mutating func passTurn() { queue.passTurn { $0.turn.give(.look) } }

        func refusal(_ wait: Duration, at now: Duration, _ tokens: Int) -> Refusal {
            Refusal(cause: rules.serverWait(for: tokens, at: now) > .zero ? .server : .limit, wait: wait)
        }
    }

    let key: String
    private let limits: [RateLimit]
    private let store: (any RateLimitStore)?
    private let state: Locked<State>

    init(_ key: String, _ limits: [RateLimit], _ store: (any RateLimitStore)?) {
        self.key = key
        self.limits = limits
        self.store = store
        // If there is a store, the buckets are kept only there.
        state = Locked(State(rules: RateLimitRules(store == nil ? limits : [])))
    }

    struct Refusal: Error {
        let cause: RateLimitExceededError.Cause
        let wait: Duration?
    }

    /// Admits a call immediately if it has no weight, or if no call is waiting and the limits allow it.
    @inline(__always)
    func enterAtOnce(_ tokens: Int, _ environment: CallEnvironment) -> Bool {
        if tokens <= 0 {
            state.withLock { $0.rules.take(0, at: .zero) }
            return true
        }
        if store != nil { return false }
        // If there are no limits, not even the server's, the time doesn't matter.
        if limits.isEmpty, enterUnlimited() { return true }
        let now = environment.elapsed
        return state.withLock { state in
            state.queue.isEmpty && state.rules.takeIfReady(tokens, at: now)
        }
    }

    private func enterUnlimited() -> Bool {
        state.withLock { state in
            guard state.queue.isEmpty, state.rules.isUnlimited else { return false }
            state.rules.take(0, at: .zero)
            return true
        }
    }

    /// Admits a call after waiting for its turn.
    ///
    /// - Throws: ``Refusal``; `CancellationError`, in which case no tokens were taken; errors of a store.
    func enter(
        _ tokens: Int,
        _ excess: RateLimitExcess,
        until deadline: @escaping @Sendable () -> Duration?,
        _ time: any TimeSource
    ) async throws {
        let now = time.elapsed
        guard case .wait(let longest, let length) = excess else {
            let wait = try await attempt(tokens, at: now)
            if wait > .zero { throw refusal(wait, at: now, tokens) }
            return
        }
        let end = now + longest.bounded
        let (id, waiter) = try state.withLock { state in
            let wait = state.rules.waitInQueue(for: tokens, at: now)
            let waiter = Waiter(
                tokens: tokens,
                end: end,
                callDeadline: deadline,
                turn: Handover()
            )
            if wait > max(.zero, waiter.deadline - now) { throw state.refusal(wait, at: now, tokens) }
            if state.queue.count > max(0, length) { throw Refusal(cause: .queueFull, wait: wait) }
            let id = state.queue.join(waiter)
            state.rules.enqueue(tokens)
            state.passTurn()
            return (id, waiter)
        }
        do {
            guard case .look = try await waiter.turn.value() else {
                throw refusal(state.withLock { $0.rules.serverWait(for: tokens, at: time.elapsed) }, at: now, tokens)
            }
            try await waitAsFirst(waiter, time)
        } catch {
            leave(id, tokens)
            throw error
        }
        leave(id, tokens)
    }

    private func waitAsFirst(_ waiter: Waiter, _ time: any TimeSource) async throws {
        while true {
            try Task.checkCancellation()
            let now = time.elapsed
            let wait = try await attempt(waiter.tokens, at: now)
            if wait <= .zero { return }
            if wait > max(.zero, waiter.deadline - now) { throw refusal(wait, at: now, waiter.tokens) }
            try await time.sleep(for: wait)
        }
    }

    /// Takes tokens if they are available.
    ///
    /// Otherwise, returns the time until they are.
    private func attempt(_ tokens: Int, at now: Duration) async throws -> Duration {
        let wait = state.withLock { state in
            let wait = state.rules.wait(for: tokens, at: now)
            if wait <= .zero, store == nil { state.rules.take(tokens, at: now) }
            return wait
        }
        guard wait <= .zero, let store else { return wait }
        // A limiter without limits doesn't use the store.
        if !limits.isEmpty,
            case .wait(let time) = try await store.take(tokens, of: key, limits: limits, at: now)
        {
            return max(time, .microseconds(1))
        }
        state.withLock { $0.rules.take(tokens, at: now) }
        return .zero
    }

    private func refusal(_ wait: Duration, at now: Duration, _ tokens: Int) -> Refusal {
        state.withLock { $0.refusal(wait, at: now, tokens) }
    }

    /// Removes a waiter, and gives the turn to the next.
    private func leave(_ id: UInt64, _ tokens: Int) {
        state.withLock { state in
            state.queue.leave(id)
            state.rules.dequeue(tokens)
            state.passTurn()
        }
    }

    /// Records that a call ended, and the server's limits if its response contains any.
    func finish(_ limits: ServerLimits? = nil, at now: Duration = .zero) {
        let late = state.withLock { state -> [Waiter] in
            state.rules.finish()
            guard let limits else { return [] }
            state.rules.learn(limits, at: now)
            let wait = state.rules.serverWait(for: 1, at: now)
            return wait > .zero ? state.queue.withoutTurn.filter { $0.deadline < now + wait } : []
        }
        for waiter in late { _ = waiter.turn.give(.late) }
    }

    /// Returns the tokens of a call that was not sent.
    func giveBack(_ tokens: Int, at now: Duration) async {
        state.withLock { $0.rules.giveBack(tokens) }
        // The call is already failing with another error. If the store fails too, the tokens are lost.
        if tokens > 0, !limits.isEmpty { try? await store?.giveBack(tokens, of: key, limits: limits, at: now) }
    }

    func snapshot(at now: Duration) -> (waiting: Int, unanswered: Int, available: [Int]) {
        state.withLock { ($0.queue.count, $0.rules.unanswered, $0.rules.available(at: now)) }
    }
}
