#if AllTests
import Foundation
import HTTPChainCore
import HTTPTypes
import Testing

@testable import HTTPChainTesting

@Suite("Stages that keep the rules", .timeLimit(.minutes(10)))
struct SoundStageTests {
    @Test("A stage that passes everything on keeps the rules", arguments: StageConformance.Check.allCases)
    func passThrough(check: StageConformance.Check) async throws {
        try await StageConformance {
            ClosureMiddleware { request, next in try await next(request) }
        }.verify(check)
    }

    @Test("A stage that answers itself keeps the rules", arguments: StageConformance.Check.allCases)
    func answering(check: StageConformance.Check) async throws {
        try await StageConformance(calls: .atMostOnce) {
            ClosureMiddleware { _, _ in Response(.noContent) }
        }.verify(check)
    }

    @Test("A stage that tries again, with waits between, keeps the rules", arguments: StageConformance.Check.allCases)
    func retrying(check: StageConformance.Check) async throws {
        try await StageConformance(calls: .any) { SoundRetry() }.verify(check)
    }

    @Test("A stage that answers for a server that fails keeps the rules", arguments: StageConformance.Check.allCases)
    func recovering(check: StageConformance.Check) async throws {
        try await StageConformance(recoversFromErrors: true) {
            ClosureMiddleware { request, next in
                do {
                    return try await next(request)
                } catch let error as CancellationError {
                    throw error
                } catch {
                    return Response(.ok, body: "what was known before")
                }
            }
        }.verify(check)
    }

    @Test(
        "A stage that turns answers and errors into its own errors keeps the rules",
        arguments: StageConformance.Check.allCases
    )
    func wrapping(check: StageConformance.Check) async throws {
        try await StageConformance {
            ClosureMiddleware { request, next in
                do {
                    let response = try await next(request)
                    guard response.status.code < 400 else { throw Wrapped(underlyingError: nil) }
                    return response
                } catch let error as CancellationError {
                    throw error
                } catch {
                    throw Wrapped(underlyingError: error)
                }
            }
        }.verify(check)
    }

    @Test("A stage that changes the body says so", arguments: StageConformance.Check.allCases)
    func changing(check: StageConformance.Check) async throws {
        try await StageConformance(changesResponseBody: true) {
            ClosureMiddleware { request, next in
                var response = try await next(request)
                response.body = HTTPBody(Data(try await response.body.collect().reversed()))
                return response
            }
        }.verify(check)
    }

    @Test("A stage at work on several kinds of answers at once keeps the rules")
    func allChecks() async throws {
        try await StageConformance(
            calls: .any,
            request: { .get("https://example.com/{id}?a=1") },
            answers: { [.status(500), .failure(Wrapped(underlyingError: nil)), .ok] },
            stage: { SoundRetry() }
        ).verifyAll()
    }
}

private struct Wrapped: HTTPChainError {
    let underlyingError: (any Error)?
    var stage: String { "Wrapping" }
    var reason: String { "it failed" }
}

private struct SoundRetry: Middleware {
    func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        let environment = request.environment
        guard request.body.isReplayable else { return try await next(request) }
        for wait in 1...3 {
            do {
                let response = try await next(copy request)
                if response.status.code < 500 { return response }
                await response.body.drain()
            } catch let error as CancellationError {
                throw error
            } catch {}
            try await environment.time.sleep(for: .seconds(wait))
        }
        return try await next(request)
    }
}

/// A stage that breaks a rule, the rule, and what the report has to say.
private struct Offender: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let check: StageConformance.Check
    let report: String
    var calls = StageConformance.Calls.exactlyOnce
    let stage: @Sendable () -> any Middleware

    init(
        _ description: String,
        breaks check: StageConformance.Check,
        report: String,
        calls: StageConformance.Calls = .exactlyOnce,
        _ body: @escaping ClosureMiddleware.Intercept
    ) {
        self.init(
            description,
            breaks: check,
            report: report,
            calls: calls,
            stage: {
                ClosureMiddleware("Offender", body: body)
            }
        )
    }

    init(
        _ description: String,
        breaks check: StageConformance.Check,
        report: String,
        calls: StageConformance.Calls = .exactlyOnce,
        stage: @escaping @Sendable () -> any Middleware
    ) {
        testDescription = description
        self.check = check
        self.report = report
        self.calls = calls
        self.stage = stage
    }
}

private final class Keeper<Value: Sendable>: Sendable {
    let values = Locked<[Value]>([])
    func keep(_ value: Value) -> Value {
        values.withLock { values in
            values.append(value)
            return values[0]
        }
    }
}

