#if AllTests
import Foundation
import HTTPChainCircuitBreaker
import HTTPChainCore
import HTTPChainRateLimit
import HTTPChainSupport
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

private let url = "https://api.example.com/plants"
private let key = "https://api.example.com"

@Suite("Buckets in memory")
struct BucketTests {
    @Test("A full table forgets no bucket for a caller that needs no new one")
    func fullTable() async throws {
        let store = InMemoryRateLimitStore(limit: 2)
        let limits = [RateLimit(1, per: .seconds(60))]
        func take(_ key: String) async throws -> Bool {
            try await store.take(1, of: key, limits: limits, at: .zero) == .taken
        }
        var taken: [Bool] = []
        for key in ["a", "b", "a", "b", "a", "b"] { taken.append(try await take(key)) }
        #expect(taken == [true, true, false, false, false, false])
        #expect(try await take("e\u{301}"))
    }

    @Test("Keys that are canonically equal have buckets of their own")
    func canonicallyEqual() async throws {
        let store = InMemoryRateLimitStore()
        for key in ["ren\u{E9}", "rene\u{301}"] {
            #expect(try await store.take(1, of: key, limits: [RateLimit(1, per: .seconds(60))], at: .zero) == .taken)
        }
    }
}

@Suite("The rate limit stage", .timeLimit(.minutes(10)))
struct StageTests {
    @Test("The stage lets the burst through at once, and the rest at the rate, in the order they came")
    func waits() async throws {
        let clock = VirtualClock()
        let sent = Events<(Int, Duration)>()
        let limiter = RateLimiter([RateLimit(10, per: .seconds(1), burst: 3)])
        let chain = try Chain(
            [RateLimitMiddleware(limiter)],
            transport: ClosureTransport { request in
                sent.add((Int(request.head.path?.dropFirst() ?? "") ?? -1, request.environment.time.elapsed))
                return Response(.ok)
            }
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<20 {
                group.addTask { _ = try await chain.send(.get("\(key)/\(index)").on(clock)) }
                try await until("call \(index)") { sent.all.count + limiter.waiting(in: key) == index + 1 }
            }
            for count in 4...20 {
                try await clock.waitForSleepers()
                clock.advanceToNextDeadline()
                try await sent.wait(until: count)
            }
            try await group.waitForAll()
        }
        #expect(sent.all.map(\.0) == Array(0..<20))
        #expect(sent.all.map(\.1) == [0, 0, 0].map { .seconds($0) } + (1...17).map { .milliseconds(100 * $0) })
        #expect(limiter.waiting(in: key) == 0)
    }

    @Test("A heavy call is not overtaken by light ones that came later, however many come")
    func heavyCall() async throws {
        let clock = VirtualClock()
        let passed = Events<String>()
        let limiter = RateLimiter([RateLimit(10, per: .seconds(1))], excess: .wait(upTo: .seconds(60)))
        let chain = try Chain(
            [RateLimitMiddleware(limiter)],
            transport: ClosureTransport { request in
                passed.add(String(request.head.path?.dropFirst() ?? ""))
                return Response(.ok)
            }
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            _ = try await chain.send(Request.get("\(key)/first").on(clock).rateLimit(weight: 10))
            group.addTask { _ = try await chain.send(Request.get("\(key)/heavy").on(clock).rateLimit(weight: 8)) }
            try await until { limiter.waiting(in: key) == 1 }
            // A tenth of a second makes room for a light call, and each time one comes.
            for index in 0..<7 {
                try await clock.waitForSleepers()
                clock.advance(by: .milliseconds(100))
                group.addTask { _ = try await chain.send(.get("\(key)/light\(index)").on(clock)) }
                try await until("light call \(index)") { limiter.waiting(in: key) == index + 2 }
                #expect(passed.all == ["first"])
            }
            while passed.all.count < 9 {
                let count = passed.all.count
                try await clock.waitForSleepers()
                clock.advanceToNextDeadline()
                try await passed.wait(until: count + 1)
            }
            try await group.waitForAll()
        }
        #expect(passed.all.prefix(2) == ["first", "heavy"])
        #expect(passed.all.dropFirst(2) == ["light0", "light1", "light2", "light3", "light4", "light5", "light6"])
    }

