#if AllTests
import Foundation
import HTTPChainConcurrencyLimit
import HTTPChainCore
import HTTPChainTesting
import ResilienceSimulator
import TestSupport
import Testing

/// The rules known from elsewhere, written once more from where they are described, each in another shape.
///
/// The models work on plain numbers, microseconds and whole histories where the product keeps what it needs; what they
/// share with it is the description.
@Suite("The known rules of a concurrency limit beside models of their descriptions", .timeLimit(.minutes(10)))
struct KnownRuleTests {
    /// What a model is told of a call.
    struct Call {
        let microseconds: Double
        let inFlight: Double
        let isDropped: Bool
    }

    /// Many steps (a million of each in the full drills) over all that the rules are told: a server whose latency
    /// wanders, loads below and above the limit, drops one by one and in rows.
    private func compare(
        _ algorithm: ConcurrencyAlgorithm,
        stream: UInt64,
        steps: Int = Drill.isFull ? 1_000_000 : 50_000,
        model: (Call) -> Double
    ) {
        let random = Seed.numbers(stream)
        var rule = algorithm.rule()
        var now = Duration.zero
        var (usual, drops) = (20_000.0, 0)
        var seen: Set<Int> = []
        var taken = 0
        for step in 0..<steps {
            if random.index(below: 2_000) == 0 { usual = Double(1_000 + random.index(below: 200_000)) }
            if random.index(below: 500) == 0 { drops = random.index(below: 40) }
            drops = max(0, drops - 1)
            // A latency is never twice another one, so that no quotient lies at a bound but for rounding.
            let nanoseconds = Int64(usual * Double(500 + random.index(below: 3_000))) | 1
            let inFlight = random.index(below: 3) == 0 ? random.index(below: 1_100) : rule.limit
            let isDropped = drops > 0 || random.index(below: 50) == 0
            now += .nanoseconds(nanoseconds)
            rule.learn(
                ConcurrencySample(
                    latency: .nanoseconds(nanoseconds),
                    inFlight: inFlight,
                    outcome: isDropped ? .dropped : .success,
                    time: now
                )
            )
            let expected = model(
                Call(microseconds: Double(nanoseconds) / 1000, inFlight: Double(inFlight), isDropped: isDropped)
            )
            seen.insert(rule.limit)
            // A limit with a fraction is rounded down, and may be a hair below a whole number in one of the two.
            guard rule.limit == Int(expected) || abs(expected - expected.rounded()) < 1e-6 else {
                Issue.record("step \(step): \(rule.limit), and the model says \(expected)")
                return
            }
            taken += 1
        }
        #expect(taken == steps)
        #expect(seen.count > 20)
    }

    @Test("AIMD adds one for each success and takes a tenth for each drop (Chiu and Jain, 1989)", .seeded)
    func aimd() {
        // Of a drop and the successes since, the limit is the one's nine tenths and one for each of the others, so far as
        // they used it: a history that begins anew with each drop.
        var afterDrop = 10.0
        var useful = 0
        compare(.aimd(in: 2...400, initial: 10), stream: 1) { call in
            let limit = min(400, afterDrop + Double(useful))
            if call.isDropped {
                (afterDrop, useful) = (max(2, limit - limit / 10), 0)
            } else if call.inFlight >= limit / 2 {
                useful += 1
            }
            return min(400, afterDrop + Double(useful))
        }
    }

    @Test(
        "Vegas keeps the difference of the expected and the actual rate between bounds (Brakmo and Peterson, 1995)",
        .seeded
    )
    func vegas() {
        // The paper's Diff, in calls: (expected - actual) times the latency without a queue; its bounds and steps are those
        // of concurrency-limits, of the size log10(limit). In one thing ours is not theirs: a drop says nothing about the
        // latency without a queue, however early it comes.
        enum Move { case stay, fall, rise, jump }
        var limit = 10.0
        var base = Double.infinity
        var age = 0
        func move(_ call: Call, _ unit: Double) -> Move {
            if call.isDropped { return .fall }
            if call.microseconds < base {
                base = call.microseconds
                return .stay
            }
            if call.inFlight < limit / 2 { return .stay }
            let expected = limit / base
            let actual = limit / call.microseconds
            let queued = ((expected - actual) * base).rounded(.up)
            switch queued {
            case ...unit: return .jump
            case ..<(3 * unit): return .rise
            case ...(6 * unit): return .stay
            default: return .fall
            }
        }
        compare(.vegas(in: 2...400, initial: 10), stream: 2) { call in
            age += 1
            // Now and then what is known of the latency without a queue is forgotten, for servers change.
            if Double(age) > 30 * limit {
                (age, base) = (0, call.microseconds)
                return limit
            }
            let unit = limit < 10 ? 1 : log10(limit)
            let change: Double
            switch move(call, unit) {
            case .stay: change = 0
            case .fall: change = -unit
            case .rise: change = unit
            case .jump: change = 6 * unit
            }
            limit = max(2, min(400, limit + change))
            return limit
        }
    }

    @Test("Gradient2 follows the quotient of the long and the short latency (Netflix, concurrency-limits)", .seeded)
    func gradient2() {
        // The first ten latencies have a plain mean; from then on each weighs 2 / (600 + 1) (an exponential average over a
        // window of 600). Far above the latency of now it falls by a twentieth a call besides.
        var first: [Double] = []
        var average = 0.0
        var limit = 10.0
        compare(.gradient2(in: 2...400, initial: 10), stream: 3) { call in
            if first.count < 10 {
                first.append(call.microseconds)
                average = first.reduce(0, +) / Double(first.count)
            } else {
                let weight = 2.0 / (600 + 1)
                average = average * (1 - weight) + call.microseconds * weight
            }
            let long = average
            if long > 2 * call.microseconds { average *= 1 - 1.0 / 20 }
            // What is not used is not changed.
            guard call.inFlight >= limit / 2 else { return limit }
            var share = 1.5 * long / call.microseconds
            if share > 1 { share = 1 }
            if share < 0.5 { share = 0.5 }
            let wanted = limit * share + 4
            limit += (wanted - limit) / 5
            limit = max(2, min(400, limit))
            return limit
        }
    }
}
#endif
