#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainRateLimit
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@Suite("The rules of a rate limit", .timeLimit(.minutes(10)))
struct RuleTests {
    /// A token bucket as textbooks have it, in whole microseconds: it holds time, and a token costs so much of it.
    struct Bucket {
        let cost: Int64
        let capacity: Int64
        var level: Int64
        var last: Int64 = 0

        init(_ limit: RateLimit) {
            cost = Int64(limit.period / .microseconds(1)) / Int64(limit.count)
            capacity = cost * Int64(limit.burst)
            level = capacity
        }

        mutating func refill(_ now: Int64) {
            level = min(capacity, level + max(0, now - last))
            last = max(last, now)
        }

        func wait(_ tokens: Int) -> Int64 { max(0, min(capacity, cost * Int64(tokens)) - level) }
    }

    static let sets: [[RateLimit]] = [
        [RateLimit(10, per: .seconds(1))],
        [RateLimit(100, per: .seconds(1), burst: 5), RateLimit(50, per: .seconds(10))],
        [RateLimit(1, per: .milliseconds(30), burst: 1)],
        [
            RateLimit(4, per: .milliseconds(8)), RateLimit(1000, per: .seconds(5), burst: 20),
            RateLimit(2, per: .milliseconds(20)),
        ],
    ]

    /// What a server tells of its limits, from the documentation: for each policy and partition key what is left and until
    /// when, in microseconds.
    struct Told {
        struct Rest {
            var left: Int
            var until: Int64
        }

        var rests: [String: [String: Rest]] = [:]
        /// The partitions that the server named last.
        var latest: [String: Set<String>] = [:]
        var pause: Int64 = 0
        var unanswered = 0

        func wait(_ tokens: Int, _ now: Int64) -> Int64 {
            guard tokens > 0 else { return 0 }
            let spent = rests.values.flatMap(\.values).filter { $0.left <= 0 }
            return max(0, ([pause] + spent.map(\.until)).map { $0 - now }.max() ?? 0)
        }

        /// A call goes, or is given back.
        mutating func count(_ calls: Int) {
            for (policy, partitions) in latest {
                for partition in partitions { rests[policy]?[partition]?.left -= calls }
            }
        }

        mutating func learn(_ limits: ServerLimits, _ now: Int64) {
            if let time = limits.pause { pause = max(pause, now + Int64(time / .microseconds(1))) }
            for (policy, quotas) in Dictionary(grouping: limits.quotas, by: \.policy) {
                latest[policy] = Set(quotas.map(\.partition))
                for quota in quotas {
                    let until = now + Int64(quota.reset / .microseconds(1))
                    var rest = Rest(left: max(0, quota.remaining - unanswered), until: until)
                    if let old = rests[policy]?[quota.partition], old.until > now, abs(old.until - until) < 2_000_000 {
                        rest.left = min(rest.left, old.left)
                    }
                    rests[policy, default: [:]][quota.partition] = rest
                }
            }
        }
    }

    private static func randomLimits(_ random: some RandomSource) -> ServerLimits {
        var limits = ServerLimits()
        if random.next() % 50 == 0 { limits.pause = .microseconds(Int64(random.next() % 500_000)) }
        for _ in 0..<(random.next() % 3) {
            limits.quotas.append(
                .init(
                    policy: ["burst", "day"][Int(random.next() % 2)],
                    partition: ["", "one", "two"][Int(random.next() % 3)],
                    remaining: Int(random.next() % 30),
                    reset: .microseconds(Int64(random.next() % (random.next() % 20 == 0 ? 3_000_000 : 200_000)))
                )
            )
        }
        return limits
    }

