#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

private struct Failure: Error, Equatable {}

private let url = "https://example.com/a"

/// Sends again after an error, with a wait before.
private let retry = ClosureMiddleware("Retry") { request, next in
    for _ in 0..<2 {
        do {
            return try await next(request)
        } catch is Failure {
            try await request.environment.time.sleep(for: .seconds(1))
        }
    }
    return try await next(request)
}

private let passThrough = ClosureMiddleware("PassThrough") { request, next in try await next(request) }

@Suite("The harness with answers written down", .timeLimit(.minutes(10)))
struct ScriptedHarnessTests {
    @Test("The outcome has the requests that the stage passed on, and what it returned")
    func requestsAndResult() async throws {
        let stage = ClosureMiddleware { request, next in
            request.head.headerFields[.accept] = "text/plain"
            var response = try await next(request)
            response.headers[.server] = "stage"
            return response
        }
        let outcome = await StageHarness(stage).send(.get(url), answering: .status(201, body: "made"))
        #expect(outcome.requests.map { $0.head.headerFields[.accept] } == ["text/plain"])
        #expect(outcome.error == nil)
        #expect(outcome.unusedAnswers == 0)
        try await expectResponse(try outcome.response(), .created, headers: [.server: "stage"], body: "made")
    }

    @Test("A stage that waits between attempts is driven without waiting")
    func virtualTime() async throws {
        let harness = StageHarness(retry)
        let outcome = await harness.send(.get(url), answering: .failure(Failure()), .failure(Failure()), .ok)
        #expect(try outcome.response().status == .ok)
        #expect(outcome.requests.count == 3)
        #expect(harness.clock.sleeps == [.seconds(1), .seconds(1)])
    }

    @Test("What the stage throws is the result")
    func thrown() async {
        let outcome = await StageHarness(passThrough).send(.get(url), answering: .failure(Failure()))
        #expect(outcome.error as? Failure == Failure())
        #expect(throws: Failure.self) { try outcome.response() }
    }

    @Test("A call too many is an error that says so, even when the stage hides it")
    func noAnswerLeft() async {
        let stage = ClosureMiddleware { request, next in
            _ = try await next(request)
            return (try? await next(request)) ?? Response(.ok)
        }
        let outcome = await StageHarness(stage).send(.get(url + "?token=1"))
        let error = outcome.error as? StageHarnessError
        #expect(error?.problem == .noAnswerLeft(call: 2, request: "GET https://example.com/a?token=<redacted>"))
        #expect(error.map { "\($0)".contains("2 times") } == true)
    }

    @Test("A stage that answers itself leaves the answers over")
    func unused() async throws {
        let stage = ClosureMiddleware { _, _ in Response(.noContent) }
        let outcome = await StageHarness(stage).send(.get(url), answering: [.ok, .ok])
        #expect(outcome.unusedAnswers == 2)
        #expect(outcome.requests.isEmpty)
        let none = await StageHarness(stage).send(.get(url), answering: [])
        #expect(try none.response().status == .noContent)
    }

    @Test("A request body that can be read once is read by next and kept for the test")
    func oneShotBody() async throws {
        let chunks = AsyncStream { continuation in
            continuation.yield(Data("one ".utf8))
            continuation.yield(Data("shot".utf8))
            continuation.finish()
        }
        let outcome = await StageHarness(passThrough).send(.post(url, body: .once(chunks: chunks)), answering: .ok)
        #expect(try await outcome.requests.first?.body.text() == "one shot")
        let twice = ClosureMiddleware { request, next in
            _ = try await next(request)
            return try await next(request)
        }
        let second = await StageHarness(twice).send(
            .post(url, body: .chunks([String]())),
            answering: .ok,
            .ok
        )
        #expect((second.error as? BodyError)?.problem == .alreadyRead)
    }

    @Test("An answer may be made from the request")
    func performed() async throws {
        let outcome = await StageHarness(passThrough).send(
            .get(url),
            answering: .perform { Response(.ok, body: HTTPBody($0.url)) }
        )
        #expect(try await outcome.response().body.text() == url)
    }

    @Test("An environment that the request brings is left alone")
    func ownEnvironment() async throws {
        let clock = VirtualClock()
        clock.advance(by: .seconds(42))
        var request = Request.get(url)
        request.environment = .virtual(clock)
        let stage = ClosureMiddleware { request, next in
            request.head.headerFields[.age] = "\(request.environment.time.elapsed.components.seconds)"
            return try await next(request)
        }
        let outcome = await StageHarness(stage).send(request)
        #expect(outcome.requests.first?.head.headerFields[.age] == "42")
    }
}

