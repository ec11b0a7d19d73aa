#if AllTests
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainLoadShedding
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

private let url = "https://api.example.com/plants"

@Suite("Load shedding", .timeLimit(.minutes(10)))
struct LoadSheddingTests {
    @Test("The probability is that of a list that is counted each time, in many random steps", .seeded)
    func model() {
        struct Entry {
            let cell: Int
            var requests = 0
            var accepts = 0
        }
        let random = Seed.numbers()
        let policy = LoadSheddingPolicy(multiplier: 1.5, window: .milliseconds(1200))
        var rules = SheddingRules(policy)
        var entries: [Entry] = []
        var start = 0
        var cell: Int?
        var now = 0
        var steps = 0
        for step in 0..<Drill.steps {
            steps += 1
            now += Int(random.next() % (random.next() % 500 == 0 ? 3000 : 20))
            // Cells of a twelfth of the window, from the first call on, and from the first after a whole window without.
            if let last = cell, now < start + 100 * (last + 13) {
                cell = max(last, (now - start) / 100)
            } else {
                start = now
                cell = 0
                entries = []
            }
            let current = cell ?? 0
            entries.removeAll { $0.cell <= current - 12 }
            if entries.last?.cell != current { entries.append(Entry(cell: current)) }
            let requests = entries.reduce(0) { $0 + $1.requests }
            let accepts = entries.reduce(0) { $0 + $1.accepts }
            switch random.next() % 4 {
            case 0, 1:
                var probability = max(0, (Double(requests) - 1.5 * Double(accepts)) / Double(requests + 1))
                if requests < 10 { probability = 0 }
                #expect(rules.admitsAll(at: .milliseconds(now)) == (probability == 0), "step \(step)")
                #expect(rules.refusalProbability == probability, "step \(step)")
                let isAdmitted = rules.admit(at: .milliseconds(now), random: random)
                if probability == 0 { #expect(isAdmitted, "step \(step)") }
                if !isAdmitted { entries[entries.count - 1].requests += 1 }
            case let kind:
                rules.count(isAccepted: kind == 2, at: .milliseconds(now))
                entries[entries.count - 1].requests += 1
                if kind == 2 { entries[entries.count - 1].accepts += 1 }
            }
            let isSame =
                rules.requestCount == entries.reduce(0) { $0 + $1.requests }
                && rules.acceptCount == entries.reduce(0) { $0 + $1.accepts }
            #expect(isSame, "step \(step)")
            if !isSame { return }
        }
        #expect(steps == Drill.steps)
    }

    @Test(
        "The stage lets about twice as many calls through as the server takes",
        .seeded,
        arguments: [(2.0, 0.5), (1.0, 0.25), (1.0, 0.1)]
    )
    func rate(multiplier: Double, accepted: Double) {
        let random = Seed.numbers()
        var rules = SheddingRules(LoadSheddingPolicy(multiplier: multiplier))
        // The server takes a fixed number of calls a second, of 100 that are made.
        var sent = 0
        var taken = 0
        for second in 0..<600 {
            var room = Int(100 * accepted)
            for _ in 0..<100 where rules.admit(at: .seconds(second), random: random) {
                if second >= 200 { sent += 1 }
                rules.count(isAccepted: room > 0, at: .seconds(second))
                guard room > 0 else { continue }
                room -= 1
                if second >= 200 { taken += 1 }
            }
        }
        let ratio = Double(sent) / Double(taken)
        #expect(ratio <= multiplier * 1.15 + 0.1, "\(ratio)")
        #expect(taken > Int(0.6 * accepted * 40_000), "\(taken)")
    }

    @Test(
        "The summary has the multiplier and the minimum that apply",
        arguments: [
            (0.5, -3, "1.0", "0 calls"), (-.infinity, 7, "2.0", "7 calls"), (.nan, 0, "2.0", "0 calls"),
            (1.5, .max, "1.5", "\(Int.max) calls"),
        ] as [(Double, Int, String, String)]
    )
    func summary(multiplier: Double, minimum: Int, shown: String, calls: String) {
        let policy = LoadSheddingPolicy(multiplier: multiplier, minimumCalls: minimum)
        let settings = LoadSheddingMiddleware(policy).stageSummary.settings
        #expect(settings.first { $0.name == "multiplier" }?.value == shown)
        #expect(settings.first { $0.name == "minimum" }?.value == calls)
    }

    static let answers: [(StageHarness.Answer, isAccepted: Bool?)] = [
        (.ok, true), (.status(.notFound), true), (.status(.internalServerError), true),
        (.status(.tooManyRequests), false),
        (.status(.serviceUnavailable), false), (.status(.gatewayTimeout), false),
        (.failure(TransportError(.timedOut, sent: .maybe, stage: "test")), false),
        (.failure(TransportError(.secureConnectionFailed, sent: .nothing, stage: "test")), nil),
        (.failure(CancellationError()), nil),
    ]

    @Test("The stage sheds when the server does not take calls, and only then", .seeded, arguments: 0..<answers.count)
    func stage(index: Int) async {
        let (answer, isAccepted) = Self.answers[index]
        let harness = StageHarness(LoadSheddingMiddleware(), clock: VirtualClock(), seed: Seed.current)
        var shed = 0
        for _ in 0..<200 {
            let outcome = await harness.send(.get(url + "?token=geheim"), answering: answer)
            if let error = outcome.error as? LoadShedError {
                shed += 1
                #expect(outcome.requests.isEmpty)
                #expect(!"\(error)".contains("geheim"))
            }
        }
        if isAccepted == false { #expect(shed > 150) } else { #expect(shed == 0) }
        #expect(await harness.send(.get("https://other.example.com/")).error == nil)
    }

    @Test("Calls in flight don't count: any number of first calls pass, and count when they end", .seeded)
    func inFlight() async throws {
        let transport = InMemoryTransport()
        let gate = Rendezvous()
        transport.on(nil, "*") { _ in
            try await gate.wait()
            return Response(.serviceUnavailable)
        }
        let chain = try Chain(transport: transport) { LoadSheddingMiddleware() }
        try await withThrowingTaskGroup { group in
            for _ in 0..<200 { group.addTask { try await chain.send(.get(url)).status } }
            try await transport.waitForRequests(200)
            gate.reach()
            for try await status in group { #expect(status == .serviceUnavailable) }
        }
        await #expect(throws: LoadShedError.self) {
            for _ in 0..<200 { _ = try await chain.send(.get(url)) }
        }
        #expect(transport.requests.count < 400)
    }

    @Test("A few failures don't cause refusals", .seeded, arguments: [0, 1, 10, 20])
    func minimumCalls(count: Int) async {
        let stage = LoadSheddingMiddleware(LoadSheddingPolicy(minimumCalls: count))
        let harness = StageHarness(stage, clock: VirtualClock(), seed: Seed.current)
        for _ in 0..<max(1, count) {
            let outcome = await harness.send(.get(url), answering: .status(.serviceUnavailable))
            #expect(!(outcome.error is LoadShedError))
        }
        var shed = 0
        for _ in 0..<200 {
            let outcome = await harness.send(.get(url), answering: .status(.serviceUnavailable))
            if outcome.error is LoadShedError { shed += 1 }
        }
        #expect(shed > 150)
    }

    @Test("The policy says which statuses mean that the server is overloaded", .seeded)
    func overloadStatuses() async {
        let stage = LoadSheddingMiddleware(LoadSheddingPolicy(overloadStatuses: [500]))
        let harness = StageHarness(stage, clock: VirtualClock(), seed: Seed.current)
        for (origin, status, isOverload) in [("a", 503, false), ("b", 500, true)] {
            var shed = 0
            for _ in 0..<200 {
                let outcome = await harness.send(
                    .get("https://\(origin).example.com/"),
                    answering: .status(HTTPResponse.Status(code: status))
                )
                if outcome.error is LoadShedError { shed += 1 }
            }
            if isOverload { #expect(shed > 150) } else { #expect(shed == 0) }
        }
    }

    @Test("The stage keeps the rules of every stage", arguments: StageConformance.Check.allCases)
    func conforms(check: StageConformance.Check) async throws {
        try await StageConformance(calls: .atMostOnce) { LoadSheddingMiddleware() }.verify(check)
    }
}
#endif
