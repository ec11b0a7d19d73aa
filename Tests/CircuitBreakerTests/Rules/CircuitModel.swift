#if AllTests
import HTTPChainCircuitBreaker
import HTTPChainCore

/// The rules of a circuit written down a second time, from the documentation and without regard to cost: it keeps every
/// result and counts anew at each.
struct CircuitModel {
    struct Ended {
        let time: Duration
        let isFailure: Bool
        let isSlow: Bool
    }

    enum State: Equatable {
        case closed, open(Duration), halfOpen, isolated
    }

    let policy: CircuitBreakerPolicy
    var state = State.closed
    /// Results since the circuit was last closed.
    var ended: [Ended] = []
    /// Calls that were let through in this state and have not ended; by number, with their beginning.
    var passing: [Int: Duration] = [:]
    var probes: [Int: Duration] = [:]
    var successes = 0
    var openedBefore = 0
    var openTime = Duration.zero
    var closedAt: Duration?
    /// Calls that succeeded and whose bodies are read; by number, with the state they were let through in.
    var reading: [Int: (epoch: Int, wasProbe: Bool)] = [:]
    /// How many states there were.
    var epoch = 0
    /// The states that probes closed.
    var closedByProbes: Set<Int> = []

    init(_ policy: CircuitBreakerPolicy) { self.policy = policy }

    mutating func advance(_ now: Duration) {
        if case .open(let until) = state, until <= now { enter(.halfOpen) }
        if state == .halfOpen, probes.values.contains(where: { $0 + policy.probeTimeout <= now }) { trip(now) }
    }

    mutating func enter(_ new: State) {
        epoch += 1
        state = new
        passing = [:]
        probes = [:]
        successes = 0
    }

    mutating func trip(_ now: Duration) {
        if let closedAt, closedAt + openTime <= now { openedBefore = 0 }
        var time = policy.openTimes.base
        for _ in 0..<openedBefore { time = min(policy.openTimes.cap, time + time) }
        openedBefore += 1
        openTime = time
        enter(.open(now + time))
    }

    mutating func admit(_ number: Int, _ now: Duration) -> Bool {
        advance(now)
        switch state {
        case .closed:
            passing[number] = now
            return true
        case .halfOpen:
            guard probes.count + successes < policy.probes else { return false }
            probes[number] = now
            return true
        case .open, .isolated: return false
        }
    }

    mutating func end(
        _ number: Int,
        _ outcome: CircuitRules.Outcome,
        _ duration: Duration,
        _ pushback: Duration?,
        _ now: Duration
    ) {
        if state != .closed { advance(now) }
        let wasProbe = probes.removeValue(forKey: number) != nil
        let wasPassing = passing.removeValue(forKey: number) != nil
        if let pushback {
            let until = now + min(pushback, policy.retryAfterLimit)
            switch state {
            case .isolated: break
            case .open(let known) where known >= until: break
            default: enter(.open(until))
            }
            return
        }
        if outcome == .neither { return }
        if wasProbe {
            guard outcome == .success else { return trip(now) }
            reading[number] = (epoch, true)
            successes += 1
            if successes == policy.probes {
                close(now)
                closedByProbes.insert(epoch)
            }
        } else if wasPassing {
            if outcome == .success { reading[number] = (epoch, false) }
            ended.append(
                Ended(
                    time: now,
                    isFailure: outcome == .failure,
                    isSlow: policy.slowCalls.map { duration > $0.threshold } ?? false
                )
            )
            if isBad(now) { trip(now) }
        }
    }

    /// The body of a call that succeeded broke.
    mutating func lose(_ number: Int, _ now: Duration) {
        if state != .closed { advance(now) }
        guard let call = reading.removeValue(forKey: number) else { return }
        let hasClosed = call.wasProbe && call.epoch + 1 == epoch && closedByProbes.contains(epoch) && state == .closed
        if hasClosed, let closedAt, closedAt + policy.probeTimeout > now { return trip(now) }
        switch state {
        case .halfOpen where call.wasProbe && call.epoch == epoch: trip(now)
        case .closed where hasClosed || (!call.wasProbe && call.epoch == epoch):
            ended.append(Ended(time: now, isFailure: true, isSlow: false))
            if isBad(now) { trip(now) }
        default: break
        }
    }

    mutating func close(_ now: Duration) {
        enter(.closed)
        ended = []
        closedAt = now
    }

    /// The results that the window shows.
    var counted: [Ended] {
        switch policy.window {
        case .calls(let count): return ended.suffix(count)
        case .time(let length):
            let width = length / 10
            // Cells begin with the first result, and with the first after a whole window without any.
            var start = Duration.zero
            var last: Int?
            var cells: [(cell: Int, result: Ended)] = []
            for result in ended {
                if let cell = last, result.time < start + width * (cell + 11) {
                    last = Int(quotient(result.time - start, width))
                } else {
                    start = result.time
                    cells = []
                    last = 0
                }
                cells.append((last ?? 0, result))
            }
            guard let last else { return [] }
            return cells.filter { $0.cell > last - 10 }.map(\.result)
        }
    }

    func isBad(_ now: Duration) -> Bool {
        guard let latest = ended.last else { return false }
        let row = ended.reversed().prefix(while: \.isFailure).count
        if let limit = policy.consecutiveFailures, row >= limit { return true }
        let counted = counted
        guard counted.count >= policy.minimumCalls else { return false }
        let all = Double(counted.count)
        if let rate = policy.failureRate, latest.isFailure, Double(counted.count(where: \.isFailure)) >= rate * all {
            return true
        }
        if let slow = policy.slowCalls, latest.isSlow, Double(counted.count(where: \.isSlow)) >= slow.rate * all {
            return true
        }
        return false
    }

    static func same(_ state: State, _ other: CircuitState) -> Bool {
        switch (state, other) {
        case (.closed, .closed), (.halfOpen, .halfOpen), (.isolated, .isolated): true
        case (.open(let one), .open(let two)): one == two
        default: false
        }
    }
}

private func quotient(_ duration: Duration, _ width: Duration) -> Double {
    let one = Double(duration.components.seconds) * 1e9 + Double(duration.components.attoseconds / 1_000_000_000)
    let two = Double(width.components.seconds) * 1e9 + Double(width.components.attoseconds / 1_000_000_000)
    return (one / two).rounded(.down)
}
#endif
