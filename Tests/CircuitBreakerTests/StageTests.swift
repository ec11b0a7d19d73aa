#if AllTests
import Foundation
import HTTPChainCircuitBreaker
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import Testing

@Suite("The circuit breaker stage", .timeLimit(.minutes(10)))
struct StageTests {
    struct TestTimeout: TimeoutFailure {
        let scope: TimeoutScope
        var stage: String { "test" }
        var reason: String { "time is up" }
    }

    struct Refused: RefusalError {
        var stage: String { "test" }
        var reason: String { "refused" }
        var retryAfter: Duration? { nil }
    }

    struct Other: Error {}

    static func lost(_ kind: TransportError.Kind) -> TransportError {
        TransportError(kind, sent: .maybe, stage: "test")
    }

    /// What an answer makes of a circuit that opens at the first failure.
    static let judgements: [(name: String, answer: StageHarness.Answer, opens: Bool)] = [
        ("200", .ok, false), ("304", .status(.notModified), false), ("404", .status(.notFound), false),
        ("401", .status(.unauthorized), false), ("429", .status(.tooManyRequests), false),
        ("500", .status(.internalServerError), true), ("503", .status(.serviceUnavailable), true),
        ("504", .status(.gatewayTimeout), true), ("cannot connect", .failure(lost(.cannotConnect)), true),
        ("connection lost", .failure(lost(.connectionLost)), true), ("timed out", .failure(lost(.timedOut)), true),
        ("attempt's timeout", .failure(TestTimeout(scope: .attempt)), true),
        ("silence", .failure(TestTimeout(scope: .read)), true),
        ("call's timeout", .failure(TestTimeout(scope: .call)), false), ("refused inside", .failure(Refused()), false),
        ("cancelled", .failure(CancellationError()), false), ("another error", .failure(Other()), false),
    ]

    @Test("The stage counts 5xx, transport errors and timeouts of an attempt", arguments: 0..<judgements.count)
    func judges(index: Int) async {
        let (name, answer, opens) = Self.judgements[index]
        let stage = CircuitBreakerMiddleware(.consecutive(failures: 1))
        _ = await StageHarness(stage).send(.get(url), answering: answer)
        #expect((stage.breaker.state(of: key) != .closed) == opens, "\(name)")
    }

    @Test("The stage counts the statuses that the policy names, and those alone")
    func failureStatuses() async {
        for (status, opens) in [(429, true), (404, false), (500, false), (503, true), (200, false)] {
            let stage = CircuitBreakerMiddleware(
                plainPolicy {
                    $0.consecutiveFailures = 1
                    $0.failureStatuses = [429, 503]
                }
            )
            _ = await StageHarness(stage).send(.get(url), answering: .status(.init(code: status)))
            #expect((stage.breaker.state(of: key) != .closed) == opens, "\(status)")
        }
    }

    @Test("The stage refuses with the time until the next probe, sends nothing, and says what is wrong")
    func refuses() async throws {
        let clock = VirtualClock()
        let harness = StageHarness(CircuitBreakerMiddleware(plainPolicy { $0.consecutiveFailures = 1 }), clock: clock)
        _ = await harness.send(.get(url), answering: .status(.badGateway))
        clock.advance(by: .seconds(2))
        let outcome = await harness.send(.get(url + "?token=geheim"), answering: [])
        let error = try #require(outcome.error as? CircuitOpenError)
        #expect(error.retryAfter == .seconds(3))
        #expect(error.key == key)
        #expect(error.cause == .failures)
        #expect(outcome.requests.isEmpty)
        #expect("\(error)".contains("try again in 3.0 s"))
        #expect(!"\(error)".contains("geheim"))
    }

    @Test("The stage lets probes through when the time is over, and closes after a success")
    func recovers() async throws {
        let clock = VirtualClock()
        let stage = CircuitBreakerMiddleware(plainPolicy { $0.consecutiveFailures = 1 })
        let harness = StageHarness(stage, clock: clock)
        let environment = ChainEnvironment.virtual(clock)
        _ = await harness.send(.get(url), answering: .status(.badGateway))
        #expect(stage.breaker.state(of: key, in: environment) == .open(until: .seconds(5)))
        clock.advance(by: .seconds(5))
        #expect(stage.breaker.state(of: key, in: environment) == .halfOpen)
        #expect(try await harness.send(.get(url), answering: .ok).response().status == .ok)
        #expect(stage.breaker.state(of: key, in: environment) == .closed)
    }

