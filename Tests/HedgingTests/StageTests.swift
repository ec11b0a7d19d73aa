#if AllTests
import Foundation
import HTTPChainAuth
import HTTPChainCircuitBreaker
import HTTPChainConcurrencyLimit
import HTTPChainCore
import HTTPChainHedging
import HTTPChainRateLimit
import HTTPChainRetry
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

private let url = "https://api.example.com/plants"

@Suite("The hedging stage", .timeLimit(.minutes(10)))
struct StageTests {
    private func stage(
        _ delay: Duration = .milliseconds(100),
        attempts: Int = 2,
        budget: RetryBudget? = nil,
        origins: [String] = []
    ) -> HedgingMiddleware {
        HedgingMiddleware(HedgingPolicy(after: .fixed(delay), attempts: attempts, origins: origins), budget: budget)
    }

    @Test("The second attempt wins, the first is cancelled and has ended, and the body of the winner is whole")
    func second() async throws {
        let clock = VirtualClock()
        let dropped = Counter()
        let response = try await StageHarness(stage(), clock: clock).drive(.get(url)) { run in
            let first = try await run.nextCall()
            first.hold()
            try await clock.waitForSleepers()
            clock.advance(by: .milliseconds(100))
            let second = try await run.nextCall()
            #expect(second.request.attempt == 2)
            let lifeline = Lifeline { dropped.add() }
            second.answer(Response(.ok, body: .chunks(["one ", "two"], lifeline: lifeline)))
            // It comes although the first attempt is never answered: that was cancelled, and has ended.
            return try await run.response()
        }
        #expect(response.attempts == 2)
        #expect(dropped.value == 0)
        #expect(try await response.body.text() == "one two")
        #expect(clock.pendingDeadlines.isEmpty)
    }

    @Test("A chain with an automatic clock warns that waits race; one with a manual clock doesn't")
    func automaticClock() throws {
        let transport = ClosureTransport()
        let inner = try Chain([stage()], transport: transport)
        for stages in [[stage()], []] as [[any Middleware]] {
            let outer: any Transport = stages.isEmpty ? inner : transport
            let chain = try Chain(stages, transport: outer, environment: .virtual(.automatic()))
            #expect(chain.warnings.count == 1)
            #expect(chain.warnings.first?.description.contains("use a manual clock") == true)
        }
        #expect(try Chain([stage()], transport: transport, environment: .virtual(VirtualClock())).warnings.isEmpty)
        #expect(inner.warnings.isEmpty)
        #expect(try Chain([], transport: transport, environment: .virtual(.automatic())).warnings.isEmpty)
    }

    @Test("The response of a loser is dropped, which ends its transfer")
    func loser() async throws {
        let clock = VirtualClock()
        let ended = Counter()
        let gate = Handover<Void>()
        let chain = try Chain(
            [stage()],
            transport: ClosureTransport { request in
                let lifeline = Lifeline { ended.add() }
                if request.attempt == 1 {
                    // It does not notice that it is cancelled, and answers all the same.
                    await Task.detached { _ = try? await gate.value() }.value
                    return Response(.ok, body: .chunks(["late"], lifeline: lifeline))
                }
                #expect(gate.give(()))
                return Response(.ok, body: .chunks(["early"], lifeline: lifeline))
            }
        )
        async let sent = chain.send(.get(url).on(clock))
        try await clock.waitForSleepers()
        clock.advance(by: .milliseconds(100))
        var response: Response? = try await sent
        try await ended.wait(until: 1)
        #expect(["early", "late"].contains(try await response?.body.text()))
        response = nil
        try await ended.wait(until: 2)
    }

    @Test("A fast answer costs one attempt, and nothing waits afterwards")
    func fast() async throws {
        let clock = VirtualClock()
        let outcome = await StageHarness(stage(), clock: clock).send(.get(url), answering: .ok)
        #expect(outcome.requests.count == 1)
        #expect(try outcome.response().attempts == 1)
        #expect(clock.pendingDeadlines.isEmpty)
    }

    @Test("Requests that aren't idempotent or can be read only once are passed on unchanged", arguments: [true, false])
    func passes(isPost: Bool) async throws {
        let body = HTTPBody.chunks(["x"])
        let request = isPost ? Request.post(url, body: "x") : Request(.get, url, body: body)
        try await StageHarness(stage(.zero)).drive(request) { run in
            try await run.nextCall().answer(Response(.badGateway))
            #expect(try await run.response().status == .badGateway)
            #expect(run.callCount == 1)
        }
    }