private struct KeepingStage: Middleware {
    var sendsTheFirst = false
    let requests = Keeper<Request>()
    var summary: StageSummary { StageSummary("Offender") }
    func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        let own = request
        let first = requests.keep(own)
        return try await next(sendsTheFirst ? first : own)
    }
}

private struct ResponseKeepingStage: Middleware {
    let responses = Keeper<Response>()
    var summary: StageSummary { StageSummary("Offender") }
    func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        let first = try await next(copy request)
        guard first.status.code >= 500 else { return first }
        _ = responses.keep(first)
        return try await next(request)
    }
}

private let offenders: [Offender] = [
    Offender(
        "swallows cancellation",
        breaks: .cancellationReachesNext,
        report: "the cancelled call returned 200 OK"
    ) { request, next in
        (try? await next(request)) ?? Response(.ok)
    },
    Offender(
        "wraps cancellation",
        breaks: .cancellationReachesNext,
        report: "the cancelled call threw Wrapping"
    ) { request, next in
        do {
            return try await next(request)
        } catch {
            throw Wrapped(underlyingError: error)
        }
    },
    Offender(
        "never calls next",
        breaks: .cancellationReachesNext,
        report: "the call ended before next was called"
    ) { _, _ in Response(.ok) },
    Offender(
        "takes cancellation for a failure",
        breaks: .cancellationFromNextPassesOn,
        report: "the call returned 502 Bad Gateway"
    ) { request, next in
        do {
            return try await next(request)
        } catch {
            return Response(.badGateway)
        }
    },
    Offender(
        "tries again after cancellation",
        breaks: .cancellationFromNextPassesOn,
        report: "next was called 2 times",
        calls: .any
    ) { request, next in
        do {
            return try await next(request)
        } catch {
            return try await next(request)
        }
    },
    Offender(
        "calls next twice",
        breaks: .nextIsCalledAsDeclared,
        report: "next was called 2 times, but exactlyOnce was declared"
    ) { request, next in
        _ = try await next(request)
        return try await next(request)
    },
    Offender(
        "does not call next",
        breaks: .nextIsCalledAsDeclared,
        report: "next was called 0 times, but exactlyOnce was declared"
    ) { _, _ in Response(.ok) },
    Offender(
        "tries again after 503",
        breaks: .nextIsCalledAsDeclared,
        report: "next was called 2 times, but atMostOnce was declared",
        calls: .atMostOnce
    ) { request, next in
        let response = try await next(request)
        return response.status.code < 500 ? response : try await next(request)
    },
    Offender(
        "calls next without end",
        breaks: .errorsPassOn,
        report: "next was called more than 1000 times in one call",
        calls: .any
    ) { request, next in
        while true {
            do {
                return try await next(request)
            } catch let error as CancellationError {
                throw error
            } catch {}
        }
    },
    Offender(
        "answers for an error",
        breaks: .errorsPassOn,
        report: "next threw the error that the check made next throw, and the call returned 200 OK"
    ) { request, next in
        (try? await next(request)) ?? Response(.ok)
    },
    Offender(
        "loses the cause",
        breaks: .errorsPassOn,
        report: "which does not contain it"
    ) { request, next in
        do {
            return try await next(request)
        } catch {
            throw Wrapped(underlyingError: nil)
        }
    },
    Offender(
        "loses the cause of transport errors alone",
        breaks: .errorsPassOn,
        report: "next threw conformance: the connection ended"
    ) { request, next in
        do {
            return try await next(request)
        } catch is TransportError {
            throw Wrapped(underlyingError: nil)
        }
    },
    Offender(
        "sends a one-shot body again",
        breaks: .oneShotBodyIsReadOnce,
        report: "the body was sent again after it had been read",
        calls: .any
    ) { request, next in
        do {
            return try await next(request)
        } catch let error as TransportError where error.sent == .nothing {
            return try await next(request)
        }
    },
    Offender(
        "sends a one-shot body again for a redirect",
        breaks: .oneShotBodyIsReadOnce,
        report: "the body was sent again after it had been read",
        calls: .any
    ) { request, next in
        let response = try await next(request)
        return response.status == .temporaryRedirect ? try await next(request) : response
    },
    Offender(
        "reads a body that is yet to be sent",
        breaks: .oneShotBodyIsReadOnce,
        report: "the body was sent again after it had been read"
    ) { request, next in
        _ = try await request.body.collect()
        return try await next(request)
    },
    Offender(
        "reads a body twice itself",
        breaks: .oneShotBodyIsReadOnce,
        report: "the stage read the body twice"
    ) { request, next in
        _ = try await request.body.collect()
        request.body = HTTPBody(try await request.body.collect())
        return try await next(request)
    },
    Offender(
        "keeps the response of an attempt given up",
        breaks: .discardedResponsesAreReleased,
        report: "1 response body is open in addition to the one returned",
        calls: .any,
        stage: { ResponseKeepingStage() }
    ),
    Offender(
        "calls next again with a response in its hands",
        breaks: .discardedResponsesAreReleased,
        report: "next was called again while the previous response was open",
        calls: .any
    ) { request, next in
        let response = try await next(copy request)
        guard response.status.code >= 500 else { return response }
        let second = try await next(request)
        return second.status == .ok ? second : response
    },
    Offender(
        "returns an empty body",
        breaks: .responseBodyIsWhole,
        report: "the caller gets 0 bytes and next gave 35"
    ) { request, next in
        var response = try await next(request)
        response.body = .empty
        return response
    },
    Offender(
        "returns another body",
        breaks: .responseBodyIsWhole,
        report: "the caller gets different bytes than next gave"
    ) { request, next in
        var response = try await next(request)
        response.body = HTTPBody(Data(try await response.body.collect().reversed()))
        return response
    },
    Offender(
        "has read the body already",
        breaks: .responseBodyIsWhole,
        report: "reading the body throws body: the body was already read"
    ) { request, next in
        let response = try await next(request)
        _ = try await response.body.collect()
        return response
    },
    Offender(
        "fails for a good answer",
        breaks: .responseBodyIsWhole,
        report: "the call failed"
    ) { request, next in
        _ = try await next(request)
        throw Wrapped(underlyingError: nil)
    },
    Offender(
        "takes half a body for a whole one",
        breaks: .brokenBodyStaysBroken,
        report: "the caller reads it to an end without an error"
    ) { request, next in
        var response = try await next(request)
        var bytes = Data()
        do {
            for try await chunk in response.body { bytes.append(chunk) }
        } catch {}
        response.body = HTTPBody(bytes)
        return response
    },
    Offender(
        "keeps the request",
        breaks: .requestIsNotKept,
        report: "are still referenced when the call is over",
        stage: { KeepingStage() }
    ),
    Offender(
        "sends another call's request",
        breaks: .concurrentCallsStayApart,
        report: "got the response to call",
        stage: { KeepingStage(sendsTheFirst: true) }
    ),
]

