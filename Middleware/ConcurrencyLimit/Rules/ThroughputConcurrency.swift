import HTTPChainCore

/// Determines how many calls a server can process at once, and allows that number plus a margin.
///
/// If a server with a queue gets more calls at once, it doesn't complete more of them per second, but only completes
/// them later. The useful limit is therefore its best throughput times its latency without a queue (Little's law). In
/// networks this is the bandwidth-delay product, which TCP BBR keeps in flight. Calls are evaluated in rounds:
///
/// - **Throughput** is the best of the last rounds. Only calls with responses count. A server that doesn't respond, or
///   only times out, therefore gets fewer calls rather than more.
/// - **The latency without a queue** is the lowest mean latency of a round. It expires after a while, or earlier if
///   latency stays far above it with few calls in flight. A round with fewer calls then measures it again, so that a
///   permanent queue isn't mistaken for the server's normal latency.
/// - **Drops** (timeouts, failed or lost connections, 429, 503, 504) of more than a twentieth of a round lower the
///   limit immediately by their share, at most by half.
/// - **A round in which the limit wasn't reached** shows nothing about more calls, so it doesn't lower the limit.
/// - **Initially**, and after drops, rounds are short, and the limit doubles each round while throughput follows. The
///   first response after a series of drops begins a new round.
package struct ThroughputConcurrency: ConcurrencyRule {
    /// A round of calls.
    private struct Round {
        var started: Duration
        /// Whether this round began before the first call.
        var isNew: Bool
        var successes = 0
        var drops = 0
        /// The total latency of all calls with responses.
        var latency = Duration.zero
        var mostInFlight = 0

        var calls: Int { successes + drops }
        /// The mean latency of the calls with responses, in seconds.
        var mean: Double { latency.inSeconds / Double(successes) }
    }

    /// The factor by which the limit exceeds the product, to find out whether the server can do more.
    private static let headroom = 1.15
    private static let rememberedRounds = 8
    private static let baselineAge = Duration.seconds(10)
    private static let shortestRound = Duration.milliseconds(10)

    private var bounded: BoundedLimit
    private var round = Round(started: .zero, isNew: true)
    private var throughputs: [Double] = []
    private var baseline: (latency: Double, time: Duration)?
    private var isStarting = true
    /// The limit to restore after a round that measured the baseline.
    private var limitBeforeProbe: Double?
    /// The number of consecutive rounds with latency far above the baseline.
    private var slowRounds = 0
    /// The number of consecutive rounds in which throughput didn't grow with the limit.
    private var flatRounds = 0

    /// Creates the rule.
    ///
    /// - Parameters:
    ///   - range: The minimum and maximum limit.
    ///   - initial: The initial limit.
    package init(in range: ClosedRange<Int> = 1...1000, initial: Int = 10) {
        bounded = BoundedLimit(range, initial: initial)
        throughputs.reserveCapacity(Self.rememberedRounds + 1)
    }

    /// The current maximum number of calls in flight.
    package var limit: Int { bounded.limit }

    /// Learns from a call that ended.
    package mutating func learn(_ sample: ConcurrencySample) {
        // Calls that began before the limit was lowered for a measurement aren't part of it.
        if limitBeforeProbe != nil, sample.outcome == .success, Double(sample.inFlight) > bounded.value + 1 { return }
        if round.isNew {
            round = Round(started: max(.zero, sample.time - sample.latency), isNew: false)
        } else if sample.outcome == .success, round.successes == 0, round.drops >= 3 {
            // This is the first response after a series of drops, so the outage is over. Its drops must not affect
            // later rounds.
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
        // A round must be long enough to see calls begin and end, and have enough calls for a mean. Fewer calls are
        // enough while the limit is being determined, for example after an outage, during which the limit dropped to
        // one.
        guard Double(round.calls) >= min(max(isStarting ? 5 : 20, bounded.value), 100) else { return }
        // Compares durations first, because most calls end here, and conversion to seconds is expensive.
        let time = sample.time - round.started
        guard time >= Self.shortestRound else { return }
        let length = time.inSeconds
        let usual = round.successes > 0 ? round.mean : sample.latency.inSeconds
        guard length >= min(1, max(0.01, 2 * usual)) else { return }
        let ended = round
        round = Round(started: sample.time, isNew: false)
        finish(ended, length: length, at: sample.time)
    }

    private mutating func finish(_ round: Round, length: Double, at now: Duration) {
        let dropShare = Double(round.drops) / Double(round.calls)
        if dropShare > 0.05 {
            // The previous limit is no longer meaningful, so it is determined again from the start.
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
        // The mean of the better half is used, because the single best round could be an outlier.
        let best =
            throughputs.sorted().suffix(max(1, throughputs.count / 2)).reduce(0, +)
            / Double(max(1, throughputs.count / 2))
        let product = best * lowest.latency
        slowRounds = latency > 1.6 * lowest.latency ? slowRounds + 1 : 0
        if now - lowest.time > Self.baselineAge || slowRounds >= 6 {
            // If fewer calls than the product are in flight, there can't be a queue, provided that the product is
            // correct.
            limitBeforeProbe = bounded.value
            slowRounds = 0
            return bounded.set(min(bounded.value, product) * 0.6)
        }
        var target = product * Self.headroom + 1
        // If the server has no queue, there is no reason to lower the limit. The product is often too small if there
        // are only a few calls.
        if latency <= 1.4 * lowest.latency { target = max(target, bounded.value * 1.1 + 0.5) }
        bounded.set(target > bounded.value ? min(target, bounded.value * 1.5 + 1) : max(target, bounded.value * 0.8))
    }

    /// Doubles the limit while that increases throughput.
    private mutating func start(latency: Double, lowest: Double, throughput: Double, at now: Duration) -> Bool {
        let before = throughputs.dropLast().max() ?? 0
        flatRounds = throughput > before * 1.2 ? 0 : flatRounds + 1
        if bounded.value <= max(2, bounded.range.lowerBound), latency > 1.5 * lowest {
            // So few calls can't cause a queue. Either the queue is left from before, or the server has become slower.
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

/// A fractional limit, clamped to the bounds of a rule.
package struct BoundedLimit: Sendable {
    let range: ClosedRange<Double>
    package private(set) var value: Double

    package init(_ range: ClosedRange<Int>, initial: Int) {
        let lower = max(1, range.lowerBound)
        let upper = min(max(lower, range.upperBound), 1_000_000)
        self.range = Double(min(lower, upper))...Double(upper)
        value = 0
        set(Double(initial))
    }

    package mutating func set(_ new: Double) {
        guard new.isFinite else { return }
        value = min(max(new, range.lowerBound), range.upperBound)
    }

    package var limit: Int { Int(value) }
}