    @Test("After a failure another attempt is made at once; of failures alone the last is the result")
    func failures() async throws {
        let clock = VirtualClock()
        let harness = StageHarness(stage(attempts: 3), clock: clock)
        let lost = TransportError(.connectionLost, sent: .maybe, stage: "test")
        var outcome = await harness.send(.get(url), answering: .failure(lost), .status(.badGateway), .ok)
        #expect(try outcome.response().status == .ok)
        outcome = await harness.send(
            .get(url),
            answering: .failure(lost),
            .status(.badGateway),
            .status(.serviceUnavailable)
        )
        #expect(try outcome.response().status == .serviceUnavailable)
        outcome = await harness.send(.get(url), answering: .status(.notFound))
        #expect(try outcome.response().status == .notFound)
        outcome = await harness.send(
            .get(url),
            answering: .failure(TransportError(.secureConnectionFailed, sent: .nothing, stage: "test"))
        )
        #expect((outcome.error as? TransportError)?.kind == .secureConnectionFailed)
        outcome = await harness.send(.get(url), answering: .status(.serviceUnavailable, headers: [.retryAfter: "1"]))
        #expect(outcome.requests.count == 1)
        #expect(clock.elapsed == .zero)
    }

    @Test("An error says that nothing was sent only if that is true of all attempts")
    func sentByAny() async throws {
        var policy = HedgingPolicy(after: .fixed(.seconds(1)))
        policy.methods = [.put]
        let harness = StageHarness(HedgingMiddleware(policy, budget: nil), clock: VirtualClock())
        let unsent = TransportError(.cannotConnect, sent: .nothing, stage: "test")
        let lost = TransportError(.connectionLost, sent: .maybe, stage: "test")
        for (first, sent) in [(unsent, TransportError.Sent.nothing), (lost, .maybe)] {
            let outcome = await harness.send(
                .put(url, body: "x"),
                answering: .failure(first),
                .failure(unsent)
            )
            let error = try #require(outcome.error as? TransportError)
            #expect(error.kind == .cannotConnect && error.sent == sent)
        }
    }

    @Test("The policy says after which statuses and errors another attempt is made at once")
    func nonFatal() async throws {
        var policy = HedgingPolicy(after: .fixed(.seconds(1)))
        policy.nonFatalStatuses = [404]
        policy.nonFatalErrors = [.secureConnectionFailed]
        let clock = VirtualClock()
        let harness = StageHarness(HedgingMiddleware(policy, budget: nil), clock: clock)
        func failure(_ kind: TransportError.Kind) -> StageHarness.Answer {
            .failure(TransportError(kind, sent: .nothing, stage: "test"))
        }
        for answer in [.status(.notFound), failure(.secureConnectionFailed)] {
            let outcome = await harness.send(.get(url), answering: answer, .ok)
            #expect(outcome.requests.count == 2)
            #expect(try outcome.response().status == .ok)
        }
        for answer in [.status(.badGateway), failure(.connectionLost)] {
            let outcome = await harness.send(.get(url), answering: answer, .ok)
            #expect(outcome.requests.count == 1)
            #expect(outcome.error != nil || (try? outcome.response().status) == .badGateway)
        }
        #expect(clock.elapsed == .zero)
    }

    @Test("No more attempts are added than the budget has tokens for")
    func budget() async throws {
        let clock = VirtualClock()
        let budget = RetryBudget(share: 0.1, minimumPerSecond: 0, capacity: 2)
        let harness = StageHarness(stage(budget: budget), clock: clock)
        var added = 0
        for _ in 0..<100 {
            let outcome = await harness.send(.get(url), answering: [.status(.badGateway), .status(.badGateway)])
            added += outcome.requests.count - 1
        }
        // The bucket was full, each call brings a tenth, and the first finds it full.
        #expect(added == 11)
    }

