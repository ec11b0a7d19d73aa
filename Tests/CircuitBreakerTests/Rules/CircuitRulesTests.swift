#if AllTests
import HTTPChainCircuitBreaker
import HTTPChainCore
import HTTPChainTesting
import TestSupport
import Testing

@Suite("The rules of a circuit", .timeLimit(.minutes(10)))
struct CircuitRulesTests {
    /// A circuit with its clock.
    struct Bench {
        var rules: CircuitRules
        var now = Duration.zero
        let random = SeededRandom(seed: 1)

        init(_ policy: CircuitBreakerPolicy) { rules = CircuitRules(policy) }

        mutating func admit() -> CircuitRules.Permit? { try? rules.admit(at: now, random: random).get() }

        mutating func admitted() throws -> CircuitRules.Permit { try rules.admit(at: now, random: random).get() }

        mutating func refusal() -> CircuitRules.Refusal? {
            if case .failure(let refusal) = rules.admit(at: now, random: random) { refusal } else { nil }
        }

        mutating func end(
            _ permit: CircuitRules.Permit?,
            _ outcome: CircuitRules.Outcome,
            taking duration: Duration? = nil,
            pushback: Duration? = nil
        ) throws {
            rules.record(try #require(permit), outcome, taking: duration, pushback: pushback, at: now, random: random)
        }

        mutating func call(_ outcome: CircuitRules.Outcome, taking duration: Duration? = nil, pushback: Duration? = nil)
            throws
        {
            try end(admit(), outcome, taking: duration, pushback: pushback)
        }

        mutating func state() -> CircuitState {
            rules.advance(to: now, random: random)
            return rules.state
        }
    }

    @Test(
        "A failure rate opens the circuit from the minimum of calls on",
        arguments: [
            // successes, then failures: does the last of them open?
            (90, 9, false), (90, 10, true), (89, 10, false), (900, 99, false), (900, 100, true), (0, 99, false),
            (0, 100, true),
        ]
    )
    func rate(successes: Int, failures: Int, opens: Bool) throws {
        var bench = Bench(plainPolicy())
        for _ in 0..<successes { try bench.call(.success) }
        for index in 0..<failures {
            #expect(bench.rules.state == .closed, "failure \(index)")
            try bench.call(.failure)
        }
        #expect((bench.rules.state != .closed) == opens)
        #expect(bench.rules.state == (opens ? .open(until: .seconds(5)) : .closed))
    }

    @Test("What is older than the window does not count")
    func window() throws {
        var bench = Bench(plainPolicy())
        for _ in 0..<99 { try bench.call(.failure) }
        bench.now = .seconds(29)
        #expect(bench.rules.state == .closed)
        bench.now = .seconds(33)
        for _ in 0..<9 { try bench.call(.failure) }
        #expect(bench.rules.state == .closed)
        for _ in 0..<91 { try bench.call(.failure) }
        #expect(bench.rules.state != .closed)
    }

    @Test("A window of calls forgets the oldest call with each new one")
    func callWindow() throws {
        var bench = Bench(
            plainPolicy {
                $0.window = .calls(10)
                $0.minimumCalls = 10
                $0.failureRate = 0.5
            }
        )
        for _ in 0..<4 { try bench.call(.failure) }
        for _ in 0..<6 { try bench.call(.success) }
        for _ in 0..<3 { try bench.call(.success) }
        for _ in 0..<3 { try bench.call(.failure) }
        #expect(bench.rules.state == .closed)
        for _ in 0..<1 { try bench.call(.failure) }
        #expect(bench.rules.state == .closed)
        try bench.call(.failure)
        #expect(bench.rules.state != .closed)
    }

    @Test(
        "A window of fewer calls than the minimum opens the circuit when it is full",
        arguments: [(50, 100, 50), (200_000, 150_000, 100_000), (.min, 100, 1), (50, .min, 1)]
    )
    func minimumBeyondWindow(window: Int, minimum: Int, opensAt: Int) throws {
        var bench = Bench(
            plainPolicy {
                $0.window = .calls(window)
                $0.minimumCalls = minimum
            }
        )
        for _ in 1..<opensAt { try bench.call(.failure) }
        #expect(bench.rules.state == .closed)
        try bench.call(.failure)
        #expect(bench.rules.state != .closed)
    }

