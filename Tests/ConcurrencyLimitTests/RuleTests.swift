#if AllTests
import HTTPChainConcurrencyLimit
import HTTPChainCore
import HTTPChainTesting
import TestSupport
import Testing

@Suite("The rules of a concurrency limit", .timeLimit(.minutes(10)))
struct RuleTests {
    @Test(
        "The queue does what one list does that is searched each time, in many random steps",
        .seeded,
        arguments: [1, 7, 40]
    )
    func queue(limit: Int) {
        struct Waiting {
            let id: UInt64
            let name: Int
            let priority: CallPriority
        }
        let random = Seed.numbers(UInt64(limit))
        func draw(_ count: UInt64) -> Int { Int(random.next() % count) }
        var queue = PriorityQueue<Int>(limit: limit)
        var model: [Waiting] = []
        var replaced = 0
        var steps = 0
        for step in 0..<Drill.steps {
            steps += 1
            switch draw(10) {
            case 0...5:
                let priority = CallPriority.allCases[draw(4)]
                let below = model.count { $0.priority <= priority }
                let hasNoRoom = model.count >= limit || Double(below) >= Double(limit) * priority.queueShare
                let lowest = model.map(\.priority).min() ?? .critical
                guard let place = queue.add(step, priority) else {
                    #expect(hasNoRoom && (model.isEmpty || lowest >= priority), "step \(step)")
                    break
                }
                if let victim = place.replaced {
                    let expected = model.lastIndex { $0.priority == lowest }
                    #expect(hasNoRoom && lowest < priority, "step \(step)")
                    #expect(expected.map { model[$0].name } == victim)
                    if let expected { model.remove(at: expected) }
                    replaced += 1
                } else {
                    #expect(!hasNoRoom, "step \(step)")
                }
                model.append(Waiting(id: place.id, name: step, priority: priority))
            case 6...8:
                let first = model.map(\.priority).max().flatMap { most in model.firstIndex { $0.priority == most } }
                #expect(queue.next() == first.map { model[$0].name }, "step \(step)")
                if let first { model.remove(at: first) }
            default:
                guard !model.isEmpty else { continue }
                let gone = model.remove(at: draw(UInt64(model.count)))
                queue.remove(gone.id, gone.priority)
                queue.remove(gone.id, gone.priority)
            }
            #expect(queue.count == model.count)
            if queue.count != model.count { return }
        }
        #expect(steps == Drill.steps)
        if limit > 1 { #expect(replaced > 100) }
    }

    static let algorithms: [ConcurrencyAlgorithm] = [.fixed(7), .adaptive(in: 2...50)]

    @Test("Every rule stays in its range, whatever it is told", .seeded, arguments: 0..<2)
    func range(index: Int) {
        let random = Seed.numbers(UInt64(index))
        var rule = Self.algorithms[index].rule()
        var now = Duration.zero
        let times: [Duration] = [
            .zero, .nanoseconds(1), .milliseconds(3), .seconds(40), .seconds(-4), .seconds(Int64.max / 4),
        ]
        for _ in 0..<200_000 {
            now += .microseconds(Int(random.next() % 5000))
            let latency =
                random.next() % 20 == 0 ? times[Int(random.next() % 6)] : .microseconds(Int(random.next() % 100_000))
            rule.learn(
                ConcurrencySample(
                    latency: latency,
                    inFlight: Int(random.next() % 60),
                    outcome: random.next() % 10 == 0 ? .dropped : .success,
                    time: now
                )
            )
            #expect((2...50).contains(rule.limit))
        }
    }

    @Test("Ranges and limits that make no sense do not trap")
    func nonsense() {
        for range in [Int.min...Int.max, 0...0, -5...(-1), Int.max...Int.max] {
            for initial in [Int.min, 0, Int.max] {
                for algorithm in [
                    ConcurrencyAlgorithm.fixed(initial), .adaptive(in: range, initial: initial),
                ] {
                    #expect(algorithm.rule().limit >= 1)
                }
            }
        }
    }
}
#endif