    @Test("A call counts once in a budget that retry and hedging share")
    func sharedBudget() async throws {
        let budget = RetryBudget(share: 0.1, minimumPerSecond: 0, capacity: 1)
        #expect(budget.take(at: .zero))
        let chain = try Chain(
            [
                RetryMiddleware(budget: budget),
                HedgingMiddleware(HedgingPolicy(after: .fixed(.seconds(9))), budget: budget),
            ],
            transport: ClosureTransport { _ in Response(.ok) }
        )
        for _ in 0..<9 { _ = try await chain.send(.get(url).on(VirtualClock())) }
        #expect(budget.available == 0)
        for _ in 0..<2 { _ = try await chain.send(.get(url).on(VirtualClock())) }
        #expect(budget.available == 1)
    }

    @Test("Further attempts go to other origins, without what belongs to the first")
    func origins() async throws {
        var request = Request.get(url, headers: [.authorization: "Bearer x", .accept: "a/b"])
        let keys = ["X-Api-Key", "X-Auth-Token", "Proxy-Authorization"].compactMap { HTTPField.Name($0) }
        for key in keys { request.head.headerFields[key] = "hunter2" }
        request.options[OriginBoundFieldsNote.self] = [.authorization: Origin(url)].compactMapValues(\.self)
        let outcome = await StageHarness(
            stage(attempts: 3, origins: ["https://b.example.com", "http://c.example.com:8080"])
        )
        .send(request, answering: .status(.badGateway), .status(.badGateway), .ok)
        #expect(
            outcome.requests.map(\.url) == [url, "https://b.example.com/plants", "http://c.example.com:8080/plants"]
        )
        #expect(outcome.requests.map { $0.head.headerFields[.authorization] } == ["Bearer x", nil, nil])
        #expect(outcome.requests.map { $0.head.headerFields[.accept] } == ["a/b", "a/b", "a/b"])
        for key in keys { #expect(outcome.requests.map { $0.head.headerFields[key] } == ["hunter2", nil, nil]) }
    }

    @Test("An attempt to another origin has none of the fields that a redirect removes")
    func credentials() async throws {
        let request = Request.get(
            url,
            headers: [
                .authorization: "Bearer x", .cookie: "sid=1", .host: "api.example.com",
                .proxyAuthorization: "Basic eA==", .xAPIKey: "k", .referer: "https://api.example.com/secret?q=1",
                .accept: "a/b",
            ]
        )
        let outcome = await StageHarness(stage(origins: ["https://api.example.com."])).send(
            request,
            answering: .status(.badGateway),
            .ok
        )
        let sent = try #require(outcome.requests.last?.head)
        #expect(sent.authority == "api.example.com.")
        #expect(Set(sent.headerFields.map(\.name.rawName)) == ["Referer", "Accept"])
        #expect(sent.headerFields[.referer] == "https://api.example.com/")
    }

    @Test("An attempt to the same origin, written in another way, keeps its credentials")
    func sameOrigin() async throws {
        let request = Request.get(url, headers: [.authorization: "Bearer x"])
        let outcome = await StageHarness(stage(origins: ["HTTPS://API.example.com:443/"])).send(
            request,
            answering: .status(.badGateway),
            .ok
        )
        #expect(outcome.requests.map { $0.head.headerFields[.authorization] } == ["Bearer x", "Bearer x"])
    }

