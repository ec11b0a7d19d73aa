import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainRetry
import HTTPChainTesting
import HTTPTypes
import Testing

@Suite("RetryMiddleware", .timeLimit(.minutes(10)))
struct RetryMiddlewareTests {
    private let stage = RetryMiddleware(plainPolicy())

    @Test("A success is passed on as it came, with nothing attached")
    func success() async throws {
        let outcome = await StageHarness(stage).send(.get(url), answering: .ok("fine"))
        let response = try outcome.response()
        #expect(response.retries == nil)
        #expect(response.attempts == 1)
        #expect(response.options.names.isEmpty)
        #expect(outcome.requests[0].options.names == ["EnvironmentNote"])
        #expect(try await response.body.text() == "fine")
    }

    @Test("A failed attempt is followed by another, numbered, after a wait")
    func retries() async throws {
        let harness = StageHarness(stage)
        let outcome = await harness.send(
            .get(url),
            answering: .status(.serviceUnavailable),
            .failure(lost()),
            .ok("fine")
        )
        let response = try outcome.response()
        #expect(try await response.body.text() == "fine")
        #expect(outcome.requests.map(\.attempt) == [1, 2, 3])
        #expect(harness.clock.sleeps == [.seconds(1), .seconds(2)])
        #expect(response.attempts == 3)
        let history = try #require(response.retries)
        #expect(history.stop == .notNeeded)
        #expect(history.attempts.map(\.number) == [1, 2, 3])
        #expect(history.attempts.map(\.wait) == [.seconds(1), .seconds(2), nil])
        #expect(
            "\(history)" == """
                attempt 1: 503; waited 1.0 s
                attempt 2: test: the connection ended before the response was complete; \
                the request may have reached the server; waited 2.0 s
                attempt 3: 200
                no further attempt: the response is not retryable
                """
        )
    }

    @Test("The last response is the result when the attempts are spent, with all of its body")
    func lastResponse() async throws {
        let outcome = await StageHarness(stage).send(
            .get(url),
            answering: .status(.badGateway, body: oneShot("1")),
            .status(.badGateway, body: oneShot("2")),
            .status(.serviceUnavailable, headers: [.retryAfter: "1"], body: oneShot("3"))
        )
        let response = try outcome.response()
        #expect(response.status == .serviceUnavailable)
        #expect(response.headers[.retryAfter] == "1")
        #expect(try await response.body.text() == "3")
        #expect(response.retries?.stop == .attemptsSpent(maximum: 3))
        #expect(response.attempts == 3)
    }

    @Test("The last error is thrown as it is, and carries what was tried")
    func lastError() async throws {
        let outcome = await StageHarness(stage).send(
            .get(url),
            answering: .failure(lost(.nothing, .cannotConnect)),
            .status(.badGateway),
            .failure(lost(.maybe, .timedOut))
        )
        let error = try #require(outcome.error as? TransportError)
        #expect(error.kind == .timedOut)
        let history = try #require(error.retries)
        #expect(history.attempts.count == 3)
        #expect(history.stop == .attemptsSpent(maximum: 3))
        #expect("\(error)".contains("\n  attempt 2: 502; waited 2.0 s\n"))
        #expect("\(error)".contains("all 3 attempts that the policy allows were made"))
    }

    @Test("The last error says that nothing was sent only if that is true of all attempts")
    func sentByAny() async throws {
        let unsent = lost(.nothing, .cannotConnect)
        let rows: [([StageHarness.Answer], TransportError.Sent)] = [
            ([.failure(unsent), .failure(unsent), .failure(unsent)], .nothing),
            ([.failure(lost()), .failure(unsent), .failure(unsent)], .maybe),
            ([.failure(unsent), .status(.badGateway), .failure(unsent)], .maybe),
            ([.failure(TestTimeout(scope: .attempt)), .failure(unsent), .failure(unsent)], .maybe),
        ]
        for (answers, sent) in rows {
            let outcome = await StageHarness(stage).send(.put(url, body: "x"), answering: answers)
            let error = try #require(outcome.error as? TransportError)
            #expect(error.kind == .cannotConnect && error.sent == sent)
            #expect(error.retries?.attempts.count == 3)
        }
    }

    @Test("A limit to connect that ends the last attempt doesn't say that nothing was sent before it")
    func timeoutAfterSending() async throws {
        let late = TimeoutError(
            Deadline(.connect, limit: .seconds(1), start: .zero),
            at: .seconds(1),
            progress: .connecting,
            attempt: 2,
            stage: "AttemptTimeoutMiddleware",
            exchange: ExchangeSnapshot(Request.put(url, body: "x").head)
        )
        #expect(late.sent == .nothing)
        for (first, sent) in [(late as any Error, TransportError.Sent.nothing), (lost(), .maybe)] {
            let outcome = await StageHarness(stage).send(
                .put(url, body: "x"),
                answering: .failure(first),
                .failure(late),
                .failure(late)
            )
            #expect((outcome.error as? TimeoutError)?.sent == sent)
        }
    }

    @Test("An error that is not retried is thrown as it is")
    func otherErrors() async throws {
        let outcome = await StageHarness(stage).send(.get(url), answering: .failure(OtherError()))
        #expect(outcome.error is OtherError)
        let certificate = lost(.nothing, .secureConnectionFailed)
        let second = await StageHarness(stage).send(.get(url), answering: .failure(certificate))
        #expect((second.error as? TransportError)?.notes.isEmpty == true)
    }

    @Test("An error that cannot carry the account is thrown as it is")
    func foreignError() async throws {
        let outcome = await StageHarness(stage).send(
            .get(url),
            answering: Array(repeating: .failure(TestTimeout(scope: .attempt)), count: 3)
        )
        let error = try #require(outcome.error as? TestTimeout)
        #expect(error.retries == nil)
        #expect(outcome.requests.count == 3)
    }

    @Test("What stops it is told on the response or the error")
    func stops() async throws {
        let post = await StageHarness(stage).send(.post(url, body: "x"), answering: .status(.badGateway))
        #expect(try post.response().retries?.stop == .mayHaveBeenProcessed(.post))
        #expect(try post.response().attempts == 1)
        let upload = await StageHarness(stage).send(
            Request(.put, url, body: oneShot("x")),
            answering: .failure(lost(.nothing, .cannotConnect))
        )
        #expect((upload.error as? TransportError)?.retries?.stop == .bodyNotReplayable)
        let late = await StageHarness(stage).send(
            .get(url),
            answering: .status(.tooManyRequests, headers: [.retryAfter: "3600"])
        )
        #expect(
            try late.response().retries?.stop == .retryAfterTooLong(asked: .seconds(3600), limit: .seconds(60))
        )
    }

    @Test("A status that is not retried after others is the result, and the account says so")
    func notFoundAfterRetry() async throws {
        let outcome = await StageHarness(stage).send(.get(url), answering: .status(.badGateway), .status(.notFound))
        let response = try outcome.response()
        #expect(response.status == .notFound)
        #expect(response.retries?.stop == .notNeeded)
        #expect(response.retries?.attempts.count == 2)
    }

    @Test("A replayable body is sent whole each time")
    func replay() async throws {
        let outcome = await StageHarness(stage).send(
            Request(.put, url, body: "all of it"),
            answering: .status(.badGateway),
            .ok
        )
        for request in outcome.requests { #expect(try await request.body.text() == "all of it") }
        #expect(outcome.requests.count == 2)
    }

    @Test("Each attempt is the request as it came, whatever stages inside make of it")
    func pristine() async throws {
        let transport = InMemoryTransport()
        transport.enqueue(.status(.badGateway))
        transport.enqueue(.ok)
        let chain = try Chain(transport: transport, environment: .virtual(.automatic())) {
            RetryMiddleware(plainPolicy())
            ClosureMiddleware("Signer", phase: .authenticate) { request, next in
                request.head.headerFields.append(HTTPField(name: .authorization, value: "attempt \(request.attempt)"))
                return try await next(request)
            }
        }
        _ = try await chain.send(.get(url))
        #expect(transport.requests.map { $0.headers[values: .authorization] } == [["attempt 1"], ["attempt 2"]])
    }

    @Test("Attempts of a stage inside are counted")
    func innerAttempts() async throws {
        let seen = Locked<[Int]>([])
        let chain = try Chain(transport: InMemoryTransport { _ in Response(.ok) }, environment: .virtual(.automatic()))
        {
            RetryMiddleware(plainPolicy())
            ClosureMiddleware("Twice", phase: .authenticate) { request, next in
                seen.withLock { [attempt = request.attempt] in $0.append(attempt) }
                var response = try await next(request)
                response.attempts = 2
                if request.attempt == 1 { response.head.status = .badGateway }
                return response
            }
        }
        let response = try await chain.send(.get(url))
        #expect(response.attempts == 4)
        #expect(seen.withLock { $0 } == [1, 3])
    }

    @Test("A request that is a later attempt already counts on")
    func laterAttempt() async throws {
        var request = Request.get(url)
        request.attempt = 5
        let outcome = await StageHarness(stage).send(request, answering: .status(.badGateway), .ok)
        #expect(outcome.requests.map(\.attempt) == [5, 6])
        #expect(try outcome.response().retries?.attempts.map(\.number) == [5, 6])
    }

    @Test("A request of any number of attempt is retried")
    func anyAttempt() async throws {
        for number in [Int.min, .max] {
            var request = Request.get(url)
            request.attempt = number
            let outcome = await StageHarness(stage).send(request, answering: .status(.badGateway), .ok)
            #expect(try outcome.response().status == .ok)
        }
    }

    @Test("One call is not retried, or by a policy of its own")
    func perCall() async throws {
        let never = await StageHarness(stage).send(.get(url).retry(.never), answering: .status(.badGateway))
        #expect(try never.response().retries == nil)
        #expect(never.requests.count == 1)
        let five = await StageHarness(stage).send(
            .get(url).retry(plainPolicy(maximumAttempts: 5)),
            answering: Array(repeating: .status(.badGateway), count: 5)
        )
        #expect(five.requests.count == 5)
        let inside = await StageHarness(RetryMiddleware(.never)).send(
            .get(url).retry(plainPolicy(maximumAttempts: 2)),
            answering: .status(.badGateway),
            .ok
        )
        #expect(inside.requests.count == 2)
    }

    @Test("Fewer attempts than one are one", arguments: [1, 0, -1, .min])
    func fewAttempts(count: Int) async throws {
        let outcome = await StageHarness(RetryMiddleware(plainPolicy(maximumAttempts: count))).send(
            .get(url),
            answering: .status(.badGateway)
        )
        #expect(try outcome.response().status == .badGateway)
    }

    @Test("A closure sees the head of the request, the outcome and the number, and decides")
    func verdict() async throws {
        let seen = Locked<[String]>([])
        var policy = plainPolicy(maximumAttempts: 10)
        policy.verdict = { candidate in
            guard case .success(let head) = candidate.result else { return .standard }
            seen.withLock { $0.append("\(candidate.request.method) \(candidate.attempt) \(head.status.code)") }
            return head.status == .accepted ? .retry : .standard
        }
        let outcome = await StageHarness(RetryMiddleware(policy)).send(
            .post(url),
            answering: .status(.accepted),
            .status(.accepted),
            .ok
        )
        #expect(try outcome.response().status == .ok)
        #expect(seen.withLock { $0 } == ["POST 1 202", "POST 2 202", "POST 3 200"])
    }

    @Test("The total time is that from the first attempt, and counts what attempts and waits take")
    func totalTime() async throws {
        let clock = VirtualClock.automatic()
        let outcome = await StageHarness(
            RetryMiddleware(plainPolicy(maximumAttempts: 9, totalTime: .seconds(10))),
            clock: clock
        ).send(
            .get(url),
            answering: Array(
                repeating: .perform { _ in
                    try await clock.sleep(for: .seconds(3))
                    return Response(.badGateway)
                },
                count: 9
            )
        )
        // 3 + 1 + 3 + 2 + 3 = 12: a wait of 4 more is too late.
        #expect(try outcome.response().retries?.stop == .timeSpent(limit: .seconds(10)))
        #expect(outcome.requests.count == 3)
    }

    @Test("A wait that would outlive the call is not begun")
    func deadline() async throws {
        let harness = StageHarness(stage)
        var request = Request.get(url)
        request.options[DeadlineNote.self] = DeadlineNote.Mark(.milliseconds(2500))
        let outcome = await harness.send(
            request,
            answering: .status(.badGateway),
            .status(.badGateway, body: oneShot("x"))
        )
        let response = try outcome.response()
        #expect(response.retries?.stop == .deadline(remaining: .milliseconds(1500)))
        #expect(harness.clock.sleeps == [.seconds(1)])
        #expect(try await response.body.text() == "x")
    }

    @Test("The observer is told of each attempt in order, secrets redacted, and of what comes next")
    func observer() async throws {
        let events = Locked<[RetryEvent]>([])
        let stage = RetryMiddleware(plainPolicy()) { event in events.withLock { $0.append(event) } }
        _ = await StageHarness(stage).send(
            .get(url, headers: [.authorization: "Bearer secret"]),
            answering: .status(.badGateway),
            .failure(lost()),
            .ok
        )
        let told = events.withLock { $0 }
        #expect(told.map(\.attempt.number) == [1, 2, 3])
        #expect(told.map(\.attempt.wait) == [.seconds(1), .seconds(2), nil])
        #expect(told.map(\.stop) == [nil, nil, .notNeeded])
        #expect(told.map { $0.exchange.response?.status.code } == [502, nil, 200])
        #expect(!told.contains { "\($0)".contains("secret") })
    }

    @Test("The observer is told of a success at the first attempt, too")
    func observerOfSuccess() async throws {
        let events = Locked<[RetryEvent]>([])
        let stage = RetryMiddleware { event in events.withLock { $0.append(event) } }
        let outcome = await StageHarness(stage).send(.get(url), answering: .ok("x"))
        #expect(events.withLock { $0.map(\.stop) } == [.notNeeded])
        #expect(try outcome.response().retries == nil)
    }

    @Test("An error that is its own cause has no attempts")
    func loopingCause() {
        final class Looping: HTTPChainError {
            let stage = "test"
            let reason = "it loops"
            var underlyingError: (any Error)? { self }
        }
        #expect(Looping().retries == nil)
    }

    @Test("Two retry stages in a chain are refused")
    func twoStages() throws {
        let error = #expect(throws: ChainOrderError.self) {
            try Chain(transport: InMemoryTransport()) {
                RetryMiddleware()
                RetryMiddleware()
            }
        }
        #expect(error?.problems.count == 1)
        #expect("\(try #require(error))".contains("remove one"))
    }

    @Test("A retry stage in a chain inside, below another stage, is refused, and named where it stands")
    func twoLayers() throws {
        struct Passing: Middleware {
            func intercept(_ request: consuming Request, next: Next) async throws -> Response {
                try await next(request)
            }
        }
        let inner = try Chain([Passing(), RetryMiddleware()], transport: InMemoryTransport())
        let error = #expect(throws: ChainOrderError.self) {
            try Chain([RetryMiddleware(), Passing()], transport: inner)
        }
        #expect(try #require(error).problems.map(\.stage) == ["RetryMiddleware"])
        #expect("\(try #require(error))".contains("each attempt of one is retried by the other"))
        // One layer is none too many, and who knows better may have two.
        _ = try Chain([Passing()], transport: inner)
        _ = try Chain([RetryMiddleware()], transport: inner, order: .unchecked)
    }

    @Test("The summary tells the settings")
    func summary() throws {
        let chain = try Chain(transport: InMemoryTransport()) {
            RetryMiddleware(addingIdempotencyKeyTo: [.post, .patch])
        }
        let text = chain.explain()
        #expect(text.contains("attempts: 3; wait: 0.5 s doubling to 20.0 s, full jitter; Retry-After: up to 60.0 s"))
        #expect(text.contains("statuses: 408, 425, 429, 500, 502...504; budget: 0.2 of calls, at least 10.0/s"))
        #expect(text.contains("adds keys: PATCH, POST"))
    }
}