    @Test(
        "The rules are those of a token bucket and of what the server told, in a million random steps",
        .seeded,
        arguments: 0..<4
    )
    func model(index: Int) {
        let limits = Self.sets[index]
        let random = Seed.numbers(UInt64(index))
        var rules = RateLimitRules(limits)
        var buckets = limits.map(Bucket.init)
        var told = Told()
        var now: Int64 = 0
        var (steps, passed, learned, servers) = (0, 0, 0, 0)
        for step in 0..<Drill.steps {
            now += Int64(random.next() % (random.next() % 100 == 0 ? 2_000_000 : 20_000))
            for position in buckets.indices { buckets[position].refill(now) }
            let tokens = Int(random.next() % 4)
            if told.unanswered > 0 {
                switch random.next() % 50 {
                case 0:
                    rules.giveBack(1)
                    told.unanswered -= 1
                    told.count(-1)
                    // More than a bucket holds cannot be given back.
                    for position in buckets.indices {
                        buckets[position].level = min(
                            buckets[position].capacity,
                            buckets[position].level + buckets[position].cost
                        )
                    }
                case 1...25:
                    rules.finish()
                    told.unanswered -= 1
                case 26:
                    rules.finish()
                    told.unanswered -= 1
                    let limits = Self.randomLimits(random)
                    rules.learn(limits, at: .microseconds(now))
                    told.learn(limits, now)
                    learned += limits.quotas.count
                default: break
                }
            }
            let server = told.wait(tokens, now)
            let expected = max(server, buckets.map { $0.wait(tokens) }.max() ?? 0)
            let instant = Duration.microseconds(now)
            let isSame =
                rules.wait(for: tokens, at: instant) == .microseconds(expected)
                && rules.serverWait(for: tokens, at: instant) == .microseconds(server)
                && rules.unanswered == told.unanswered
            #expect(isSame, "step \(step)")
            guard isSame else { return }
            if server > 0 { servers += 1 }
            let isReady = rules.takeIfReady(tokens, at: instant)
            #expect(isReady == (expected == 0), "step \(step)")
            if isReady {
                told.unanswered += 1
                if tokens > 0 { told.count(1) }
                for position in buckets.indices {
                    buckets[position].level -= min(buckets[position].capacity, buckets[position].cost * Int64(tokens))
                }
                passed += 1
            }
            steps += 1
        }
        #expect(steps == Drill.steps)
        #expect(passed > 10_000)
        #expect(learned > Drill.steps / 2_000 && servers > Drill.steps / 200, "\(learned) \(servers)")
    }

    @Test("A limit of numbers that make no sense does not trap")
    func nonsense() {
        for count in [Int.min, 0, 1, Int.max] {
            for period in [Duration.seconds(Int64.min), .zero, .seconds(Int64.max)] {
                let limit = RateLimit(count, per: period, burst: count)
                var rules = RateLimitRules([limit, limit])
                for tokens in [Int.min, 0, 1, Int.max] {
                    rules.take(tokens, at: .seconds(5))
                    #expect(rules.wait(for: tokens, at: .seconds(6)) >= .zero)
                    rules.enqueue(tokens)
                    #expect(rules.waitInQueue(for: tokens, at: .seconds(6)) >= .zero)
                    rules.giveBack(tokens)
                }
            }
        }
    }

    @Test("Each call in a queue takes no more than the bucket holds")
    func queue() {
        var rules = RateLimitRules([
            RateLimit(10, per: .milliseconds(100)), RateLimit(100, per: .milliseconds(100), burst: 20),
        ])
        rules.take(.max, at: .zero)
        #expect(rules.waitInQueue(for: 1_000, at: .zero) == .milliseconds(100))
        for weight in [1_000, .max, 3] { rules.enqueue(weight) }
        #expect(rules.waitInQueue(for: 1, at: .zero) == .milliseconds(240))
        rules.dequeue(.max)
        #expect(rules.waitInQueue(for: 1, at: .zero) == .milliseconds(140))
        for weight in [1_000, 3] { rules.dequeue(weight) }
        #expect(rules.waitInQueue(for: 1, at: .zero) == .milliseconds(10))
    }

    @Test("The turn passes in the order of arrival, and each waiter is offered it once, however many leave together")
    func turns() {
        var queue = TurnQueue<Int>()
        var offers: [Int] = []
        var leaving = Set<Int>()
        func pass() {
            queue.passTurn { waiter in
                offers.append(waiter)
                return !leaving.contains(waiter)
            }
        }
        let ids = (0..<1_000).map { waiter in
            let id = queue.join(waiter)
            pass()
            return id
        }
        #expect(offers == [0])
        #expect(queue.withoutTurn.sorted() == Array(1..<1_000))
        // All but the last leave, a waiting one first, and each passes the turn on.
        leaving = Set(0..<999)
        for waiter in [500] + (0..<999).filter({ $0 != 500 }) {
            queue.leave(ids[waiter])
            pass()
        }
        #expect(offers == (0..<1_000).filter { $0 != 500 })
        #expect(queue.count == 1 && queue.withoutTurn.isEmpty)
        queue.leave(ids[999])
        pass()
        #expect(queue.isEmpty && offers.count == 999)
        _ = queue.join(1_000)
        pass()
        #expect(offers.last == 1_000 && queue.withoutTurn.isEmpty)
    }