    @Test(
        "A rate out of range counts as the nearest valid one, and one that is not a number as the default",
        arguments: [(10, 0, true), (10, 1, false), (-1, 99, true), (.nan, 90, true), (.nan, 91, false)]
            as [(Double, Int, Bool)]
    )
    func rates(rate: Double, successes: Int, opens: Bool) throws {
        var bench = Bench(plainPolicy { $0.failureRate = rate })
        for _ in 0..<successes { try bench.call(.success) }
        for _ in successes..<100 { try bench.call(.failure) }
        #expect((bench.rules.state != .closed) == opens)
    }

    @Test(
        "A rate of slow calls out of range counts as the nearest valid one, and one that is not a number as the default",
        arguments: [(10, 0, true), (10, 1, false), (-1, 99, true), (.nan, 50, true), (.nan, 51, false)]
            as [(Double, Int, Bool)]
    )
    func slowRates(rate: Double, quick: Int, opens: Bool) throws {
        var bench = Bench(plainPolicy { $0.slowCalls = .init(over: .milliseconds(100), rate: rate) })
        for _ in 0..<quick { try bench.call(.success, taking: .milliseconds(1)) }
        for _ in quick..<100 { try bench.call(.success, taking: .milliseconds(101)) }
        #expect((bench.rules.state != .closed) == opens)
    }

    @Test("The summary has the numbers that apply")
    func summary() {
        var policy = CircuitBreakerPolicy()
        policy.window = .calls(50)
        policy.failureRate = 10
        policy.probes = 5_000
        policy.slowCalls = .init(over: .seconds(1), rate: .nan)
        let settings = CircuitBreakerMiddleware(policy).stageSummary.settings
        #expect(settings.first { $0.name == "opens at" }?.value == "1.0 of 50 or more calls, 0.5 over 1.0 s")
        #expect(settings.first { $0.name == "probes" }?.value == "1000")
    }

    @Test("What is neither success nor failure does not count, and does not end a row of failures")
    func neither() throws {
        var bench = Bench(plainPolicy { $0.consecutiveFailures = 3 })
        for _ in 0..<500 { try bench.call(.neither) }
        for _ in 0..<2 { try bench.call(.failure) }
        try bench.call(.neither)
        #expect(bench.rules.state == .closed)
        try bench.call(.failure)
        #expect(bench.rules.state != .closed)
    }

    @Test("A success ends a row of failures")
    func row() throws {
        var bench = Bench(.consecutive(failures: 3))
        for _ in 0..<50 {
            try bench.call(.failure)
            try bench.call(.failure)
            try bench.call(.success)
        }
        #expect(bench.rules.state == .closed)
    }

    @Test(
        "Slow calls open the circuit, calls that take the threshold exactly do not",
        arguments: [(100, false), (101, true)]
    )
    func slow(milliseconds: Int, opens: Bool) throws {
        var bench = Bench(
            plainPolicy {
                $0.slowCalls = .init(over: .milliseconds(100), rate: 0.5)
                $0.minimumCalls = 10
            }
        )
        for _ in 0..<5 { try bench.call(.success, taking: .milliseconds(1)) }
        for _ in 0..<5 { try bench.call(.success, taking: .milliseconds(milliseconds)) }
        #expect((bench.rules.state != .closed) == opens)
    }

    @Test("The time to stay open doubles with each failed probe up to its cap, and begins anew after a good time")
    func growth() throws {
        var bench = Bench(plainPolicy { $0.consecutiveFailures = 1 })
        try bench.call(.failure)
        for seconds in [5, 10, 20, 40, 60, 60] {
            #expect(bench.refusal()?.wait == .seconds(seconds))
            bench.now += .seconds(seconds)
            try bench.call(.failure)
        }
        bench.now += .seconds(60)
        try bench.call(.success)
        #expect(bench.rules.state == .closed)
        // It fails again at once: a server that only answers probes is not well.
        try bench.call(.failure)
        #expect(bench.refusal()?.wait == .seconds(60))
        bench.now += .seconds(60)
        try bench.call(.success)
        bench.now += .seconds(60)
        try bench.call(.failure)
        #expect(bench.refusal()?.wait == .seconds(5))
    }