    @Test("Whoever gives up, the others go in the order they came, and none waits for a turn that nobody has", .seeded)
    func fairness() async throws {
        let random = Seed.numbers()
        for _ in 0..<20 {
            let clock = VirtualClock()
            let passed = Events<Int>()
            let limiter = RateLimiter([RateLimit(5, per: .seconds(1), burst: 1)], excess: .wait(upTo: .seconds(3600)))
            let chain = try Chain(
                [RateLimitMiddleware(limiter)],
                transport: ClosureTransport { request in
                    passed.add(Int(request.head.path?.dropFirst() ?? "") ?? -1)
                    return Response(.ok)
                }
            )
            _ = try await chain.send(.get("\(key)/0").on(clock))
            var calls: [(number: Int, task: Task<Void, any Error>)] = []
            for number in 1...30 {
                let task = Task { _ = try await chain.send(.get("\(key)/\(number)").on(clock)) }
                calls.append((number, task))
                try await until("call \(number)") { limiter.waiting(in: key) == number }
            }
            // Some leave, the one whose turn it is among them, and some more while the others pass.
            var leaving = Set((0..<8).map { _ in 1 + random.index(below: 30) })
            leaving.insert(1)
            let later = Set((0..<4).map { _ in 20 + random.index(below: 11) }).subtracting(leaving)
            for call in calls where leaving.contains(call.number) {
                call.task.cancel()
                await #expect(throws: CancellationError.self) { try await call.task.value }
            }
            let staying = calls.map(\.number).filter { !leaving.contains($0) }
            try await until { limiter.waiting(in: key) == staying.count }
            var last = Duration.zero
            for count in 2...6 {
                try await clock.waitForSleepers()
                clock.advanceToNextDeadline()
                try await passed.wait(until: count)
                // As far apart as the limit says, for whoever gave up took nothing.
                #expect(clock.elapsed - last == .milliseconds(200))
                last = clock.elapsed
            }
            for call in calls where later.contains(call.number) {
                call.task.cancel()
                await #expect(throws: CancellationError.self) { try await call.task.value }
            }
            let expected = [0] + staying.filter { !later.contains($0) }
            while passed.all.count < expected.count {
                let count = passed.all.count
                try await clock.waitForSleepers()
                clock.advanceToNextDeadline()
                try await passed.wait(until: count + 1)
            }
            for call in calls where !leaving.union(later).contains(call.number) { try await call.task.value }
            #expect(passed.all == expected)
            #expect(limiter.waiting(in: key) == 0)
        }
    }