    @Test(
        "A text that is not an origin, or more than one, is a problem of the chain or an error of the call",
        arguments: [
            "replica.example.com", "", "https://", "ftp://a.example", "https://a.example/path", "https://a.example?q",
            "https://a.example#f", "https://ada:secret@a.example", "https://a.example:99999", "https://1.2.3.4.5",
            "//a.example", "https://a b",
        ]
    )
    func invalidOrigins(origin: String) async throws {
        let stage = stage(origins: ["https://b.example.com", origin])
        let error = #expect(throws: ChainOrderError.self) {
            try Chain([stage], transport: ClosureTransport { _ in Response(.ok) })
        }
        #expect(error.map { "\($0)".contains("which is not an origin") } == true)
        #expect(error.map { "\($0)".contains("ada:secret") } == false)
        let policy = HedgingPolicy(after: .fixed(.zero), origins: [origin])
        let outcome = await StageHarness(HedgingMiddleware(budget: nil)).send(.get(url).hedging(policy), answering: .ok)
        #expect(outcome.error is InvalidRequestError)
        #expect(outcome.requests.isEmpty)
    }

    @Test("The delay follows the latencies of the calls")
    func quantile() async throws {
        let clock = VirtualClock()
        let chain = try Chain(
            [HedgingMiddleware(HedgingPolicy(after: .quantile(0.9)), budget: nil)],
            transport: ClosureTransport { request in
                try await request.environment.time.sleep(
                    for: .milliseconds(request.head.path == "/slow" && request.attempt == 1 ? 5000 : 10)
                )
                return Response(.ok)
            }
        )
        for index in 0..<50 {
            async let sent = chain.send(.get(url).on(clock))
            // From the twenty-first call on there is a delay to wait for as well.
            try await clock.waitForSleepers(count: index < 20 ? 1 : 2)
            clock.advance(by: .milliseconds(10))
            _ = try await sent
        }
        let start = clock.elapsed
        async let slow = chain.send(.get("https://api.example.com/slow").on(clock))
        try await clock.waitForSleepers(count: 2)
        clock.advanceToNextDeadline()
        try await clock.waitForSleepers(count: 2)
        clock.advanceToNextDeadline()
        #expect(try await slow.attempts == 2)
        #expect(clock.elapsed - start >= .milliseconds(19))
        #expect(clock.elapsed - start <= .milliseconds(23))
    }

    @Test("Combinations that hurt are refused")
    func problems() throws {
        let server = ClosureTransport { _ in Response(.ok) }
        func problem(_ stages: [any Middleware], over transport: any Transport) -> String {
            do {
                _ = try Chain(stages, transport: transport)
                return ""
            } catch {
                return "\(error)"
            }
        }
        #expect(problem([stage(), stage()], over: server).contains("two HedgingMiddleware"))
        #expect(problem([stage()], over: try Chain([stage()], transport: server)).contains("two HedgingMiddleware"))
        #expect(problem([RetryMiddleware(), HedgingMiddleware()], over: server).contains("different budgets"))
        #expect(
            problem([RetryMiddleware()], over: try Chain([RetryMiddleware()], transport: server)).contains(
                "two RetryMiddleware"
            )
        )
        var policy = HedgingPolicy()
        policy.methods.insert(.post)
        #expect(problem([HedgingMiddleware(policy)], over: server).contains("POST"))
        let budget = RetryBudget()
        #expect(problem([RetryMiddleware(budget: budget), HedgingMiddleware(budget: budget)], over: server) == "")
        #expect(
            problem([HedgingMiddleware(), RetryMiddleware()], over: server).contains(
                "RetryMiddleware must be outside"
            )
        )
    }

    /// A clock on which a millisecond is one turn of the tasks that are ready, and a second never comes.
    ///
    /// Ten thousand sleepers cost it nothing, and every order of wake-ups is as likely as another.
    private final class Turns: TimeSource {
        private let now = Locked(Duration.zero)
        var elapsed: Duration { now.withLock { $0 } }
        var date: Date { Date(timeIntervalSince1970: 0) }

        func sleep(for duration: Duration) async throws {
            if duration >= .seconds(1) { return try await Handover<Void>().value() }
            let end = elapsed + duration
            defer { now.withLock { $0 = max($0, end) } }
            for _ in 0..<Int(duration / .milliseconds(1)) {
                await Task.yield()
                try Task.checkCancellation()
            }
        }
    }

    @Test("10,000 calls at once through all stages, a part of them cancelled: everything comes back", .heavy, .seeded)
    func cancellation() async throws {
        let environment = ChainEnvironment(time: Turns(), random: Seed.numbers(1))
        let budget = RetryBudget(share: 0, minimumPerSecond: 0, capacity: Drill.calls)
        let key = "https://api.example.com"
        let breaker = CircuitBreaker()
        let rate = RateLimiter([RateLimit(1_000_000, per: .seconds(1))])
        // So short a queue that some of the attempts are refused.
        let places = ConcurrencyLimiter(
            .fixed(500),
            queue: ConcurrencyQueue(length: Drill.calls / 2, longestWait: .seconds(60))
        )
        let numbers = Seed.numbers()
        let flying = Counter()
        let landed = Counter()
        let added = Counter()
        let refused = Counter()
        let chain = try Chain(
            [
                RetryMiddleware(RetryPolicy(maximumAttempts: 2), budget: budget),
                HedgingMiddleware(HedgingPolicy(after: .fixed(.milliseconds(20))), budget: budget),
                ClosureMiddleware { request, next in
                    guard request.attempt > 1 else { return try await next(request) }
                    do {
                        let response = try await next(request)
                        added.add()
                        return response
                    } catch {
                        if error is any RefusalError { refused.add() } else { added.add() }
                        throw error
                    }
                },
                CircuitBreakerMiddleware(breaker), RateLimitMiddleware(rate), ConcurrencyLimitMiddleware(places),
            ],
            transport: ClosureTransport { request in
                flying.add()
                defer { landed.add() }
                try await request.environment.time.sleep(for: .milliseconds(Int(numbers.next() % 50)))
                return Response(.ok, body: .chunks(["a", "b"]))
            }
        )
        var request = Request.get(url)
        request.environment = environment
        await withTaskGroup(of: Void.self) { [request] group in
            for index in 0..<Drill.calls {
                group.addTask {
                    let call = Task {
                        let response = try await chain.send(request)
                        if index % 5 == 0 { return }  // Dropped unread.
                        _ = try await response.body.text()
                    }
                    if index % 3 == 0 {
                        for _ in 0..<(index % 50) { await Task.yield() }
                        call.cancel()
                    }
                    _ = await call.result
                }
            }
        }
        #expect(flying.value == landed.value)
        // A task that lost holds its response until the thread that ran it drops it.
        try await until("all places to come back") {
            places.inFlight(in: key) == 0 && rate.unanswered(in: key) == 0
        }
        #expect(places.waiting(in: key) == 0)
        #expect(rate.waiting(in: key) == 0)
        #expect(breaker.state(of: key, in: environment) == .closed)
        // Each attempt more that was made has a token; what was refused, or cancelled before it began, has none.
        #expect(budget.capacity - budget.available == added.value)
        #expect(added.value > 0)
    }

    @Test("A token comes back for an attempt that a stage inside refuses")
    func refused() async throws {
        let clock = VirtualClock()
        let budget = RetryBudget(share: 0, minimumPerSecond: 0, capacity: 5)
        let breaker = CircuitBreaker()
        let chain = try Chain(
            [stage(attempts: 3, budget: budget), CircuitBreakerMiddleware(breaker)],
            transport: ClosureTransport.delayed(by: .milliseconds(150))
        )
        for isOpen in [true, false] {
            async let sent = chain.send(.get(url).on(clock))
            try await clock.waitForSleepers(count: 2)
            if isOpen { breaker.isolate("https://api.example.com") } else { breaker.close("https://api.example.com") }
            clock.advance(by: .milliseconds(100))
            // Beside the first attempt the push-back of the refusal, or the second attempt and the delay of the third.
            try await clock.waitForSleepers(count: isOpen ? 2 : 3)
            #expect(budget.available == (isOpen ? 5 : 4))
            clock.advance(by: .milliseconds(50))
            #expect(try await sent.status == .ok)
            breaker.close("https://api.example.com")
        }
        #expect(budget.available == 4)
    }

    @Test("Without a delay the first attempt is alone, and a failure of it has another")
    func alone() async throws {
        let clock = VirtualClock()
        let budget = RetryBudget(share: 0, minimumPerSecond: 0, capacity: 5)
        let stage = HedgingMiddleware(HedgingPolicy(after: .quantile(0.9)), budget: budget)
        let response = try await StageHarness(stage, clock: clock).drive(.get(url)) { run in
            let first = try await run.nextCall()
            #expect(clock.pendingDeadlines.isEmpty)
            first.answer(Response(.badGateway))
            let second = try await run.nextCall()
            #expect(second.request.attempt == 2)
            second.answer(Response(.ok, body: .chunks(["one ", "two"], lifeline: Lifeline {})))
            return try await run.response()
        }
        #expect(response.attempts == 2)
        #expect(try await response.body.text() == "one two")
        #expect(budget.available == 4)
    }

    @Test("Each attempt is authenticated and traced on its own")
    func attemptsApart() async throws {
        let clock = VirtualClock()
        let asked = Counter()
        let sent = Events<String>()
        // A token that has expired when the second attempt is made.
        let provider = ClosureAccessTokenProvider { _, _ in
            asked.add()
            return AccessToken(Secret("token\(asked.value)"), expiration: clock.date.addingTimeInterval(0.05))
        }
        let chain = try Chain(
            [stage(), BearerAuthMiddleware(provider, for: "https://api.example.com", leeway: .zero)],
            transport: ClosureTransport { request in
                sent.add(request.head.headerFields[.authorization] ?? "none")
                try await request.environment.time.sleep(for: .seconds(request.attempt == 1 ? 60 : 0))
                return Response(.ok)
            }
        )
        let call = Task { await chain.trace(.get(url).on(clock)) }
        try await clock.waitForSleepers(count: 2)
        clock.advance(by: .milliseconds(100))
        let traced = await call.value
        #expect(try traced.result.get().attempts == 2)
        #expect(asked.value == 2)
        #expect(sent.all == ["Bearer token1", "Bearer token2"])
        let spans = traced.trace.spans.filter { $0.name == "BearerAuthMiddleware" }
        #expect(spans.map(\.start) == [.zero, .milliseconds(100)])
        let hedging = try #require(traced.trace.spans.first { $0.name == "HedgingMiddleware" })
        #expect(spans.map(\.parent) == [hedging.id, hedging.id])
        #expect(spans.last?.outcome == .response(.ok))
        #expect(spans.first?.outcome != .response(.ok))
    }

    @Test("Each route has its own delay")
    func routes() async throws {
        let clock = VirtualClock()
        let chain = try Chain(
            [HedgingMiddleware(HedgingPolicy(after: .quantile(0.9)), budget: nil, by: .by("route") { $0.head.path })],
            transport: ClosureTransport { request in
                let isSlow = request.head.path == "/slow"
                try await request.environment.time.sleep(for: .milliseconds(isSlow ? 400 : 10))
                return Response(.ok)
            }
        )
        func send(_ path: String, taking milliseconds: Int) async throws {
            async let sent = chain.send(.get("https://api.example.com" + path).on(clock))
            try await clock.waitForSleepers()
            clock.advance(by: .milliseconds(milliseconds))
            #expect(try await sent.attempts == 1)
        }
        for _ in 0..<20 { try await send("/slow", taking: 400) }
        for _ in 0..<20 { try await send("/fast", taking: 10) }
        for (path, latency) in [("/slow", 400), ("/fast", 10)] {
            async let sent = chain.send(.get("https://api.example.com" + path).on(clock))
            try await clock.waitForSleepers(count: 2)
            let delays = clock.pendingDeadlines.map { $0 - clock.elapsed }.sorted()
            let delay = try #require(delays.first { $0 != .milliseconds(latency) })
            #expect(delay >= .milliseconds(latency) && delay <= .milliseconds(latency * 109 / 100 + 1), "\(path)")
            clock.advance(by: .milliseconds(latency))
            #expect(try await sent.attempts == 1)
        }
        // A route that nobody has called has no delay yet.
        async let sent = chain.send(.get("https://api.example.com/new").on(clock))
        try await clock.waitForSleepers()
        #expect(clock.pendingDeadlines.count == 1)
        clock.advance(by: .milliseconds(10))
        _ = try await sent
    }

    @Test(
        "The response of a failed attempt is dropped before the next attempt, which has its place under a limit of one",
        arguments: [HedgingPolicy.Delay.quantile(0.95), .fixed(.seconds(5))]
    )
    func limitOfOne(delay: HedgingPolicy.Delay) async throws {
        let asked = Counter()
        let server = ClosureTransport { _ in
            Response(asked.add() == 1 ? .serviceUnavailable : .ok, body: .chunks(["a", "b"]))
        }
        let chain = try Chain(transport: server) {
            HedgingMiddleware(HedgingPolicy(after: delay), budget: nil)
            ConcurrencyLimitMiddleware(.fixed(1))
        }
        let response = try await chain.send(.get(url))
        #expect(response.status == .ok && response.attempts == 2)
        #expect(try await response.body.text() == "ab")
    }

    @Test("The stage keeps the rules of every stage", arguments: StageConformance.Check.allCases)
    func conforms(check: StageConformance.Check) async throws {
        try await StageConformance(
            calls: .any,
            recoversFromErrors: true,
            clock: { VirtualClock() },
            request: { .get(url) }
        ) { HedgingMiddleware(HedgingPolicy(after: .fixed(.seconds(5))), budget: nil) }.verify(check)
    }
}

extension HTTPField.Name {
    fileprivate static let host = Self("Host") ?? .accept
    fileprivate static let xAPIKey = Self("X-Api-Key") ?? .accept
}
#endif
