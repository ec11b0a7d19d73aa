#if AllTests
import HTTPChainConcurrencyLimit
import HTTPChainCore
import HTTPChainSupport
import HTTPChainTesting
import TestSupport
import Testing

/// The kit's own rule, written once more from its description: phases with what belongs to each, and whole histories of
/// calls and rounds where the product keeps sums.
@Suite("The rule of throughput and latency beside a model of its description", .timeLimit(.minutes(10)))
struct ThroughputRuleTests {
    /// A call as the model sees it.
    struct Call {
        let began: Duration
        let ended: Duration
        let inFlight: Int
        let isDropped: Bool

        var latency: Duration { ended - began }
    }

    enum Phase: Equatable {
        /// The limit doubles; how many rounds have brought nothing in a row.
        case searching(flat: Int)
        case steady
        /// Few calls measure the latency without a queue; the limit to go back to.
        case probing(limit: Double)
    }

    /// What happened, so that a test can say that it met all of it.
    enum Event: CaseIterable {
        case doubled, followed, fell, dropped, probed, measured, outageEnded, acceptedSlower, unused, ignored
    }

    struct Model {
        let range: ClosedRange<Double>
        var limit: Double
        var phase = Phase.searching(flat: 0)
        /// The calls of the round under way, and when it began.
        var calls: [Call] = []
        var start: Duration?
        /// Calls a second of every round since the last drops.
        var rates: [Double] = []
        /// Every latency that was taken for one without a queue, in seconds, and when.
        var baselines: [(latency: Double, time: Duration)] = []
        var slow = 0
        var events: Set<Event> = []

        /// Numbers are made of each other in the product's order: a tie of two rounds hangs on the last digit.
        private mutating func move(to wanted: Double) { limit = max(range.lowerBound, min(range.upperBound, wanted)) }

        mutating func see(_ call: Call) {
            if case .probing = phase, !call.isDropped, Double(call.inFlight) > limit + 1 {
                events.insert(.ignored)
                return
            }
            if !call.isDropped, calls.count >= 3, calls.allSatisfy(\.isDropped) {
                events.insert(.outageEnded)
                end(at: call.ended)
                (calls, start) = ([], call.began)
            }
            calls.append(call)
            start = start ?? call.began
            let least = phase.isSearching ? 5.0 : 20
            let enough = min(100, limit < least ? least : limit)
            let answered = calls.filter { !$0.isDropped }
            let usual = answered.isEmpty ? call.latency.inSeconds : mean(answered)
            let long = min(1, max(1.0 / 100, usual + usual))
            let length = (call.ended - (start ?? call.began)).inSeconds
            guard Double(calls.count) >= enough, length >= long else { return }
            end(at: call.ended)
            (calls, start) = ([], call.ended)
        }

        private func mean(_ calls: [Call]) -> Double {
            calls.reduce(Duration.zero) { $0 + $1.latency }.inSeconds / Double(calls.count)
        }

        private mutating func end(at now: Duration) {
            let answered = calls.filter { !$0.isDropped }
            let lost = Double(calls.count - answered.count) / Double(calls.count)
            if lost > 1.0 / 20 {
                events.insert(.dropped)
                (phase, rates) = (.searching(flat: 0), [])
                return move(to: limit * max(0.5, 1 - lost))
            }
            let latency = mean(answered)
            if case .probing(let before) = phase {
                events.insert(.measured)
                (phase, slow) = (.steady, 0)
                baselines.append((latency, now))
                return move(to: before)
            }
            if baselines.last.map({ latency <= $0.latency }) ?? true { baselines.append((latency, now)) }
            rates.append(Double(answered.count) / (now - (start ?? now)).inSeconds)
            let used = calls.map(\.inFlight).max() ?? 0
            guard Double(used) >= limit.rounded(.down) * 9 / 10, let base = baselines.last else {
                events.insert(.unused)
                return
            }
            if case .searching(let flat) = phase, search(latency, over: base.latency, flat: flat, at: now) { return }
            let recent = rates.suffix(8).sorted()
            let better = recent.suffix(max(1, recent.count / 2))
            let product = better.reduce(0, +) / Double(better.count) * base.latency
            slow = latency > base.latency * 1.6 ? slow + 1 : 0
            if slow == 6 || now - base.time > .seconds(10) {
                events.insert(.probed)
                (phase, slow) = (.probing(limit: limit), 0)
                return move(to: 0.6 * min(product, limit))
            }
            let grown = latency <= base.latency * 1.4 ? limit * 1.1 + 0.5 : 0
            let wanted = max(product * 1.15 + 1, grown)
            events.insert(wanted > limit ? .followed : .fell)
            move(to: max(min(wanted, limit * 1.5 + 1), limit * 0.8))
        }