    @Test("Chance spreads the time to stay open evenly within its share", .seeded)
    func jitter() {
        let times = CircuitOpenTime(base: .seconds(10), cap: .seconds(60), jitter: 0.2)
        let random = Seed.numbers()
        let drawn = (0..<10_000).map { _ in times.duration(ofOpening: 1, random: random) }
        #expect(drawn.allSatisfy { $0 >= .seconds(8) && $0 <= .seconds(12) })
        for cell in 0..<8 {
            let low = Duration.milliseconds(8000 + 500 * cell)
            let share = drawn.count { $0 >= low && $0 < low + .milliseconds(500) }
            #expect((1050...1450).contains(share), "\(low)")
        }
    }

    @Test("As many probes pass as the policy says, and as many successes close the circuit")
    func probes() throws {
        var bench = Bench(
            plainPolicy {
                $0.consecutiveFailures = 1
                $0.probes = 3
            }
        )
        try bench.call(.failure)
        #expect(bench.refusal()?.reason == .failures)
        bench.now = .seconds(5)
        let first = bench.admit()
        let second = bench.admit()
        let third = bench.admit()
        #expect([first, second, third].allSatisfy { $0?.isProbe == true })
        #expect(bench.refusal() == .init(reason: .probing, wait: nil))
        try bench.end(first, .success)
        #expect(bench.refusal() != nil, "a place is taken by a success as well")
        try bench.end(second, .success)
        #expect(bench.rules.state == .halfOpen)
        try bench.end(third, .success)
        #expect(bench.rules.state == .closed)
    }

    @Test("A probe that is cancelled, or says nothing, gives its place to another")
    func cancelledProbe() throws {
        var bench = Bench(plainPolicy { $0.consecutiveFailures = 1 })
        try bench.call(.failure)
        bench.now = .seconds(5)
        for _ in 0..<1000 {
            let probe = bench.admit()
            #expect(probe?.isProbe == true)
            #expect(bench.admit() == nil)
            try bench.end(probe, .neither)
        }
        try bench.call(.success)
        #expect(bench.rules.state == .closed)
    }

    @Test("A probe that never ends has failed after its time, and its late result changes nothing")
    func stuckProbe() throws {
        var bench = Bench(plainPolicy { $0.consecutiveFailures = 1 })
        try bench.call(.failure)
        bench.now = .seconds(5)
        let probe = bench.admit()
        bench.now = .seconds(34)
        #expect(bench.state() == .halfOpen)
        bench.now = .seconds(35)
        #expect(bench.state() == .open(until: .seconds(45)))
        try bench.end(probe, .success)
        #expect(bench.state() == .open(until: .seconds(45)))
        bench.now = .seconds(45)
        try bench.call(.success)
        #expect(bench.rules.state == .closed)
    }

    @Test("The results of calls that began before the circuit opened do not judge it afterwards")
    func lateResults() throws {
        var bench = Bench(plainPolicy { $0.consecutiveFailures = 1 })
        let late = (0..<3).map { _ in bench.admit() }
        try bench.call(.failure)
        try bench.end(late[0], .success)
        bench.now = .seconds(5)
        let probe = bench.admit()
        try bench.end(late[1], .failure)
        #expect(bench.rules.state == .halfOpen)
        try bench.end(probe, .success)
        try bench.end(late[2], .failure)
        #expect(bench.rules.state == .closed)
    }

    @Test("A probe whose body breaks opens the circuit that its head closed, within the time of a probe")
    func brokenProbe() throws {
        var bench = Bench(plainPolicy { $0.consecutiveFailures = 1 })
        try bench.call(.failure)
        bench.now = .seconds(5)
        var probe = try bench.admitted()
        try bench.end(probe, .success)
        #expect(bench.rules.state == .closed)
        bench.now = .seconds(7)
        bench.rules.recordLateFailure(probe, at: bench.now, random: bench.random)
        // Longer than before: a server that only begins its answers is not well.
        #expect(bench.state() == .open(until: .seconds(17)))
        #expect(bench.rules.takeChanges().last?.cause == .probeFailed)
        // What it says later belongs to a state that is over.
        bench.rules.recordLateFailure(probe, at: bench.now, random: bench.random)
        #expect(bench.state() == .open(until: .seconds(17)))
        bench.now = .seconds(17)
        probe = try bench.admitted()
        try bench.end(probe, .success)
        bench.rules.close(at: bench.now)
        bench.rules.recordLateFailure(probe, at: bench.now, random: bench.random)
        #expect(bench.rules.state == .closed, "somebody closed it by hand since")
    }