@Suite("Stages that break a rule", .timeLimit(.minutes(10)))
struct OffendingStageTests {
    @Test("A stage is reported that", arguments: offenders)
    private func isReported(offender: Offender) async throws {
        let error = await #expect(throws: StageConformanceFailure.self) {
            try await StageConformance(calls: offender.calls) { offender.stage() }.verify(offender.check)
        }
        #expect(error?.check == offender.check)
        #expect(error?.stage == "Offender")
        #expect(error?.reason.contains(offender.report) == true, "it says: \(error?.reason ?? "nothing")")
        #expect(error?.description.contains("the rule is that \(offender.check)") == true)
    }

    @Test("Every rule has a stage that breaks it")
    func everyRuleIsProved() {
        #expect(Set(offenders.map(\.check)) == Set(StageConformance.Check.allCases))
    }

    @Test("A stage that does not let cancellation through is reported instead of hanging the test")
    func hangs() async throws {
        let patience = VirtualClock()
        var suite = StageConformance {
            ClosureMiddleware { request, next in
                let request = request
                return try await Task { try await next(request) }.value
            }
        }
        suite.patience.clock = patience
        let verdict = Task { [suite] in try await suite.verify(.cancellationReachesNext) }
        // The first wait is for next to be called and ends by itself; the second, for the cancelled call, never does.
        let driver = Task {
            while true {
                try await patience.waitForSleepers()
                patience.advanceToNextDeadline()
            }
        }
        let error = await #expect(throws: StageConformanceFailure.self) { try await verdict.value }
        driver.cancel()
        #expect(error?.detail == "waiting for the cancelled call to end took longer than 30.0 seconds")
        #expect(patience.sleeps.count >= 300)
    }

    @Test("A stage that needs thirty turns of a busy pool is waited for")
    func busyPool() async throws {
        var suite = StageConformance {
            ClosureMiddleware { request, next in
                for _ in 0..<30 { await Task.yield() }
                return try await next(request)
            }
        }
        // As many turns as ever, in a tenth of the time. With no pause at all they are over while the thread that the
        // stage is on waits for a processor.
        suite.patience.pause = .milliseconds(10)
        for check in StageConformance.Check.allCases { try await suite.verify(check) }
    }
}
#endif
