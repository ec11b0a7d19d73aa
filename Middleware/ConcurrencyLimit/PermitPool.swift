import HTTPChainCore

/// The places of one group: who has one, and who waits for one.
final class PermitPool: Sendable {
    /// A grant to a call that waits.
    enum Grant: Sendable {
        /// A place; with so many calls in flight.
        case permit(inFlight: Int)
        /// No place: a more important call took that in the queue.
        case replaced
    }

    /// A rule; the stage's own is changed where it lies, and not behind an existential.
    private struct Rule: Sendable {
        private var own: ThroughputConcurrency?
        private var other: any ConcurrencyRule

        init(_ rule: any ConcurrencyRule) {
            own = rule as? ThroughputConcurrency
            other = own == nil ? rule : FixedConcurrency(limit: 1)
        }

        /// Learns, and returns the limit.
        mutating func learn(_ sample: ConcurrencySample) -> Int {
            if let limit = own?.limit(learning: sample) { return limit }
            other.learn(sample)
            return other.limit
        }
    }

    private struct State: Sendable {
        var rule: Rule
        /// The rule's, asked for each time it has learned.
        var limit: Int
        var inFlight = 0
        var queue: PriorityQueue<Handover<Grant>>
    }

    struct Refusal: Error {
        let cause: ConcurrencyLimitError.Cause
        let limit: Int
    }

    let key: String
    /// Whether the rule learns from calls; a fixed limit does not.
    let learns: Bool
    private let settings: ConcurrencyQueue
    private let state: Locked<State>

    init(_ key: String, _ algorithm: ConcurrencyAlgorithm, _ settings: ConcurrencyQueue) {
        self.key = key
        self.settings = settings
        let rule = algorithm.rule()
        learns = !(rule is FixedConcurrency)
        state = Locked(State(rule: Rule(rule), limit: rule.limit, queue: PriorityQueue(limit: settings.length)))
    }

    /// Takes a place if one is free and nobody waits for it.
    ///
    /// - Returns: How many calls are in flight with it; `nil` when there is no place.
    func takeAtOnce() -> Int? {
        state.withLock { state in
            guard state.queue.count == 0, state.inFlight < state.limit else { return nil }
            state.inFlight += 1
            return state.inFlight
        }
    }

    /// Takes a place when it is the call's turn.
    ///
    /// - Returns: How many calls are in flight with it.
    /// - Throws: ``Refusal``; `CancellationError`, and then no place is taken.
    func take(_ priority: CallPriority, remaining: Duration?, _ time: any TimeSource) async throws -> Int {
        let handover = Handover<Grant>()
        let admission = state.withLock { state -> PriorityQueue<Handover<Grant>>.Admission? in
            if state.queue.count == 0, state.inFlight < state.limit {
                state.inFlight += 1
                _ = handover.give(.permit(inFlight: state.inFlight))
                return nil
            }
            return state.queue.add(handover, priority)
        }
        switch admission {
        case .full: throw Refusal(cause: .queueFull, limit: limit)
        case .replaced(_, let victim): _ = victim.give(.replaced)
        case .added, nil: break
        }
        var id: UInt64?
        if case .added(let own)? = admission { id = own }
        if case .replaced(let own, _)? = admission { id = own }
        do {
            return try await wait(handover, upTo: min(settings.longestWait.bounded, remaining ?? .longest), time)
        } catch {
            if let id { state.withLock { $0.queue.remove(id, priority) } }
            throw error
        }
    }

    private func wait(_ handover: Handover<Grant>, upTo limit: Duration, _ time: any TimeSource) async throws -> Int {
        let grant = try await withThrowingTaskGroup(of: Grant?.self) { group -> Grant? in
            group.addTask { try await handover.value() }
            group.addTask {
                // Cancelled or not, it is the other one that knows whether a place was given.
                try? await time.sleep(for: limit)
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

    /// Gives a place back, to whoever waits.
    func giveBack() {
        state.withLock { state in
            state.inFlight -= 1
            if state.queue.count > 0 { Self.fill(&state) }
        }
    }

    /// Learns from a call, and takes its place back where it holds none any more; whoever waits goes if there is room.
    func finish(_ sample: ConcurrencySample, givingBack: Bool) {
        state.withLock { state in
            state.limit = state.rule.learn(sample)
            if givingBack { state.inFlight -= 1 }
            if state.queue.count > 0 { Self.fill(&state) }
        }
    }

    private static func fill(_ state: inout State) {
        while state.inFlight < state.limit, let next = state.queue.next() {
            // One that was cancelled does not take it; the next one does.
            if next.give(.permit(inFlight: state.inFlight + 1)) { state.inFlight += 1 }
        }
    }

    var limit: Int { state.withLock { $0.limit } }
    var counts: (inFlight: Int, waiting: Int) { state.withLock { ($0.inFlight, $0.queue.count) } }
}