@Suite("The harness driven by hand", .timeLimit(.minutes(10)))
struct HandDrivenHarnessTests {
    @Test("A script sees each call and answers it")
    func answersByHand() async throws {
        let response = try await StageHarness(retry).drive(.get(url)) { run in
            let first = try await run.nextCall()
            #expect(first.number == 1)
            #expect(first.request.url == url)
            #expect(first.fail(Failure()))
            let second = try await run.nextCall()
            #expect(second.number == 2)
            #expect(second.answer(Response(.accepted)))
            #expect(!second.answer(Response(.ok)), "the first answer counts")
            return try await run.response()
        }
        #expect(response.status == .accepted)
    }

    @Test("The script sees what the stage does between its calls on a clock moved by hand")
    func clockByHand() async throws {
        let clock = VirtualClock()
        try await StageHarness(retry, clock: clock).drive(.get(url)) { run in
            try await run.nextCall().fail(Failure())
            try await clock.waitForSleepers()
            #expect(run.callCount == 1)
            clock.advance(by: .seconds(1))
            try await run.nextCall().answer(Response(.ok))
            #expect(try await run.response().status == .ok)
        }
    }

    @Test("Waiting for a call that does not come is an error that tells what the stage did instead")
    func finishedInstead() async throws {
        let silent = ClosureMiddleware { _, _ in Response(.noContent) }
        let error = await #expect(throws: StageHarnessError.self) {
            try await StageHarness(silent).drive(.get(url)) { run in _ = try await run.nextCall() }
        }
        #expect(error?.problem == .finishedInstead(call: 1, result: "returned 204 No Content"))
        let throwing = ClosureMiddleware { _, _ in throw Failure() }
        let other = await #expect(throws: StageHarnessError.self) {
            try await StageHarness(throwing).drive(.get(url)) { run in _ = try await run.nextCall() }
        }
        #expect(other?.problem == .finishedInstead(call: 1, result: "threw Failure()"))
    }

    @Test("Waiting for the stage while it waits for an answer is an error, not a hang")
    func unanswered() async {
        for waitsForCall in [true, false] {
            let error = await #expect(throws: StageHarnessError.self) {
                try await StageHarness(passThrough).drive(.get(url)) { run in
                    _ = try await run.nextCall()
                    if waitsForCall { _ = try await run.nextCall() } else { _ = try await run.response() }
                }
            }
            #expect(error?.problem == .unanswered(call: 1, request: "GET \(url)"))
        }
    }

    @Test("Waiting for the response while the stage calls next again is an error, not a hang")
    func calledAgain() async {
        let error = await #expect(throws: StageHarnessError.self) {
            try await StageHarness(retry).drive(.get(url)) { run in
                try await run.nextCall().fail(Failure())
                _ = try await run.response()
            }
        }
        #expect(error?.problem == .calledAgain(call: 2, request: "GET \(url)"))
    }

    @Test("A call that is held may wait while another is answered, and is cancelled with the stage's attempt")
    func heldCall() async throws {
        let hedge = ClosureMiddleware { request, next in
            let request = request
            return try await withThrowingTaskGroup(of: Response.self) { group in
                group.addTask { try await next(request) }
                group.addTask { try await next(request) }
                defer { group.cancelAll() }
                return try await group.next() ?? Response(.badGateway)
            }
        }
        let status = try await StageHarness(hedge).drive(.get(url)) { run in
            let slow = try await run.nextCall()
            slow.hold()
            let fast = try await run.nextCall()
            fast.answer(Response(.ok))
            let response = try await run.response()
            try await slow.waitUntilSettled()
            #expect(slow.isSettled)
            #expect(!slow.answer(Response(.conflict)))
            return response.status
        }
        #expect(status == .ok)
    }

    @Test("Cancelling the call cancels what the stage waits for")
    func cancellation() async {
        await #expect(throws: CancellationError.self) {
            try await StageHarness(passThrough).drive(.get(url)) { run in
                let call = try await run.nextCall()
                call.hold()
                run.cancel()
                try await call.waitUntilSettled()
                _ = try await run.response()
            }
        }
    }

    @Test("A script that ends early ends the stage too")
    func scriptEnds() async throws {
        let ended = Locked<(any Error)?>(nil)
        let stage = ClosureMiddleware { request, next in
            do {
                return try await next(request)
            } catch {
                ended.withLock { $0 = error }
                throw error
            }
        }
        let seen = try await StageHarness(stage).drive(.get(url)) { run in try await run.nextCall().request.url }
        #expect(seen == url)
        #expect(ended.withLock { $0 } is CancellationError)
    }

    @Test("Cancelling the test ends a drive that waits")
    func testIsCancelled() async {
        let clock = VirtualClock()
        let sleeping = ClosureMiddleware { request, next in
            try await request.environment.time.sleep(for: .seconds(1))
            return try await next(request)
        }
        let task = Task {
            try await StageHarness(sleeping, clock: clock).drive(.get(url)) { run in
                _ = try await run.nextCall()
            }
        }
        await #expect(throws: Never.self) { try await clock.waitForSleepers() }
        task.cancel()
        await #expect(throws: (any Error).self) { try await task.value }
        #expect(clock.pendingDeadlines.isEmpty)
    }
}
#endif
