import Foundation
import HTTPChainCircuitBreaker
import HTTPChainConcurrencyLimit
import HTTPChainCore
import HTTPChainHedging
import HTTPChainLoadShedding
import HTTPChainRateLimit

/// Clients, servers and time as values: the rules of the stages under an open-loop load.
///
/// Calls come when they come, whether those before were answered or not. A server works on what it was given, whether
/// somebody still waits for it or not. There are no tasks, and the same seed gives the same run.
package struct Simulation {
    private typealias Answer = SimulationEvent.Answer

    private struct Call {
        let client: Int
        let start: Double
        var attempts: [Int] = []
        var isOver = false
        var failures = 0
        var hedges: HedgeRules?
    }

    private struct Attempt {
        let call: Int
        let server: Int
        let index: Int
        var sent = 0.0
        var inFlight = 0
        var work = 0.0
        var permit: CircuitRules.Permit?
        var isQueued = false
        /// Whether the limit of the rate let it go, and has no answer yet.
        var hasToken = false
        var isOver = false
    }

    private struct ServerState {
        var usual: Scenario.Server
        var now: Scenario.Server
        var busy = 0
        var queue: [Int] = []
        var head = 0
        var hanging = 0
        /// The calls of each client in the current second.
        var taken: [Int]
        var second = -1
        var waiting: Int { queue.count - head }
    }

    /// What a client knows of one server.
    private struct Gate {
        var rule: (any ConcurrencyRule)?
        var inFlight = 0
        var queue: [Int] = []
        var breaker: CircuitRules?
        var shedding: SheddingRules?
        var rate: RateLimitRules?
        /// Attempts that wait for the rate.
        var turns: [Int] = []
    }

    private static let network = 0.001

    private let scenario: Scenario
    private let policy: ClientPolicy
    private let random: Generator
    private let events = EventQueue()
    private var now = 0.0
    private var calls: [Call] = []
    private var attempts: [Attempt] = []
    private var servers: [ServerState]
    private var gates: [[Gate]]
    private var quantiles: [LatencyQuantile]
    private var budget: RetryBudget?
    private var latencies: [Double] = []
    private var answeredByClient: [Int]
    private var work = 0.0
    private var wasted = 0.0
    private var rejected = 0
    private var series: [Score.Second]
    private var robin = 0

    private init(_ scenario: Scenario, _ policy: ClientPolicy, seed: UInt64) {
        self.scenario = scenario
        self.policy = policy
        random = Generator(seed: seed)
        servers = scenario.servers.map { server in
            ServerState(usual: server, now: server, taken: Array(repeating: 0, count: scenario.clients))
        }
        let gate = Gate(
            rule: policy.concurrency?.rule(),
            breaker: policy.breaker.map { CircuitRules($0) },
            shedding: policy.shedding.map { SheddingRules($0) },
            rate: policy.rate.map { RateLimitRules($0) }
        )
        gates = Array(repeating: Array(repeating: gate, count: scenario.servers.count), count: scenario.clients)
        quantiles = Array(repeating: LatencyQuantile(), count: scenario.clients)
        budget = policy.budget.map { RetryBudget(share: $0, minimumPerSecond: 0.1, capacity: 20) }
        answeredByClient = Array(repeating: 0, count: scenario.clients)
        series = Array(repeating: Score.Second(), count: Int(scenario.length))
    }

    /// Runs a policy through a scenario.
    package static func run(_ scenario: Scenario, _ policy: ClientPolicy, seed: UInt64 = 1) -> Score {
        var simulation = Simulation(scenario, policy, seed: seed)
        simulation.run()
        return simulation.score()
    }

    private mutating func run() {
        events.add(.arrival, at: interval())
        var second = -1
        while let (time, event) = events.next(), time < scenario.length {
            now = time
            if Int(time) != second {
                second = Int(time)
                observe(second)
            }
            switch event {
            case .arrival:
                arrive()
                events.add(.arrival, at: now + interval())
            case .served(let server, let attempt): finishService(server, attempt)
            case .answer(let attempt, let answer): receive(attempt, answer)
            case .giveUp(let call): giveUp(call)
            case .retry(let call): if !calls[call].isOver { begin(call) }
            case .hedge(let call): stepHedging(call)
            case .leave(let attempt): leave(attempt)
            case .turn(let client, let server): takeTurns(client, server)
            }
        }
    }

    private func interval() -> Double { -log(1 - random.unit()) / max(0.001, scenario.rate(now)) }

    private mutating func observe(_ second: Int) {
        for index in servers.indices {
            let before = servers[index].now
            servers[index].now = scenario.behavior(index, now, servers[index].usual)
            // A server that comes back works on what it was given meanwhile, whether somebody waits for it or not.
            if before.hangs, !servers[index].now.hangs {
                servers[index].busy = 0
                while servers[index].busy < servers[index].now.workers, let next = takeNext(index) {
                    servers[index].busy += 1
                    serve(next)
                }
            }
            series[second].atServers += servers[index].busy + servers[index].waiting
        }
        series[second].limit = gates[0][0].rule?.limit ?? 0
    }

    private func time(_ seconds: Double) -> Duration { .nanoseconds(Int64(seconds * 1e9)) }

    // MARK: - The client

    private mutating func arrive() {
        let index = calls.count
        let client = index % scenario.clients
        calls.append(Call(client: client, start: now))
        series[Int(now)].offered += 1
        events.add(.giveUp(call: index), at: now + scenario.timeout)
        budget?.countCall()
        if let hedging = policy.hedging {
            var delay: Duration?
            switch hedging.delay {
            case .fixed(let time): delay = time
            case .quantile(let share, let minimum): delay = quantiles[client].value(share).map { max($0, minimum) }
            }
            calls[index].hedges = HedgeRules(attempts: hedging.attempts, delay: delay)
            stepHedging(index)
        } else {
            begin(index)
        }
    }

    private mutating func stepHedging(_ call: Int) {
        guard !calls[call].isOver, var rules = calls[call].hedges else { return }
        while true {
            switch rules.step(at: time(now)) {
            case .attempt:
                guard calls[call].attempts.isEmpty || budget?.take(at: time(now)) ?? true else {
                    rules.stop()
                    continue
                }
                _ = rules.begin(at: time(now))
                calls[call].hedges = rules
                begin(call)
                guard !calls[call].isOver, let updated = calls[call].hedges else { return }
                rules = updated
            case .wait(let until):
                calls[call].hedges = rules
                if let until { events.add(.hedge(call: call), at: Double(nanoseconds: until) + 1e-9) }
                return
            case .finish:
                calls[call].hedges = rules
                return
            }
        }
    }

    /// Makes an attempt, as far as the rules let it.
    private mutating func begin(_ call: Int) {
        let (instant, chance) = (time(now), random)
        let client = calls[call].client
        robin += 1
        let server = robin % servers.count
        let index = attempts.count
        attempts.append(Attempt(call: call, server: server, index: calls[call].attempts.count))
        calls[call].attempts.append(index)
        if var breaker = gates[client][server].breaker {
            let admitted = breaker.admit(at: instant, random: chance)
            gates[client][server].breaker = breaker
            guard case .success(let permit) = admitted else { return refuse(index) }
            attempts[index].permit = permit
        }
        if gates[client][server].shedding?.admit(at: instant, random: chance) == false { return refuse(index) }
        guard gates[client][server].rate != nil else { return enter(index) }
        let ahead = gates[client][server].turns.count
        let wait = gates[client][server].rate?.waitInQueue(for: 1, at: instant) ?? .zero
        if wait > time(policy.longestTurn) { return refuse(index) }
        attempts[index].isQueued = true
        gates[client][server].turns.append(index)
        gates[client][server].rate?.enqueue(1)
        if ahead == 0 { takeTurns(client, server) }
    }

    /// Lets those go whose turn it is.
    private mutating func takeTurns(_ client: Int, _ server: Int) {
        let instant = time(now)
        while let first = gates[client][server].turns.first {
            guard gates[client][server].rate?.takeIfReady(1, at: instant) ?? true else {
                let wait = gates[client][server].rate?.wait(for: 1, at: instant) ?? .zero
                return events.add(.turn(client: client, server: server), at: now + Double(nanoseconds: wait) + 1e-6)
            }
            gates[client][server].turns.removeFirst()
            gates[client][server].rate?.dequeue(1)
            attempts[first].isQueued = false
            attempts[first].hasToken = true
            enter(first)
        }
    }

    /// An attempt that may go now, if there is a place for it.
    private mutating func enter(_ index: Int) {
        let (call, server) = (attempts[index].call, attempts[index].server)
        let client = calls[call].client
        guard let rule = gates[client][server].rule else { return send(index) }
        if gates[client][server].inFlight < rule.limit {
            send(index)
        } else if gates[client][server].queue.count < policy.queue {
            attempts[index].isQueued = true
            gates[client][server].queue.append(index)
            events.add(.leave(attempt: index), at: now + policy.longestWait)
        } else {
            refuse(index)
        }
    }

    private mutating func refuse(_ index: Int) {
        let (instant, chance) = (time(now), random)
        attempts[index].isOver = true
        series[Int(now)].refused += 1
        let (call, server) = (attempts[index].call, attempts[index].server)
        let client = calls[call].client
        if attempts[index].hasToken { gates[client][server].rate?.giveBack(1) }
        if let permit = attempts[index].permit {
            gates[client][server].breaker?.record(permit, .neither, at: instant, random: chance)
        }
        // A refusal is final for a call, unless something else of it is in flight.
        if !calls[call].attempts.contains(where: { !attempts[$0].isOver }) { calls[call].isOver = true }
    }

    private mutating func send(_ index: Int) {
        let (call, server) = (attempts[index].call, attempts[index].server)
        let client = calls[call].client
        attempts[index].isQueued = false
        gates[client][server].inFlight += 1
        attempts[index].inFlight = gates[client][server].inFlight
        attempts[index].sent = now
        let state = servers[server].now
        if let quota = state.quota {
            if servers[server].second != Int(now) {
                servers[server].second = Int(now)
                for client in servers[server].taken.indices { servers[server].taken[client] = 0 }
            }
            guard servers[server].taken[client] < quota else {
                rejected += 1
                return events.add(.answer(attempt: index, .limited), at: now + 2 * Self.network)
            }
            servers[server].taken[client] += 1
        }
        if state.isDown { return events.add(.answer(attempt: index, .unreachable), at: now + Self.network) }
        if servers[server].busy < state.workers {
            servers[server].busy += 1
            serve(index)
        } else if servers[server].waiting < state.queue {
            servers[server].queue.append(index)
        } else {
            events.add(.answer(attempt: index, .overload), at: now + 2 * Self.network)
        }
    }

    // MARK: - The server

    private mutating func serve(_ index: Int) {
        let server = servers[attempts[index].server].now
        guard !server.hangs else { return }
        var service = server.service * (0.5 - 0.5 * log(1 - random.unit()))
        if server.stragglers > 0, random.unit() < server.stragglers { service *= 20 }
        work += service
        // Somebody has to wait for it when it is done.
        events.add(.served(server: attempts[index].server, attempt: index), at: now + service)
        attempts[index].work = service
    }

    private mutating func finishService(_ server: Int, _ index: Int) {
        if attempts[index].isOver { wasted += attempts[index].work }
        let fails = random.unit() < servers[server].now.failures
        events.add(.answer(attempt: index, fails ? .failure : .success), at: now + Self.network)
        servers[server].busy = max(0, servers[server].busy - 1)
        guard servers[server].busy < servers[server].now.workers, let next = takeNext(server) else { return }
        servers[server].busy += 1
        serve(next)
    }

    private mutating func takeNext(_ server: Int) -> Int? {
        guard servers[server].waiting > 0 else { return nil }
        let next = servers[server].queue[servers[server].head]
        servers[server].head += 1
        if servers[server].head > 1000 {
            servers[server].queue.removeFirst(servers[server].head)
            servers[server].head = 0
        }
        return next
    }

    // MARK: - Results

    private mutating func receive(_ index: Int, _ answer: Answer) {
        guard !attempts[index].isOver else { return }
        let call = attempts[index].call
        let client = calls[call].client
        end(index, answer == .success ? .success : answer == .failure ? nil : .dropped, answer)
        if answer == .success {
            calls[call].isOver = true
            latencies.append(now - calls[call].start)
            quantiles[client].record(time(now - calls[call].start))
            answeredByClient[client] += 1
            series[Int(now)].answered += 1
            return cancelOthers(of: call)
        }
        calls[call].failures += 1
        if var rules = calls[call].hedges {
            rules.end(attempts[index].index, .nonFatal(pushback: nil), at: time(now))
            calls[call].hedges = rules
            return stepHedging(call)
        }
        guard calls[call].attempts.count < policy.attempts, budget?.take(at: time(now)) ?? true else {
            calls[call].isOver = true
            return
        }
        let wait = 0.05 * Double(1 << min(calls[call].failures, 6)) * random.unit()
        events.add(.retry(call: call), at: now + wait)
    }

    private mutating func giveUp(_ call: Int) {
        guard !calls[call].isOver else { return }
        calls[call].isOver = true
        for index in calls[call].attempts where !attempts[index].isOver {
            if attempts[index].isQueued { leaveQueue(index) } else { end(index, .dropped, .overload) }
        }
    }

    private mutating func cancelOthers(of call: Int) {
        for index in calls[call].attempts where !attempts[index].isOver {
            if attempts[index].isQueued { leaveQueue(index) } else { end(index, nil, nil) }
        }
    }

    /// A call waited for a place as long as it may.
    private mutating func leave(_ index: Int) {
        guard attempts[index].isQueued, !attempts[index].isOver else { return }
        leaveQueue(index)
        series[Int(now)].refused += 1
        let call = attempts[index].call
        if !calls[call].attempts.contains(where: { !attempts[$0].isOver }) { calls[call].isOver = true }
    }

    private mutating func leaveQueue(_ index: Int) {
        let (instant, chance) = (time(now), random)
        let (call, server) = (attempts[index].call, attempts[index].server)
        let client = calls[call].client
        attempts[index].isOver = true
        gates[client][server].queue.removeAll { $0 == index }
        if let turn = gates[client][server].turns.firstIndex(of: index) {
            gates[client][server].turns.remove(at: turn)
            gates[client][server].rate?.dequeue(1)
        }
        if attempts[index].hasToken { gates[client][server].rate?.giveBack(1) }
        if let permit = attempts[index].permit {
            gates[client][server].breaker?.record(permit, .neither, at: instant, random: chance)
        }
    }

    /// An attempt that was sent ends: its place and its permits go back, and the rules learn.
    private mutating func end(_ index: Int, _ outcome: ConcurrencySample.Outcome?, _ answer: Answer?) {
        let (instant, chance) = (time(now), random)
        attempts[index].isOver = true
        let (call, server) = (attempts[index].call, attempts[index].server)
        let client = calls[call].client
        gates[client][server].inFlight -= 1
        learnRate(client, server, answer)
        if let outcome {
            let sample = ConcurrencySample(
                latency: time(now - attempts[index].sent),
                inFlight: attempts[index].inFlight,
                outcome: outcome,
                time: time(now)
            )
            gates[client][server].rule?.learn(sample)
        }
        if let permit = attempts[index].permit {
            let result: CircuitRules.Outcome =
                answer == nil || answer == .limited ? .neither : answer == .success ? .success : .failure
            gates[client][server].breaker?.record(permit, result, at: instant, random: chance)
        }
        if let answer {
            gates[client][server].shedding?.count(isAccepted: answer == .success || answer == .failure, at: instant)
        }
        while let rule = gates[client][server].rule, gates[client][server].inFlight < rule.limit,
            !gates[client][server].queue.isEmpty
        {
            send(gates[client][server].queue.removeFirst())
        }
    }

    /// The rules of the rate learn what an answer tells of the quota.
    private mutating func learnRate(_ client: Int, _ server: Int, _ answer: Answer?) {
        guard gates[client][server].rate != nil else { return }
        gates[client][server].rate?.finish()
        guard policy.rate?.isEmpty == true, let answer, answer != .unreachable, let quota = servers[server].now.quota,
            servers[server].second == Int(now)
        else { return }
        let instant = time(now)
        var limits = ServerLimits()
        limits.quotas = [
            .init(
                policy: "second",
                partition: "",
                remaining: quota - servers[server].taken[client],
                reset: time(Double(Int(now) + 1) - now)
            )
        ]
        gates[client][server].rate?.learn(limits, at: instant)
    }

    // MARK: - Scores

    private func score() -> Score {
        var score = Score(scenario: scenario.name, policy: policy.name)
        let sorted = latencies.sorted()
        func percentile(_ share: Double) -> Double {
            sorted.isEmpty ? .infinity : 1000 * sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]
        }
        (score.p50, score.p99, score.p999) = (percentile(0.5), percentile(0.99), percentile(0.999))
        var possible = 0.0
        for (second, entry) in series.enumerated() {
            let capacity = servers.indices.reduce(0.0) {
                let server = scenario.behavior($1, Double(second), scenario.servers[$1])
                return $0 + min(server.capacity, Double(server.quota.map { $0 * scenario.clients } ?? .max))
            }
            possible += min(Double(entry.offered), capacity)
        }
        score.goodput = possible > 0 ? Double(latencies.count) / possible : 0
        score.wasted = work > 0 ? wasted / work : 0
        let sum = answeredByClient.reduce(0.0) { $0 + Double($1) }
        let squares = answeredByClient.reduce(0.0) { $0 + Double($1) * Double($1) }
        score.fairness = squares > 0 ? sum * sum / (Double(answeredByClient.count) * squares) : 0
        score.rejected = attempts.isEmpty ? 0 : Double(rejected) / Double(attempts.count)
        score.load = calls.isEmpty ? 1 : Double(attempts.count) / Double(calls.count)
        score.series = series
        if let disturbance = scenario.disturbance { score.recovery = recovery(after: disturbance.upperBound) }
        return score
    }

    private func recovery(after end: Double) -> Double? {
        let first = Int(end)
        for second in first..<max(first, series.count - 1) {
            let isWell = [series[second], series[second + 1]].allSatisfy { entry in
                let capacity = servers.indices.reduce(0.0) { $0 + scenario.servers[$1].capacity }
                return Double(entry.answered) >= 0.9 * min(Double(entry.offered), capacity)
            }
            if isWell { return Double(second) - end }
        }
        return nil
    }
}

/// Something that happens at a time of the simulation.
enum SimulationEvent {
    case arrival
    case served(server: Int, attempt: Int)
    /// The server's answer, or that there is none.
    case answer(attempt: Int, Answer)
    case giveUp(call: Int)
    case retry(call: Int)
    case hedge(call: Int)
    case leave(attempt: Int)
    /// Whoever waits for the rate looks whether it is their turn.
    case turn(client: Int, server: Int)

    enum Answer { case success, failure, overload, unreachable, limited }
}

/// SplitMix64 (Steele, Lea and Flood, 2014).
private final class Generator: RandomSource {
    private let state: Locked<UInt64>

    init(seed: UInt64) { state = Locked(seed) }

    func next() -> UInt64 {
        state.withLock { state in
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
}

extension Double {
    fileprivate init(nanoseconds duration: Duration) {
        self = Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
    }
}