    @Test("The stage keeps origins apart, however they are spelled")
    func origins() async {
        let harness = StageHarness(CircuitBreakerMiddleware(.consecutive(failures: 1)), clock: VirtualClock())
        _ = await harness.send(.get("https://API.example.com:443/a"), answering: .status(.badGateway))
        #expect(await harness.send(.get(url), answering: []).error is CircuitOpenError)
        for other in ["http://api.example.com/", "https://api.example.com:8443/", "https://example.com/"] {
            #expect(await harness.send(.get(other), answering: .ok).error == nil)
        }
    }

    @Test("The stage groups by a key of the caller's, and lets pass what has none")
    func groups() async {
        let group = RequestGroup.by("tenant") { $0.head.headerFields[.userAgent] }
        let stage = CircuitBreakerMiddleware(.consecutive(failures: 1), by: group)
        let harness = StageHarness(stage, clock: VirtualClock())
        _ = await harness.send(.get(url, headers: [.userAgent: "a"]), answering: .status(.badGateway))
        #expect(await harness.send(.get(url, headers: [.userAgent: "a"]), answering: []).error is CircuitOpenError)
        #expect(await harness.send(.get(url, headers: [.userAgent: "b"]), answering: .ok).error == nil)
        #expect(await harness.send(.get(url), answering: .status(.badGateway)).error == nil)
        #expect(await harness.send(.get(url), answering: .ok).error == nil)
    }

    @Test("The stage remembers no more circuits than it may")
    func limit() async {
        let breaker = CircuitBreaker(.consecutive(failures: 1), limit: 10)
        let harness = StageHarness(CircuitBreakerMiddleware(breaker), clock: VirtualClock())
        for index in 0..<100 {
            _ = await harness.send(.get("https://\(index).example.com/"), answering: .status(.badGateway))
        }
        #expect(breaker.state(of: "https://99.example.com", in: .virtual()) != .closed)
        #expect(breaker.state(of: "https://89.example.com", in: .virtual()) == .closed)
        #expect(breaker.explain(in: .virtual()).split(separator: "\n").count == 11)
    }

    @Test(
        "A Retry-After of 429 and 503 opens for that long, that of another status does not",
        arguments: [
            (HTTPResponse.Status.tooManyRequests, true), (.serviceUnavailable, true), (.ok, false), (.notFound, false),
        ]
    )
    func retryAfter(status: HTTPResponse.Status, opens: Bool) async {
        let stage = CircuitBreakerMiddleware()
        let harness = StageHarness(stage, clock: VirtualClock())
        _ = await harness.send(.get(url), answering: .status(status, headers: [.retryAfter: "17"]))
        #expect(stage.breaker.state(of: key, in: .virtual()) == (opens ? .open(until: .seconds(17)) : .closed))
    }

    @Test("The Retry-After of a stored response opens nothing, as the server did not send it now")
    func storedRetryAfter() async {
        let stage = CircuitBreakerMiddleware()
        var response = Response(.serviceUnavailable, headers: [.retryAfter: "17"])
        response.source = .stored()
        _ = await StageHarness(stage, clock: VirtualClock()).send(
            .get(url),
            answering: .perform { [response] _ in response }
        )
        #expect(stage.breaker.state(of: key, in: .virtual()) == .closed)
    }

    @Test("A body that breaks is a failure; one that is dropped or cancelled is not")
    func bodies() async throws {
        struct Reader: BodyReader {
            var parts: ArraySlice<Result<Data, any Error>>
            nonisolated(nonsending) mutating func read() async throws -> Data? { try parts.popFirst()?.get() }
        }
        func body(_ parts: Result<Data, any Error>...) -> HTTPBody { .once { Reader(parts: parts[...]) } }
        let stage = CircuitBreakerMiddleware(.consecutive(failures: 1))
        let harness = StageHarness(stage, clock: VirtualClock())
        var response = try await harness.send(.get(url), answering: .ok(body(.success(Data("ab".utf8))))).response()
        #expect(try await response.body.text() == "ab")
        response = try await harness.send(.get(url), answering: .ok(body(.success(Data("ab".utf8))))).response()
        response = try await harness.send(.get(url), answering: .ok(body(.failure(CancellationError())))).response()
        await #expect(throws: CancellationError.self) { try await response.body.text() }
        #expect(stage.breaker.state(of: key, in: .virtual()) == .closed)
        let broken = body(.success(Data("a".utf8)), .failure(Self.lost(.truncatedBody)))
        response = try await harness.send(.get(url), answering: .ok(broken)).response()
        #expect(stage.breaker.state(of: key, in: .virtual()) == .closed)
        await #expect(throws: TransportError.self) { try await response.body.text() }
        #expect(stage.breaker.state(of: key, in: .virtual()) != .closed)
    }