    @Test("A group whose limit is reached keeps no other group waiting")
    func groupsApart() async throws {
        let clock = VirtualClock()
        let limiter = RateLimiter([RateLimit(1, per: .seconds(10))], excess: .wait(upTo: .seconds(60)))
        let chain = try Chain([RateLimitMiddleware(limiter)], transport: ClosureTransport { _ in Response(.ok) })
        _ = try await chain.send(.get(url).on(clock))
        async let waiting = chain.send(.get(url).on(clock))
        try await until { limiter.waiting(in: key) == 1 }
        for host in ["a", "b", "c"] {
            #expect(try await chain.send(.get("https://\(host).example.com/").on(clock)).status == .ok)
        }
        #expect(limiter.waiting(in: key) == 1)
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(10))
        _ = try await waiting
    }

    @Test("The stage refuses what would wait too long, longer than its deadline, or behind too many")
    func refuses() async throws {
        let clock = VirtualClock()
        let limit = RateLimit(1, per: .seconds(10))
        func harness(_ excess: RateLimitExcess) -> StageHarness {
            StageHarness(RateLimitMiddleware(limit, excess: excess), clock: clock)
        }
        for excess in [RateLimitExcess.refuse, .wait(upTo: .seconds(9))] {
            let harness = harness(excess)
            #expect(await harness.send(.get(url)).error == nil)
            let error = await harness.send(.get(url + "?token=geheim"), answering: []).error as? RateLimitExceededError
            #expect(error?.retryAfter == .seconds(10))
            #expect(error?.cause == .limit)
            #expect(error.map { "\($0)".contains("geheim") } == false)
        }
        let patient = harness(.wait(upTo: .seconds(60)))
        #expect(await patient.send(.get(url)).error == nil)
        var hurried = Request.get(url)
        hurried.options[DeadlineNote.self] = DeadlineNote.Mark(.seconds(5))
        #expect(await patient.send(hurried, answering: []).error is RateLimitExceededError)
        let short = harness(.wait(upTo: .seconds(60), queue: 0))
        #expect(await short.send(.get(url)).error == nil)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { _ = await short.send(.get(url)) }
            try await clock.waitForSleepers()
            let error = await short.send(.get(url), answering: []).error as? RateLimitExceededError
            #expect(error?.cause == .queueFull)
            clock.advance(by: .seconds(10))
            try await group.waitForAll()
        }
    }

    @Test("A queue of any length keeps a call waiting for its turn", arguments: [Int.min, -1, 0, .max - 1, .max])
    func queueLengths(length: Int) async {
        let clock = VirtualClock.automatic()
        let limiter = RateLimiter(
            [RateLimit(1, per: .seconds(1))],
            excess: .wait(upTo: .seconds(60), queue: length)
        )
        let harness = StageHarness(RateLimitMiddleware(limiter), clock: clock)
        for _ in 0..<3 { #expect(await harness.send(.get(url)).error == nil) }
        #expect(clock.elapsed == .seconds(2))
    }

    @Test("The stage takes the weight of a call, up to what the bucket holds")
    func weight() async {
        let limiter = RateLimiter([RateLimit(10, per: .seconds(1))], excess: .refuse)
        let clock = VirtualClock()
        let harness = StageHarness(RateLimitMiddleware(limiter), clock: clock)
        #expect(await harness.send(Request.get(url).rateLimit(weight: 7)).error == nil)
        #expect(limiter.available(in: key, .virtual(clock)) == [3])
        #expect(await harness.send(Request.get(url).rateLimit(weight: 4), answering: []).error != nil)
        #expect(await harness.send(Request.get(url).rateLimit(weight: 0)).error == nil)
        #expect(await harness.send(Request.get(url).rateLimit(weight: -5)).error == nil)
        clock.advance(by: .seconds(1))
        #expect(await harness.send(Request.get(url).rateLimit(weight: .max)).error == nil)
        #expect(limiter.available(in: key, .virtual(clock)) == [0])
    }

    @Test("A call heavier than the bucket waits for a full bucket, and so does each one behind it")
    func heavierThanBucket() async throws {
        let clock = VirtualClock()
        let limiter = RateLimiter([RateLimit(10, per: .milliseconds(100))], excess: .wait(upTo: .milliseconds(300)))
        let chain = try Chain([RateLimitMiddleware(limiter)], transport: ClosureTransport { _ in Response(.ok) })
        _ = try await chain.send(Request.get(url).on(clock).rateLimit(weight: 10))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, weight) in [1_000, .max, .max].enumerated() {
                group.addTask { _ = try await chain.send(Request.get(url).on(clock).rateLimit(weight: weight)) }
                try await until("call \(index)") { limiter.waiting(in: key) == index + 1 }
            }
            let error = await #expect(throws: RateLimitExceededError.self) {
                try await chain.send(Request.get(url).on(clock).rateLimit(weight: 1_000))
            }
            #expect(error?.retryAfter == .milliseconds(400))
            for waiting in [2, 1, 0] {
                try await clock.waitForSleepers()
                clock.advance(by: .milliseconds(100))
                try await until { limiter.waiting(in: key) == waiting }
            }
            try await group.waitForAll()
        }
    }

    @Test("A call without weight passes those that wait, with and without a store", arguments: [false, true])
    func weightless(hasStore: Bool) async throws {
        let clock = VirtualClock()
        let limiter = RateLimiter(
            [RateLimit(1, per: .seconds(1))],
            excess: .wait(upTo: .seconds(60), queue: 0),
            store: hasStore ? InMemoryRateLimitStore() : nil
        )
        let chain = try Chain([RateLimitMiddleware(limiter)], transport: ClosureTransport { _ in Response(.ok) })
        _ = try await chain.send(.get(url).on(clock))
        async let waiting = chain.send(.get(url).on(clock))
        try await until { limiter.waiting(in: key) == 1 }
        for weight in [0, -5, .min] {
            #expect(try await chain.send(Request.get(url).on(clock).rateLimit(weight: weight)).status == .ok)
        }
        #expect(limiter.waiting(in: key) == 1)
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        _ = try await waiting
        #expect(limiter.unanswered(in: key) == 0)
    }

    @Test("Every call to the origin waits for the Retry-After of one", arguments: [429, 503])
    func retryAfter(status: Int) async throws {
        let clock = VirtualClock.automatic()
        let harness = StageHarness(RateLimitMiddleware(), clock: clock)
        _ = await harness.send(.get(url), answering: .status(.init(code: status), headers: [.retryAfter: "7"]))
        #expect(await harness.send(.get("https://other.example.com/")).error == nil)
        #expect(clock.elapsed == .zero)
        #expect(await harness.send(.get(url)).error == nil)
        #expect(clock.elapsed == .seconds(7))
    }

    @Test("The stage waits when the server says that nothing is left, until it is replenished")
    func serverLimit() async throws {
        let clock = VirtualClock.automatic()
        let limits: HTTPFields = [HTTPField.Name(constant: "RateLimit"): #""default";r=2;t=5"#]
        let harness = StageHarness(RateLimitMiddleware(), clock: clock)
        _ = await harness.send(.get(url), answering: .status(.ok, headers: limits))
        for _ in 0..<2 { _ = await harness.send(.get(url)) }
        #expect(clock.elapsed == .zero)
        _ = await harness.send(.get(url))
        #expect(clock.elapsed == .seconds(5))
        let disobedient = StageHarness(RateLimitMiddleware(obeysServer: false), clock: clock)
        for _ in 0..<5 { _ = await disobedient.send(.get(url), answering: .status(.ok, headers: limits)) }
        #expect(clock.elapsed == .seconds(5))
    }

    @Test("The limits of a response that was stored or remembered are not learned again; those of a 304 are")
    func storedLimits() async throws {
        let clock = VirtualClock.automatic()
        let limits: HTTPFields = [HTTPField.Name(constant: "RateLimit"): #""default";r=0;t=5"#]
        let harness = StageHarness(RateLimitMiddleware(), clock: clock)
        let sources: [ResponseSource] = [.stored(), .remembered, .stored(received: HTTPResponse(status: .notModified))]
        for source in sources {
            var response = Response(.ok, headers: limits)
            response.source = source
            _ = await harness.send(.get(url), answering: .perform { [response] _ in response })
            _ = await harness.send(.get(url))
            #expect(clock.elapsed == .zero)
        }
        var validated = Response(.ok)
        validated.source = .stored(received: HTTPResponse(status: .notModified, headerFields: limits))
        _ = await harness.send(.get(url), answering: .perform { [validated] _ in validated })
        _ = await harness.send(.get(url))
        #expect(clock.elapsed == .seconds(5))
    }

    @Test("Calls that wait are refused when a pause becomes longer than they would wait")
    func latePause() async throws {
        let clock = VirtualClock()
        let limiter = RateLimiter([RateLimit(1, per: .seconds(1), burst: 1)], excess: .wait(upTo: .seconds(5)))
        let answer = Handover<Response>()
        let started = Counter()
        let chain = try Chain(
            [RateLimitMiddleware(limiter)],
            transport: ClosureTransport { _ in
                started.add()
                return try await answer.value()
            }
        )
        try await withThrowingTaskGroup(of: (any Error)?.self) { group in
            for index in 0..<4 {
                group.addTask {
                    do { _ = try await chain.send(.get(url).on(clock)) } catch { return error }
                    return nil
                }
                try await until { started.value + limiter.waiting(in: key) == index + 1 }
            }
            #expect(answer.give(Response(.tooManyRequests, headers: [.retryAfter: "60"])))
            try await clock.waitForSleepers()
            // The last two leave at once, the first one when it looks again.
            try await until { limiter.waiting(in: key) == 1 }
            clock.advanceToNextDeadline()
            var refused = 0
            for try await error in group {
                if let error = error as? RateLimitExceededError {
                    #expect(error.cause == .server)
                    refused += 1
                }
            }
            #expect(refused == 3)
        }
    }

    @Test("What a stage inside refuses is given back")
    func givesBack() async throws {
        let limiter = RateLimiter([RateLimit(5, per: .seconds(60))], excess: .refuse)
        let breaker = CircuitBreaker()
        breaker.isolate(key)
        let chain = try Chain(
            [RateLimitMiddleware(limiter), CircuitBreakerMiddleware(breaker)],
            transport: ClosureTransport { _ in Response(.ok) },
            order: .unchecked
        )
        let clock = VirtualClock()
        for _ in 0..<100 {
            await #expect(throws: CircuitOpenError.self) { try await chain.send(.get(url).on(clock)) }
        }
        #expect(limiter.available(in: key, .virtual(clock)) == [5])
        #expect(limiter.unanswered(in: key) == 0)
    }

    @Test("Two limiters with one store share its buckets")
    func store() async throws {
        let store = InMemoryRateLimitStore()
        let limits = [RateLimit(4, per: .seconds(60)), RateLimit(100, per: .seconds(60))]
        let clock = VirtualClock()
        let harnesses = (0..<2).map { _ in
            StageHarness(RateLimitMiddleware(RateLimiter(limits, excess: .refuse, store: store)), clock: clock)
        }
        for index in 0..<4 { #expect(await harnesses[index % 2].send(.get(url)).error == nil) }
        for harness in harnesses {
            let error = await harness.send(.get(url), answering: []).error as? RateLimitExceededError
            #expect(error?.retryAfter == .seconds(15))
        }
        clock.advance(by: .seconds(15))
        #expect(await harnesses[0].send(.get(url)).error == nil)
        #expect(await harnesses[1].send(.get(url), answering: []).error != nil)
    }

    @Test("The error of a store is that of the call")
    func brokenStore() async {
        struct Broken: Error {}
        struct BrokenStore: RateLimitStore {
            func take(_: Int, of _: String, limits _: [RateLimit], at _: Duration) async throws -> RateLimitAnswer {
                throw Broken()
            }
            func giveBack(_: Int, of _: String, limits _: [RateLimit], at _: Duration) async throws {}
        }
        let limiter = RateLimiter([RateLimit(1, per: .seconds(1))], store: BrokenStore())
        let outcome = await StageHarness(RateLimitMiddleware(limiter)).send(.get(url), answering: [])
        #expect(outcome.error is Broken)
        #expect(limiter.waiting(in: key) == 0)
    }

    @Test(
        "10,000 calls at once, half of them cancelled while they wait: no token is lost, nobody is left behind",
        .seeded
    )
    func cancellation() async throws {
        let clock = VirtualClock()
        let limiter = RateLimiter(
            [RateLimit(1000, per: .seconds(1), burst: 100)],
            excess: .wait(upTo: .seconds(3600), queue: 20_000)
        )
        let chain = try Chain([RateLimitMiddleware(limiter)], transport: ClosureTransport { _ in Response(.ok) })
        let passed = Counter()
        let cancelled = Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<Drill.calls {
                group.addTask {
                    let call = Task { try await chain.send(.get(url).on(clock)) }
                    if index % 2 == 0 {
                        try await until { limiter.waiting(in: key) > 0 }
                        call.cancel()
                    }
                    do {
                        _ = try await call.value
                        passed.add()
                    } catch is CancellationError {
                        cancelled.add()
                    }
                }
            }
            try await until {
                passed.value + cancelled.value + limiter.waiting(in: key) >= Drill.calls
                    && cancelled.value > Drill.calls * 2 / 5 - 100
            }
            while passed.value + cancelled.value < Drill.calls {
                clock.advanceToNextDeadline()
                await Task.yield()
            }
            try await group.waitForAll()
        }
        #expect(passed.value >= Drill.calls / 2)
        #expect(limiter.waiting(in: key) == 0)
        try await until("all calls to be answered") { limiter.unanswered(in: key) == 0 }
        // As many tokens were used as calls passed: in the time that took no more came than the rate gives.
        let used = Double(passed.value)
        #expect(clock.elapsed >= .milliseconds(Int(used - 100) - 1))
        #expect(clock.elapsed <= .milliseconds(Int(used) + 100))
        clock.advance(by: .seconds(1))
        #expect(limiter.available(in: key, .virtual(clock)) == [100])
    }

    @Test("The stage keeps the rules of every stage", arguments: StageConformance.Check.allCases)
    func conforms(check: StageConformance.Check) async throws {
        try await StageConformance { RateLimitMiddleware(RateLimit(1_000_000, per: .seconds(1))) }.verify(check)
    }

    @Test("The stage keeps the rules of every stage while calls wait", arguments: StageConformance.Check.allCases)
    func conformsWaiting(check: StageConformance.Check) async throws {
        try await StageConformance(calls: .atMostOnce) {
            RateLimitMiddleware(RateLimit(1, per: .seconds(1)), excess: .wait(upTo: .seconds(100_000)))
        }.verify(check)
    }
}
#endif
