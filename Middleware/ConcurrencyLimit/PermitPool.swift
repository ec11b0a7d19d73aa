import HTTPChainCore

/// The permits of one group, and the calls that hold a permit or wait for one.
final class PermitPool: Sendable {
    /// The result of waiting.
    enum Grant: Sendable {
        /// A permit, with the number of calls in flight.
        case permit(inFlight: Int)
        /// No permit was granted, because a call with a higher priority took the place in the queue.
        case replaced
    }

    private struct State: Sendable {
        var rule: any ConcurrencyRule
        /// The rule's current limit, which is updated after each sample.
        var limit: Int
        var inFlight = 0
        var queue: PriorityQueue<Handover<Grant>>
    }

    struct Refusal: Error {
        let cause: ConcurrencyLimitError.Cause
        let limit: Int
    }

    let key: String
    /// Whether the rule learns from calls, unlike a fixed limit.
    let learns: Bool
    private let settings: ConcurrencyQueue
    private let state: Locked<State>

    init(_ key: String, _ algorithm: ConcurrencyAlgorithm, _ settings: ConcurrencyQueue) {
        self.key = key
        self.settings = settings
        let rule = algorithm.rule()
        learns = !(rule is FixedConcurrency)
        state = Locked(State(rule: rule, limit: rule.limit, queue: PriorityQueue(limit: settings.length)))
    }

    /// Takes a permit if one is free and no call is waiting.
    ///
    /// - Returns: The number of calls in flight, including this one; `nil` if there is no permit.
    func takeAtOnce() -> Int? {
        state.withLock { state in
            guard state.queue.count == 0, state.inFlight < state.limit else { return nil }
            state.inFlight += 1
            return state.inFlight
        }
    }

    /// Takes a permit, waiting for its turn.
    ///
    /// - Returns: The number of calls in flight, including this one.
    /// - Throws: ``Refusal``; `CancellationError`. In both cases, no permit is taken.
    func take(
        _ priority: CallPriority,
        until deadline: @escaping @Sendable () -> Duration?,
        _ time: any TimeSource
    ) async throws -> Int {
        let end = time.elapsed + settings.longestWait.bounded
        let handover = Handover<Grant>()
        let (inFlight, place) = state.withLock { state -> (Int?, PriorityQueue<Handover<Grant>>.Place?) in
            guard state.queue.count == 0, state.inFlight < state.limit else {
                return (nil, state.queue.add(handover, priority))
            }
            state.inFlight += 1
            return (state.inFlight, nil)
        }
        if let inFlight { return inFlight }
        guard let place else { throw Refusal(cause: .queueFull, limit: limit) }
        _ = place.replaced?.give(.replaced)
        do {
            return try await wait(handover, until: { min(end, deadline() ?? end) }, time)
        } catch {
            state.withLock { $0.queue.remove(place.id, priority) }
            throw error
        }
    }

    private func wait(
        _ handover: Handover<Grant>,
        until deadline: @escaping @Sendable () -> Duration,
        _ time: any TimeSource
    ) async throws -> Int {
        let grant = try await withThrowingTaskGroup(of: Grant?.self) { group -> Grant? in
            group.addTask { try await handover.value() }
            group.addTask {
                // The loop ends if this task was cancelled, because the other child task then has the result. It
                // continues if the deadline has moved, because another call may have joined the exchange.
                while !Task.isCancelled, deadline() > time.elapsed {
                    try? await time.sleep(for: deadline() - time.elapsed)
                }
                return nil
            }
            defer { group.cancelAll() }
            if let first = try await group.next(), let grant = first { return grant }
            group.cancelAll()
            do {
                return try await group.next() ?? nil
            } catch is CancellationError {
                return nil
            }
        }
        switch grant {
        case .permit(let inFlight): return inFlight
        case .replaced: throw Refusal(cause: .replaced, limit: self.limit)
        case nil:
            try Task.checkCancellation()
            throw Refusal(cause: .waitedTooLong, limit: self.limit)
        }
    }

    /// Returns a permit, and gives it to a waiting call.
    func giveBack() {
        state.withLock { state in
            state.inFlight -= 1
            if state.queue.count > 0 { Self.fill(&state) }
        }
    }

    /// Learns from a call, returns its permit if it doesn't need it anymore, and admits waiting calls if there is room.
    func finish(_ sample: ConcurrencySample, givingBack: Bool) {
        state.withLock { state in
            state.rule.learn(sample)
            state.limit = state.rule.limit
            if givingBack { state.inFlight -= 1 }
            if state.queue.count > 0 { Self.fill(&state) }
        }
    }

    private static func fill(_ state: inout State) {
        while state.inFlight < state.limit, let next = state.queue.next() {
            // A cancelled call doesn't take the permit, so it is offered to the next one.
            if next.give(.permit(inFlight: state.inFlight + 1)) { state.inFlight += 1 }
        }
    }

    var limit: Int { state.withLock { $0.limit } }
    var counts: (inFlight: Int, waiting: Int) { state.withLock { ($0.inFlight, $0.queue.count) } }
}