    @Test("A probe whose body breaks later than a probe may take is a failure like any other")
    func lateBrokenProbe() throws {
        var bench = Bench(plainPolicy { $0.consecutiveFailures = 2 })
        for _ in 0..<2 { try bench.call(.failure) }
        bench.now = .seconds(5)
        let probe = try bench.admitted()
        try bench.end(probe, .success)
        bench.now = .seconds(35)
        bench.rules.recordLateFailure(probe, at: bench.now, random: bench.random)
        #expect(bench.rules.state == .closed)
        try bench.call(.failure)
        #expect(bench.rules.state != .closed)
    }

    @Test("The body of a probe that breaks while others are awaited opens the circuit")
    func brokenProbeOfSeveral() throws {
        var bench = Bench(
            plainPolicy {
                $0.consecutiveFailures = 1
                $0.probes = 2
            }
        )
        try bench.call(.failure)
        bench.now = .seconds(5)
        let probe = try bench.admitted()
        try bench.end(probe, .success)
        bench.rules.recordLateFailure(probe, at: bench.now, random: bench.random)
        #expect(bench.state() == .open(until: .seconds(15)))
    }

    @Test(
        "Retry-After opens the circuit for that long, up to the limit",
        arguments: [(Duration.seconds(30), 30 as Int?), (.seconds(7200), 300), (.zero, nil)]
    )
    func pushback(asked: Duration, seconds: Int?) throws {
        var bench = Bench(plainPolicy())
        try bench.call(.neither, pushback: asked)
        #expect(bench.refusal()?.wait == seconds.map { .seconds($0) })
        if let seconds {
            #expect(bench.refusal()?.reason == .serverAsked)
            bench.now = .seconds(seconds)
            #expect(bench.admit()?.isProbe == true)
        }
    }

    @Test("A shorter Retry-After does not shorten the time a circuit stays open, a longer one lengthens it")
    func pushbackWhileOpen() throws {
        var bench = Bench(plainPolicy { $0.consecutiveFailures = 1 })
        let first = bench.admit()
        let second = bench.admit()
        try bench.call(.failure)
        try bench.end(first, .neither, pushback: .seconds(1))
        #expect(bench.refusal()?.wait == .seconds(5))
        try bench.end(second, .neither, pushback: .seconds(9))
        #expect(bench.refusal()?.wait == .seconds(9))
    }

    @Test("By hand a circuit is opened, closed and isolated")
    func manual() throws {
        var bench = Bench(plainPolicy())
        bench.rules.open(for: .seconds(3), at: bench.now, random: bench.random)
        #expect(bench.refusal() == .init(reason: .opened, wait: .seconds(3)))
        bench.now = .seconds(3)
        #expect(bench.state() == .halfOpen)
        bench.rules.isolate()
        bench.now = .seconds(100_000)
        #expect(bench.refusal() == .init(reason: .isolated, wait: nil))
        bench.rules.close(at: bench.now)
        #expect(bench.state() == .closed)
        #expect(bench.rules.takeChanges().map(\.to) == [.open(until: .seconds(3)), .halfOpen, .isolated, .closed])
        #expect(bench.rules.takeChanges().isEmpty)
    }

    @Test("A policy of numbers that make no sense does not trap")
    func nonsense() throws {
        var policy = CircuitBreakerPolicy()
        policy.window = .time(.seconds(-5))
        policy.minimumCalls = -4
        policy.failureRate = .nan
        policy.consecutiveFailures = -1
        policy.openTimes = CircuitOpenTime(base: .seconds(Int64.max), cap: .seconds(-1), jitter: .infinity)
        policy.probes = .min
        policy.probeTimeout = .seconds(-1)
        var bench = Bench(policy)
        for step in 0..<100 {
            bench.now += .seconds(step)
            if let permit = bench.admit() {
                try bench.end(permit, .failure, taking: .seconds(1), pushback: .seconds(Int64.max / 4))
            }
        }
        policy.window = .calls(.min)
        bench = Bench(policy)
        try bench.call(.failure)
    }
}
#endif
