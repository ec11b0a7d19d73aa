#if AllTests
import HTTPChainCore
import HTTPChainHedging
import HTTPChainTesting
import TestSupport
import Testing

@Suite("The rules of hedging", .timeLimit(.minutes(10)))
struct RuleTests {
    /// What an attempt will do.
    struct Fate {
        let latency: Int
        let outcome: HedgeRules.Outcome
    }

    struct Result: Equatable {
        var winner: Int
        var time: Int
        var starts: [Int]
    }

    /// Runs the rules on time.
    static func run(_ fates: [Fate], delay: Int?) -> Result {
        var rules = HedgeRules(attempts: fates.count, delay: delay.map { .milliseconds($0) })
        var now = 0
        var starts: [Int] = []
        var flying: [Int: Int] = [:]
        while true {
            switch rules.step(at: .milliseconds(now)) {
            case .finish(let index): return Result(winner: index, time: now, starts: starts)
            case .attempt:
                let index = rules.begin(at: .milliseconds(now))
                starts.append(now)
                flying[index] = now + fates[index].latency
            case .wait(let until):
                let end = flying.min { ($0.value, $0.key) < ($1.value, $1.key) }
                let wake = until.map { Int($0 / .milliseconds(1)) }
                if let end, end.value <= wake ?? .max {
                    now = end.value
                    flying[end.key] = nil
                    rules.end(end.key, fates[end.key].outcome, at: .milliseconds(now))
                } else if let wake {
                    now = wake
                } else {
                    Issue.record("it waits for nothing")
                    return Result(winner: -1, time: now, starts: starts)
                }
            }
        }
    }

    /// The same from the documentation, by looking at each millisecond.
    static func model(_ fates: [Fate], delay: Int?) -> Result {
        var starts = [0]
        var open: [Int] = [0]
        var next: Int? = delay
        var lastFailure = -1
        var time = 0
        while true {
            for index in open.sorted() where starts[index] + fates[index].latency == time {
                open.removeAll { $0 == index }
                switch fates[index].outcome {
                case .final: return Result(winner: index, time: time, starts: starts)
                case .nonFatal(let pushback):
                    lastFailure = index
                    let pause = pushback.map { Int($0 / .milliseconds(1)) } ?? 0
                    next = pause > 0 && open.isEmpty ? nil : time + pause
                }
                if starts.count < fates.count, let due = next, due <= time {
                    starts.append(time)
                    open.append(starts.count - 1)
                    next = delay.map { time + $0 }
                }
            }
            while starts.count < fates.count, let due = next, due <= time {
                starts.append(time)
                open.append(starts.count - 1)
                next = delay.map { time + $0 }
            }
            if open.isEmpty, starts.count == fates.count || next == nil {
                return Result(winner: lastFailure, time: time, starts: starts)
            }
            time += 1
        }
    }

    @Test("The rules are those of the model, in a million calls of random attempts in full drills", .seeded)
    func random() {
        let count = Drill.isFull ? 1_000_000 : 100_000
        var calls = 0
        let random = Seed.numbers()
        func draw(_ count: UInt64) -> Int { Int(random.next() % count) }
        for call in 0..<count {
            let fates = (0..<(1 + draw(4))).map { _ in
                Fate(
                    latency: 1 + draw(60),
                    outcome: draw(3) > 0 ? .final : .nonFatal(pushback: draw(3) == 0 ? .milliseconds(draw(40)) : nil)
                )
            }
            let delay = draw(8) == 0 ? nil : 1 + draw(50)
            let one = Self.run(fates, delay: delay)
            let two = Self.model(fates, delay: delay)
            #expect(one == two, "call \(call): \(fates), delay \(delay ?? -1)")
            if one != two { return }
            calls += 1
        }
        #expect(calls == count)
    }

    static let rows: [(name: String, fates: [Fate], delay: Int?, result: Result)] = [
        (
            "a fast answer has no second attempt",
            [.init(latency: 5, outcome: .final), .init(latency: 5, outcome: .final)], 10,
            .init(winner: 0, time: 5, starts: [0])
        ),
        (
            "a slow one has one, which wins",
            [.init(latency: 100, outcome: .final), .init(latency: 5, outcome: .final)], 10,
            .init(winner: 1, time: 15, starts: [0, 10])
        ),
        (
            "or loses", [.init(latency: 12, outcome: .final), .init(latency: 5, outcome: .final)], 10,
            .init(winner: 0, time: 12, starts: [0, 10])
        ),
        (
            "a failure has another at once",
            [.init(latency: 3, outcome: .nonFatal(pushback: nil)), .init(latency: 5, outcome: .final)], 10,
            .init(winner: 1, time: 8, starts: [0, 3])
        ),
        (
            "the last of several failures is the result",
            [
                .init(latency: 3, outcome: .nonFatal(pushback: nil)),
                .init(latency: 5, outcome: .nonFatal(pushback: nil)),
            ], 10, .init(winner: 1, time: 8, starts: [0, 3])
        ),
        (
            "a push-back ends it when nothing else is in flight",
            [.init(latency: 3, outcome: .nonFatal(pushback: .milliseconds(1))), .init(latency: 5, outcome: .final)], 10,
            .init(winner: 0, time: 3, starts: [0])
        ),
        (
            "without a delay only failures lead to another",
            [.init(latency: 500, outcome: .final), .init(latency: 5, outcome: .final)], nil,
            .init(winner: 0, time: 500, starts: [0])
        ),
    ]

    @Test("The rules are those of the table", arguments: 0..<rows.count)
    func table(index: Int) {
        let row = Self.rows[index]
        #expect(Self.run(row.fates, delay: row.delay) == row.result, "\(row.name)")
    }

    @Test("The quantile is within 9 % of that of all latencies, and follows when they change", .seeded)
    func quantile() throws {
        let random = Seed.numbers()
        var quantile = LatencyQuantile()
        #expect(quantile.value(0.95) == nil)
        for scale in [1.0, 50, 0.01] {
            var all: [Double] = []
            for index in 0..<4000 {
                let seconds = scale * 0.01 * (0.2 + random.double(in: 0...1) * random.double(in: 0...10))
                quantile.record(.nanoseconds(Int64(seconds * 1e9)))
                // The generations that it still knows.
                if index >= 2000 { all.append(seconds) }
            }
            all.sort()
            for share in [0.5, 0.9, 0.95, 0.99] {
                let found = try #require(quantile.value(share))
                let exact = all[Int((share * Double(all.count)).rounded(.up)) - 1]
                let ratio =
                    Double(found.components.attoseconds) * 1e-18 / exact + Double(found.components.seconds) / exact
                #expect((0.9...1.2).contains(ratio), "\(share) of \(scale): \(ratio)")
            }
        }
    }
}
#endif