        /// Whether the search goes on.
        private mutating func search(_ latency: Double, over base: Double, flat: Int, at now: Duration) -> Bool {
            let bestBefore = rates.suffix(8).dropLast().max() ?? 0
            let brought = rates.last.map { $0 > 1.2 * bestBefore } ?? false
            let flat = brought ? 0 : flat + 1
            phase = .searching(flat: flat)
            let isSlow = latency > base * 1.5
            if isSlow, limit <= max(2, range.lowerBound) {
                slow += 1
                if slow >= 6 {
                    events.insert(.acceptedSlower)
                    baselines.append((latency, now))
                    slow = 0
                }
                return true
            }
            if isSlow || flat >= 2 {
                phase = .steady
                return false
            }
            events.insert(.doubled)
            move(to: limit * 2)
            return true
        }
    }

    @Test(
        "Over servers that change, fail and come back, the limit is the model's after every call",
        .seeded,
        arguments: [1, 2, 3, 4] as [UInt64]
    )
    func model(_ stream: UInt64) {
        let random = Seed.numbers(stream)
        let steps = Drill.isFull ? 1_000_000 : 30_000
        var taken = 0
        let bounds = stream == 4 ? 1...8 : 2...400
        var rule = ThroughputConcurrency(in: bounds, initial: 10)
        var model = Model(
            range: Double(bounds.lowerBound)...Double(bounds.upperBound),
            limit: Double(min(10, bounds.upperBound))
        )
        var now: Int64 = 100_000_000_000
        var (work, places, drops, load) = (Int64(20_000_000), 12, 0, 1.0)
        for step in 0..<steps {
            // Another server: so long a call takes, so many it works on at once, so much of the limit is used.
            if random.index(below: 1_500) == 0 { work = 500_000 + Int64(random.index(below: 100_000_000)) }
            if random.index(below: 1_000) == 0 { places = 1 + random.index(below: 60) }
            if random.index(below: 700) == 0 { drops = random.index(below: 120) }
            if random.index(below: 600) == 0 { load = Double(1 + random.index(below: 10)) / 8 }
            drops = max(0, drops - 1)
            let stale = random.index(below: 40) == 0 ? random.index(below: 30) : 0
            let inFlight = max(1, Int(Double(rule.limit) * min(1, load))) + stale
            let queued = Double(max(inFlight, places)) / Double(places)
            let latency = Int64(Double(work) * queued * Double(800 + random.index(below: 400)) / 1000) | 1
            let isDropped = drops > 0 || random.index(below: 300) == 0
            now += max(1, latency / Int64(min(inFlight, places)))
            let call = Call(
                began: .nanoseconds(now - latency),
                ended: .nanoseconds(now),
                inFlight: inFlight,
                isDropped: isDropped
            )
            rule.learn(
                ConcurrencySample(
                    latency: call.latency,
                    inFlight: inFlight,
                    outcome: isDropped ? .dropped : .success,
                    time: .nanoseconds(now)
                )
            )
            model.see(call)
            // Sums in another order differ in their last digits.
            let isAtWhole = abs(model.limit - model.limit.rounded()) < 1e-6
            guard rule.limit == Int(model.limit) || isAtWhole else {
                Issue.record("step \(step): \(rule.limit), and the model says \(model.limit) in \(model.phase)")
                return
            }
            taken += 1
        }
        #expect(taken == steps)
        if stream < 4 { #expect(model.events == Set(Event.allCases)) }
    }
}

extension ThroughputRuleTests.Phase {
    fileprivate var isSearching: Bool {
        if case .searching = self { true } else { false }
    }
}
#endif