    @Test("A probe whose body breaks opens the circuit that its head closed")
    func brokenProbe() async throws {
        struct Reader: BodyReader {
            nonisolated(nonsending) mutating func read() async throws -> Data? { throw StageTests.lost(.truncatedBody) }
        }
        let clock = VirtualClock()
        let environment = ChainEnvironment.virtual(clock)
        let stage = CircuitBreakerMiddleware(plainPolicy { $0.consecutiveFailures = 5 })
        let harness = StageHarness(stage, clock: clock)
        stage.breaker.open(key, for: .seconds(1), in: environment)
        clock.advance(by: .seconds(1))
        let response = try await harness.send(.get(url), answering: .ok(.once { Reader() })).response()
        #expect(stage.breaker.state(of: key, in: environment) == .closed)
        await #expect(throws: TransportError.self) { try await response.body.text() }
        #expect(stage.breaker.state(of: key, in: environment) == .open(until: .seconds(6)))
    }

    @Test(
        "A verdict decides before the rules",
        arguments: [
            (CircuitVerdict.standard, false), (.failure, true), (.success, false), (.neither, false),
        ]
    )
    func verdict(verdict: CircuitVerdict, opens: Bool) async {
        var policy = CircuitBreakerPolicy.consecutive(failures: 1)
        policy.verdict = { candidate in
            guard case .success(let head) = candidate.result, candidate.request.method == .get else {
                return .standard
            }
            return head.status == .ok ? verdict : .neither
        }
        let stage = CircuitBreakerMiddleware(policy)
        let harness = StageHarness(stage, clock: VirtualClock())
        _ = await harness.send(.get(url), answering: .status(.badGateway))
        #expect(stage.breaker.state(of: key, in: .virtual()) == .closed)
        _ = await harness.send(.get(url), answering: .ok)
        #expect((stage.breaker.state(of: key, in: .virtual()) != .closed) == opens)
    }

    @Test("The stage tells of changes in order, by observer and as a sequence, and ends a sequence that is dropped")
    func changes() async throws {
        let seen = Locked<[String]>([])
        let breaker = CircuitBreaker(plainPolicy { $0.consecutiveFailures = 2 }) { change in
            seen.withLock { $0.append("\(change)") }
        }
        let changes = breaker.changes()
        let clock = VirtualClock()
        let harness = StageHarness(CircuitBreakerMiddleware(breaker), clock: clock)
        for _ in 0..<2 { _ = await harness.send(.get(url), answering: .status(.badGateway)) }
        clock.advance(by: .seconds(5))
        _ = await harness.send(.get(url), answering: .ok)
        breaker.isolate(key)
        let expected = [
            "\(key): closed to open, 2 failures in a row", "\(key): open to half-open, the open time is over",
            "\(key): half-open to closed, the probes succeeded", "\(key): closed to isolated, changed by hand",
        ]
        #expect(seen.withLock { $0 } == expected)
        var fromSequence: [String] = []
        for await change in changes.prefix(4) { fromSequence.append("\(change)") }
        #expect(fromSequence == expected)
    }

    @Test("The stage explains its circuits")
    func explains() async throws {
        let breaker = CircuitBreaker(plainPolicy { $0.consecutiveFailures = 2 })
        let harness = StageHarness(CircuitBreakerMiddleware(breaker), clock: VirtualClock())
        _ = await harness.send(.get("https://b.example.com/"), answering: .ok)
        for _ in 0..<2 { _ = await harness.send(.get("https://a.example.com/"), answering: .status(.badGateway)) }
        #expect(
            breaker.explain(in: .virtual()) == """
                circuit                state   calls  failures  slow
                https://a.example.com  open    2      2         0
                https://b.example.com  closed  1      0         0
                """
        )
        let chain = try Chain([CircuitBreakerMiddleware(breaker)], transport: Server())
        #expect(chain.explain().contains("not closed: https://a.example.com"))
    }

    @Test("The stage keeps the rules of every stage", arguments: StageConformance.Check.allCases)
    func conforms(check: StageConformance.Check) async throws {
        try await StageConformance(calls: .atMostOnce) { CircuitBreakerMiddleware() }.verify(check)
    }
}
#endif
