import HTTPChainCore

/// Finds out how many calls a server works on at once, and keeps as many in flight, and a few more.
///
/// A server that has a queue answers no more calls a second when it gets more of them at once; it only answers later. So
/// the limit worth having is its best throughput times its latency without a queue (Little's law), which is known to
/// networks as the bandwidth-delay product and is what TCP BBR keeps in flight. Calls are looked at in rounds:
///
/// - **Throughput** is the best of the last rounds. Only calls that were answered count, so that a server which answers
///   nothing, or only timeouts, gets fewer calls and not more.
/// - **The latency without a queue** is the lowest mean latency of a round. It is forgotten after a while, or earlier
///   when latency stays far above it however few calls are in flight: then a round with fewer calls measures it again,
///   so that a queue which has come to stay is not taken for how the server is.
/// - **Drops** (timeouts, lost connections, 429, 503) of more than a twentieth of a round lower the limit by their share,
///   at most by half, at once.
/// - **A round that was not at the limit** says nothing about more calls: it lowers nothing.
/// - **At first**, and after drops, rounds are short and the limit doubles from one to the next while throughput follows.
///   The first answer after nothing but drops begins a round of its own.
public struct ThroughputConcurrency: ConcurrencyRule {
    /// One round of calls.
    private struct Round {
        var started: Duration
        /// Whether it is that of before the first call.
        var isNew: Bool
        var successes = 0
        var drops = 0
        /// Of all answered calls together.
        var latency = Duration.zero
        var mostInFlight = 0

        var calls: Int { successes + drops }
        /// The mean latency of the answered calls, in seconds.
        var mean: Double { latency.inSeconds / Double(successes) }
    }

    /// How much more than the product is kept in flight: what finds out that there is more throughput to have.
    private static let headroom = 1.15
    private static let rememberedRounds = 8
    private static let baselineAge = Duration.seconds(10)
    private static let shortestRound = Duration.milliseconds(10)

    private var bounded: BoundedLimit
    private var round = Round(started: .zero, isNew: true)
    private var throughputs: [Double] = []
    private var baseline: (latency: Double, time: Duration)?
    private var isStarting = true
    /// The limit to go back to after a round that measured the baseline.
    private var limitBeforeProbe: Double?
    /// Rounds in a row with latency far above the baseline.
    private var slowRounds = 0
    /// Consecutive rounds in which throughput did not follow the limit.
    private var flatRounds = 0

    /// Makes the rule.
    ///
    /// - Parameters:
    ///   - range: The smallest and the largest limit.
    ///   - initial: The limit at first.
    public init(in range: ClosedRange<Int> = 1...1000, initial: Int = 10) {
        bounded = BoundedLimit(range, initial: initial)
        throughputs.reserveCapacity(Self.rememberedRounds + 1)
    }

    /// The number of calls that may be in flight now.
    public var limit: Int { bounded.limit }

    /// Learns from a call that ended.
    public mutating func learn(_ sample: ConcurrencySample) {
        // What began before a probe lowered the limit says nothing about the probe.
        if limitBeforeProbe != nil, sample.outcome == .success, Double(sample.inFlight) > bounded.value + 1 { return }
        if round.isNew {
            round = Round(started: max(.zero, sample.time - sample.latency), isNew: false)
        } else if sample.outcome == .success, round.successes == 0, round.drops >= 3 {
            // The first answer after nothing but drops: the outage is over, and its drops say nothing about what follows.
            finish(round, length: (sample.time - round.started).inSeconds, at: sample.time)
            round = Round(started: max(.zero, sample.time - sample.latency), isNew: false)
        }
        if sample.outcome == .success {
            round.successes += 1
            round.latency += min(sample.latency, .longest)
        } else {
            round.drops += 1
        }
        if sample.inFlight > round.mostInFlight { round.mostInFlight = sample.inFlight }
        // Long enough to have seen calls begin and end, and enough of them for a mean; while the limit is searched for, as
        // after an outage, which let it fall to one, fewer will do.
        guard Double(round.calls) >= min(max(isStarting ? 5 : 20, bounded.value), 100) else { return }
        // Durations are compared first: most calls end here, and seconds take longer than all the rest.
        let time = sample.time - round.started
        guard time >= Self.shortestRound else { return }
        let length = time.inSeconds
        let usual = round.successes > 0 ? round.mean : sample.latency.inSeconds
        guard length >= min(1, max(0.01, 2 * usual)) else { return }
        let ended = round
        round = Round(started: sample.time, isNew: false)
        finish(ended, length: length, at: sample.time)
    }

    /// Learns from a call, and returns the limit.
    mutating func limit(learning sample: ConcurrencySample) -> Int {
        learn(sample)
        return bounded.limit
    }

    private mutating func finish(_ round: Round, length: Double, at now: Duration) {
        let dropShare = Double(round.drops) / Double(round.calls)
        if dropShare > 0.05 {
            // What the limit was before says little now; it is found again as at first.
            isStarting = true
            flatRounds = 0
            limitBeforeProbe = nil
            throughputs.removeAll(keepingCapacity: true)
            return bounded.set(bounded.value * max(0.5, 1 - dropShare))
        }
        guard round.successes > 0 else { return }
        let latency = round.mean
        let throughput = Double(round.successes) / length
        if let before = limitBeforeProbe {
            limitBeforeProbe = nil
            baseline = (latency, now)
            slowRounds = 0
            return bounded.set(before)
        }
        if latency <= baseline?.latency ?? .infinity { baseline = (latency, now) }
        let isAtLimit = Double(round.mostInFlight) >= Double(bounded.limit) * 0.9
        throughputs.append(throughput)
        if throughputs.count > Self.rememberedRounds { throughputs.removeFirst() }
        guard isAtLimit, let lowest = baseline else { return }
        if isStarting, start(latency: latency, lowest: lowest.latency, throughput: throughput, at: now) { return }
        // The best round alone would be one in which chance was kind.
        let best =
            throughputs.sorted().suffix(max(1, throughputs.count / 2)).reduce(0, +)
            / Double(max(1, throughputs.count / 2))
        let product = best * lowest.latency
        slowRounds = latency > 1.6 * lowest.latency ? slowRounds + 1 : 0
        if now - lowest.time > Self.baselineAge || slowRounds >= 6 {
            // With less than the product in flight there is no queue, if the product is right.
            limitBeforeProbe = bounded.value
            slowRounds = 0
            return bounded.set(min(bounded.value, product) * 0.6)
        }
        var target = product * Self.headroom + 1
        // Without a queue at the server there is no reason for less: the product of a few calls is often too small.
        if latency <= 1.4 * lowest.latency { target = max(target, bounded.value * 1.1 + 0.5) }
        bounded.set(target > bounded.value ? min(target, bounded.value * 1.5 + 1) : max(target, bounded.value * 0.8))
    }

    /// Doubles the limit while that brings throughput.
    private mutating func start(latency: Double, lowest: Double, throughput: Double, at now: Duration) -> Bool {
        let before = throughputs.dropLast().max() ?? 0
        flatRounds = throughput > before * 1.2 ? 0 : flatRounds + 1
        if bounded.value <= max(2, bounded.range.lowerBound), latency > 1.5 * lowest {
            // So few calls make no queue: it is what the server still has from before, or the server has become slower.
            slowRounds += 1
            if slowRounds >= 6 {
                baseline = (latency, now)
                slowRounds = 0
            }
            return true
        }
        if latency > 1.5 * lowest || flatRounds >= 2 {
            isStarting = false
            return false
        }
        bounded.set(bounded.value * 2)
        return true
    }
}
