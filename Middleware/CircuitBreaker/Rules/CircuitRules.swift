package import HTTPChainCore

/// The rules of one circuit: which calls it admits, and how their results change it.
///
/// Time and randomness are parameters, and nothing waits. A test or a simulation can therefore run through a day in a
/// moment.
package struct CircuitRules: Sendable {
    /// The outcome of a call, as a sign of the server's health.
    package enum Outcome: Sendable, Hashable {
        case success
        case failure
        /// The outcome shows nothing about the server: a 4xx, a refusal by an inner stage, or a cancelled call.
        case neither
    }

    /// A permit for one call.
    ///
    /// It must be returned exactly once, with the result.
    package struct Permit: Sendable, Hashable {
        let generation: UInt64
        /// The number of a probe; 0 for a call through a closed circuit.
        let probe: UInt64

        /// Whether the call probes a circuit that was open.
        package var isProbe: Bool { probe != 0 }
    }

    /// A refusal, with its reason and the time until calls are admitted.
    ///
    /// The time is `nil` if it depends on a probe, or on the circuit being closed manually.
    package struct Refusal: Error, Hashable {
        package let reason: CircuitOpenError.Reason
        package let wait: Duration?

        package init(reason: CircuitOpenError.Reason, wait: Duration?) {
            self.reason = reason
            self.wait = wait
        }
    }

    private struct Probe: Sendable {
        let number: UInt64
        let started: Duration
    }

    /// The policy; its numbers are within their ranges.
    private let policy: CircuitBreakerPolicy
    package private(set) var state = CircuitState.closed
    /// The cause of the state.
    private var cause = CircuitChange.Cause.manual
    private var window: OutcomeWindow
    private var failuresInRow = 0
    /// The number of consecutive openings.
    ///
    /// It is reset if the circuit stays closed for as long as it was last open.
    private var openings = 0
    private var lastOpenTime = Duration.zero
    private var closedAt: Duration?
    /// A counter that is incremented with each change of state, so that results of earlier calls don't apply to the new
    /// state.
    private var generation: UInt64 = 0
    private var probes: [Probe] = []
    private var probesMade: UInt64 = 0
    private var successes = 0
    /// The changes that haven't been taken yet.
    private var changes: [CircuitChange.Step] = []

    package init(_ policy: CircuitBreakerPolicy) {
        self.policy = policy.bounded
        window =
            switch self.policy.window {
            case .time(let time): OutcomeWindow(period: time, steps: 10)
            case .calls(let count): OutcomeWindow(calls: count)
            }
        probes.reserveCapacity(self.policy.probes)
    }

    // MARK: - Calls

    /// The permit for a call while the circuit is closed; `nil` if it isn't.
    ///
    /// Needs neither the time nor a random number.
    package var permitWhileClosed: Permit? {
        guard case .closed = state else { return nil }
        return Permit(generation: generation, probe: 0)
    }

    /// Like ``record(_:_:taking:pushback:at:random:)`` for a success that wasn't slow.
    ///
    /// - Returns: Whether the success was recorded, which requires that the circuit has stayed closed since the permit
    ///   was issued.
    package mutating func recordSuccessWhileClosed(_ permit: Permit, at now: Duration) -> Bool {
        guard case .closed = state, permit.generation == generation, permit.probe == 0 else { return false }
        window.record(isFailure: false, isSlow: false, at: now)
        failuresInRow = 0
        return true
    }

    /// Admits or refuses a call.
    package mutating func admit(at now: Duration, random: some RandomSource) -> Result<Permit, Refusal> {
        advance(to: now, random: random)
        switch state {
        case .closed: return .success(Permit(generation: generation, probe: 0))
        case .open(let until): return .failure(Refusal(reason: .init(cause), wait: until - now))
        case .isolated: return .failure(Refusal(reason: .isolated, wait: nil))
        case .halfOpen:
            guard probes.count + successes < policy.probes else {
                return .failure(Refusal(reason: .probing, wait: nil))
            }
            probesMade += 1
            probes.append(Probe(number: probesMade, started: now))
            return .success(Permit(generation: generation, probe: probesMade))
        }
    }

    /// Records the result of an admitted call.
    ///
    /// - Parameters:
    ///   - permit: The permit of the call.
    ///   - outcome: The outcome of the call.
    ///   - duration: The duration of the call; `nil` if irrelevant.
    ///   - pushback: The pause that the server asked for.
    package mutating func record(
        _ permit: Permit,
        _ outcome: Outcome,
        taking duration: Duration? = nil,
        pushback: Duration? = nil,
        at now: Duration,
        random: some RandomSource
    ) {
        if state != .closed { advance(to: now, random: random) }
        let isCurrent = permit.generation == generation
        if isCurrent, permit.isProbe {
            guard let index = probes.firstIndex(where: { $0.number == permit.probe }) else { return }
            probes.remove(at: index)
        }
        if let pushback, policy.retryAfterLimit > .zero, pushback > .zero {
            return pause(for: min(pushback, policy.retryAfterLimit).bounded, at: now)
        }
        guard isCurrent, outcome != .neither else { return }
        switch state {
        case .closed: count(isFailure: outcome == .failure, duration, at: now, random: random)
        case .halfOpen: judgeProbe(isSuccess: outcome == .success, at: now, random: random)
        case .open, .isolated: break
        }
    }

    /// Records a failure that occurred after the result, such as a broken body.
    ///
    /// A probe whose body breaks has failed. It reopens the circuit even if its head has closed it, unless the circuit
    /// closed longer ago than the probe timeout. In that case, it counts like any other failure.
    package mutating func recordLateFailure(_ permit: Permit, at now: Duration, random: some RandomSource) {
        if state != .closed { advance(to: now, random: random) }
        if permit.isProbe, state == .halfOpen, permit.generation == generation {
            return open(.probeFailed, at: now, random: random)
        }
        guard state == .closed else { return }
        if permit.isProbe, cause == .probesSucceeded, permit.generation &+ 1 == generation {
            if let closedAt, now - closedAt < policy.probeTimeout.bounded {
                return open(.probeFailed, at: now, random: random)
            }
        } else if permit.generation != generation {
            return
        }
        count(isFailure: true, nil, at: now, random: random)
    }

    private mutating func count(
        isFailure: Bool,
        _ duration: Duration?,
        at now: Duration,
        random: some RandomSource
    ) {
        var isSlow = false
        if let slowCalls = policy.slowCalls, let duration { isSlow = duration > slowCalls.threshold }
        window.record(isFailure: isFailure, isSlow: isSlow, at: now)
        failuresInRow = isFailure ? failuresInRow + 1 : 0
        // Only a failure or a slow call can open the circuit.
        guard isFailure || isSlow else { return }
        if let limit = policy.consecutiveFailures, failuresInRow >= limit {
            return open(.consecutiveFailures(failuresInRow), at: now, random: random)
        }
        let totals = window.totals
        guard totals.calls >= policy.minimumCalls else { return }
        if let rate = policy.failureRate, isFailure, Double(totals.failures) >= rate * Double(totals.calls) {
            return open(.failureRate(failures: totals.failures, calls: totals.calls), at: now, random: random)
        }
        if let rule = policy.slowCalls, isSlow, Double(totals.slow) >= rule.rate * Double(totals.calls) {
            open(.slowCalls(slow: totals.slow, calls: totals.calls), at: now, random: random)
        }
    }

    private mutating func judgeProbe(isSuccess: Bool, at now: Duration, random: some RandomSource) {
        guard isSuccess else { return open(.probeFailed, at: now, random: random) }
        successes += 1
        if successes >= policy.probes { close(at: now, .probesSucceeded) }
    }

    // MARK: - Time

    /// Applies the effects of time: an open circuit begins to admit probes, and a probe that hasn't ended in time
    /// counts as failed.
    package mutating func advance(to now: Duration, random: some RandomSource) {
        if case .open(let until) = state, now >= until { change(to: .halfOpen, .timePassed) }
        if case .halfOpen = state, let first = probes.first, now - first.started >= policy.probeTimeout.bounded {
            open(.probeTimedOut, at: now, random: random)
        }
    }

    // MARK: - Changes

    private mutating func open(_ cause: CircuitChange.Cause, at now: Duration, random: some RandomSource) {
        if let closedAt, now - closedAt >= lastOpenTime { openings = 0 }
        openings = min(openings + 1, 64)
        lastOpenTime = policy.openTimes.duration(ofOpening: openings, random: random)
        change(to: .open(until: now + lastOpenTime), cause)
    }

    /// Opens the circuit for as long as the server asks, unless it is already open for longer.
    private mutating func pause(for time: Duration, at now: Duration) {
        switch state {
        case .isolated: return
        case .open(let until) where until >= now + time: return
        default: change(to: .open(until: now + time), .retryAfter)
        }
    }

    private mutating func close(at now: Duration, _ cause: CircuitChange.Cause) {
        closedAt = now
        window.clear()
        failuresInRow = 0
        change(to: .closed, cause)
    }

    /// Opens the circuit manually.
    ///
    /// - Parameter time: The time until it is probed; `nil` for the policy's time.
    package mutating func open(for time: Duration?, at now: Duration, random: some RandomSource) {
        if let time {
            change(to: .open(until: now + time.bounded), .manual)
        } else {
            open(.manual, at: now, random: random)
        }
    }

    /// Closes the circuit manually, and resets its counts.
    package mutating func close(at now: Duration) {
        openings = 0
        lastOpenTime = .zero
        close(at: now, .manual)
    }

    /// Opens the circuit until it is closed manually.
    package mutating func isolate() {
        change(to: .isolated, .manual)
    }

    private mutating func change(to new: CircuitState, _ cause: CircuitChange.Cause) {
        generation &+= 1
        probes.removeAll(keepingCapacity: true)
        successes = 0
        self.cause = cause
        guard new != state else { return }
        changes.append(CircuitChange.Step(from: state, to: new, cause: cause))
        state = new
    }

    /// Returns and removes the changes since the last call.
    package mutating func takeChanges() -> [CircuitChange.Step] {
        if changes.isEmpty { return [] }
        defer { changes.removeAll() }
        return changes
    }

    package var hasChanges: Bool { !changes.isEmpty }

    /// The counts for display.
    var counts: OutcomeWindow.Counts { window.totals }
}