    static let now = Date(timeIntervalSince1970: 1_700_000_000)

    /// Fields, and what they say: policy, partition, remaining, reset in seconds.
    static let rows: [(fields: [String: String], quotas: [(String, String, Int, Double)])] = [
        (["RateLimit": #""default";r=50;t=30"#], [("default", "", 50, 30)]),
        (
            ["RateLimit": #""burst";r=0;t=1, "day";r=999;t=3600;pk=:dXNlcg==:"#],
            [("burst", "", 0, 1), ("day", "dXNlcg==", 999, 3600)]
        ),
        (["RateLimit": #""a";r=3"#, "RateLimit-Policy": #""a";q=10;w=60"#], [("a", "", 3, 60)]),
        (["RateLimit": #""a";r=3"#], []), (["RateLimit": #""a";t=3"#], []),
        (["RateLimit": #""a";r=-1;t=3"#], [("a", "", 0, 3)]),
        (["RateLimit": "limit=100, remaining=7, reset=12"], [("", "", 7, 12)]),
        (["RateLimit": "garbage;;;"], []), (["RateLimit": ""], []),
        (
            ["RateLimit-Remaining": "7", "RateLimit-Reset": "12", "RateLimit-Limit": "100"],
            [("ratelimit-remaining", "", 7, 12)]
        ),
        (["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1700000060"], [("x-ratelimit-remaining", "", 0, 60)]),
        (
            ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1700000060500"],
            [("x-ratelimit-remaining", "", 0, 60.5)]
        ),
        (["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1500000000"], [("x-ratelimit-remaining", "", 0, 0)]),
        (
            ["X-RateLimit-Remaining": "3", "X-RateLimit-Reset": "9", "X-RateLimit-Reset-After": "1.25"],
            [("x-ratelimit-remaining", "", 3, 1.25)]
        ),
        (["X-Rate-Limit-Remaining": "2", "X-Rate-Limit-Reset": "1700000005"], [("x-rate-limit-remaining", "", 2, 5)]),
        (
            ["X-RateLimit-Remaining": "0.5", "X-RateLimit-Reset": "Tue, 14 Nov 2023 22:13:30 GMT"],
            [("x-ratelimit-remaining", "", 0, 10)]
        ),
        (
            ["X-RateLimit-Remaining-Requests": "9", "X-RateLimit-Reset-Requests": "6m0.5s"],
            [("x-ratelimit-remaining-requests", "", 9, 360.5)]
        ),
        (
            ["X-RateLimit-Remaining-Tokens": "9", "X-RateLimit-Reset-Tokens": "20ms"],
            [("x-ratelimit-remaining-tokens", "", 9, 0.02)]
        ),
        (
            [
                "Anthropic-RateLimit-Requests-Remaining": "4",
                "Anthropic-RateLimit-Requests-Reset": "2023-11-14T22:13:50Z",
            ],
            [("anthropic-ratelimit-requests-remaining", "", 4, 30)]
        ),
        (["X-RateLimit-Remaining": "nan", "X-RateLimit-Reset": "5"], []),
        (["X-RateLimit-Remaining": "5", "X-RateLimit-Reset": "inf"], []),
        (
            ["X-RateLimit-Remaining": "1e300", "X-RateLimit-Reset": "1e300"],
            [("x-ratelimit-remaining", "", 1_000_000_000_000_000, 86_400)]
        ),
        (["X-RateLimit-Remaining": "5"], []), ([:], []),
    ]

    @Test("The rules read what servers write", arguments: 0..<rows.count)
    func fields(index: Int) {
        let (fields, expected) = Self.rows[index]
        var head = HTTPResponse(status: .ok)
        for (name, value) in fields { if let name = HTTPField.Name(name) { head.headerFields[name] = value } }
        let limits = ServerLimits(head, now: Self.now)
        #expect(limits.quotas.map(\.policy) == expected.map(\.0), "\(fields)")
        #expect(limits.quotas.map(\.partition) == expected.map(\.1), "\(fields)")
        #expect(limits.quotas.map(\.remaining) == expected.map(\.2), "\(fields)")
        #expect(limits.quotas.map(\.reset) == expected.map { .milliseconds(Int($0.3 * 1000)) }, "\(fields)")
    }

    @Test(
        "The rules read resets that are dates by the server's clock, whatever the local one says",
        arguments: [-86_400, -600, 0, 600, 86_400],
        ["1700000005", "1700000005000", "Tue, 14 Nov 2023 22:13:25 GMT", "2023-11-14T22:13:25Z", "5", "5s"]
    )
    func skew(offset: Int, reset: String) {
        var head = HTTPResponse(status: .ok)
        head.headerFields[.date] = "Tue, 14 Nov 2023 22:13:20 GMT"
        if let remaining = HTTPField.Name("X-RateLimit-Remaining"), let name = HTTPField.Name("X-RateLimit-Reset") {
            head.headerFields[remaining] = "0"
            head.headerFields[name] = reset
        }
        let limits = ServerLimits(head, now: Self.now.addingTimeInterval(Double(offset)))
        #expect(limits.quotas.map(\.reset) == [.seconds(5)])
    }

    @Test("The rules count what is left down with each call, those in flight included")
    func countsDown() {
        var rules = RateLimitRules([])
        for _ in 0..<3 { rules.take(1, at: .zero) }
        var limits = ServerLimits()
        limits.quotas = [.init(policy: "", partition: "", remaining: 4, reset: .seconds(10))]
        rules.finish()
        rules.learn(limits, at: .seconds(1))
        // Two are in flight, of which the server knows nothing yet: two of four are left.
        for _ in 0..<2 {
            #expect(rules.wait(for: 1, at: .seconds(1)) == .zero)
            rules.take(1, at: .seconds(1))
        }
        #expect(rules.wait(for: 1, at: .seconds(1)) == .seconds(10))
        #expect(rules.wait(for: 0, at: .seconds(1)) == .zero)
        #expect(rules.wait(for: 1, at: .seconds(11)) == .zero)
    }

    @Test("The rules believe the smaller of two answers of one window, and the later of two windows")
    func overtaking() {
        var rules = RateLimitRules([])
        func learn(_ remaining: Int, _ reset: Int, at now: Int) {
            var limits = ServerLimits()
            limits.quotas = [.init(policy: "p", partition: "", remaining: remaining, reset: .seconds(reset))]
            rules.learn(limits, at: .seconds(now))
        }
        learn(0, 10, at: 0)
        learn(1, 9, at: 1)
        #expect(rules.wait(for: 1, at: .seconds(1)) == .seconds(9))
        learn(5, 10, at: 10)
        #expect(rules.wait(for: 1, at: .seconds(10)) == .zero)
    }

    /// What a server tells of two partition keys of one policy, and how long a call waits then, in seconds.
    static let partitions: [(name: String, told: [[(key: String, left: Int, reset: Int)]], taken: Int, wait: Int)] = [
        ("one key with something left", [[("one", 2, 10)]], 0, 0), ("one key that is spent", [[("one", 0, 10)]], 0, 10),
        ("another key says nothing about a spent one", [[("one", 0, 10)], [("two", 5, 20)]], 0, 10),
        ("the same key again does", [[("one", 0, 10)], [("two", 5, 20)], [("one", 3, 40)]], 0, 0),
        ("two keys in one answer", [[("one", 3, 10), ("two", 0, 20)]], 0, 20),
        ("both spent, the longer counts", [[("one", 0, 30), ("two", 0, 20)]], 0, 30),
        ("calls count against the key that was named last", [[("one", 1, 30)], [("two", 2, 20)]], 2, 20),
        ("and not against the other", [[("one", 1, 30)], [("two", 9, 20)]], 2, 0),
        ("calls count against both keys of one answer", [[("one", 9, 30), ("two", 2, 20)]], 2, 20),
    ]

    @Test("The rules keep what is left of each partition key of a policy apart", arguments: 0..<partitions.count)
    func partitionKeys(index: Int) {
        let row = Self.partitions[index]
        var rules = RateLimitRules([])
        for quotas in row.told {
            var limits = ServerLimits()
            limits.quotas = quotas.map {
                .init(policy: "p", partition: $0.key, remaining: $0.left, reset: .seconds($0.reset))
            }
            rules.learn(limits, at: .zero)
        }
        for _ in 0..<row.taken {
            let isTaken = rules.takeIfReady(1, at: .zero)
            #expect(isTaken, "\(row.name)")
        }
        #expect(rules.wait(for: 1, at: .zero) == .seconds(row.wait), "\(row.name)")
    }
}
#endif
