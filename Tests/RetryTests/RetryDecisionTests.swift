import Foundation
import HTTPChainCore
import HTTPChainTesting
import HTTPTypes
import Testing

@testable import HTTPChainRetry

/// What a stage reports that had to fetch something for the call.
private struct FetchFailure: NetworkFailure {
    let networkFailure: TransportError?
    var resumes = false
    var notes = ErrorNotes()
    var stage: String { "test" }
    var reason: String { "the fetch failed" }
}

@Suite("Decisions")
struct RetryDecisionTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let rule: String
        var method = HTTPRequest.Method.get
        var fields: HTTPFields = [:]
        let outcome: Result<HTTPResponse, any Error>
        var policy = plainPolicy()
        var attempts = 1
        var isReplayable = true
        var elapsed = Duration.zero
        var remaining: Duration?
        let decision: RetryDecision
        var testDescription: String { rule }
    }

    private static func status(_ code: Int, _ fields: HTTPFields = [:]) -> Result<HTTPResponse, any Error> {
        .success(HTTPResponse(status: .init(code: code), headerFields: fields))
    }

    private static func failure(_ error: any Error) -> Result<HTTPResponse, any Error> { .failure(error) }

    private static let retry = RetryDecision.retry(after: .seconds(1))
    private static let unsafePost = RetryDecision.stop(.mayHaveBeenProcessed(.post))

    private static let retriedStatuses: [Row] =
        [408, 425, 429, 500, 502, 503, 504].map {
            Row(rule: "\($0) is retried", outcome: status($0), decision: retry)
        }

    private static let otherStatuses: [Row] =
        [200, 204, 206, 301, 304, 400, 401, 403, 404, 409, 412, 413, 421, 501, 505, 511].map {
            Row(rule: "\($0) is not retried", outcome: status($0), decision: .stop(.notNeeded))
        }

    private static let idempotentMethods: [Row] =
        [HTTPRequest.Method.get, .head, .options, .trace, .put, .delete].map {
            Row(rule: "\($0) is idempotent", method: $0, outcome: status(502), decision: retry)
        }

    private static let report = HTTPRequest.Method("REPORT") ?? .patch

    private static let otherMethods: [Row] =
        [HTTPRequest.Method.post, .patch, .connect, report].map {
            Row(
                rule: "\($0) is not idempotent",
                method: $0,
                outcome: status(502),
                decision: .stop(.mayHaveBeenProcessed($0))
            )
        }

    private static let keys: [Row] =
        [
            Row(
                rule: "a POST with an Idempotency-Key is",
                method: .post,
                fields: [.idempotencyKey: "\"1\""],
                outcome: status(502),
                decision: retry
            ),
            Row(
                rule: "a POST with an empty Idempotency-Key is not",
                method: .post,
                fields: [.idempotencyKey: ""],
                outcome: status(502),
                decision: unsafePost
            ),
        ]

    private static let refusals: [Row] =
        [408, 425, 429].map {
            Row(rule: "\($0) says that a POST was not processed", method: .post, outcome: status($0), decision: retry)
        }

    private static let failures: [Row] =
        [500, 502, 503, 504].map {
            Row(rule: "\($0) alone does not say so", method: .post, outcome: status($0), decision: unsafePost)
        }

    private static let unavailability: [Row] =
        [
            Row(
                rule: "503 with Retry-After says that a POST was not processed",
                method: .post,
                outcome: status(503, [.retryAfter: "0"]),
                decision: retry
            ),
            Row(
                rule: "503 with a Retry-After that makes no sense does not",
                method: .post,
                outcome: status(503, [.retryAfter: "soon"]),
                decision: unsafePost
            ),
            Row(
                rule: "500 with Retry-After does not",
                method: .post,
                outcome: status(500, [.retryAfter: "0"]),
                decision: unsafePost
            ),
        ]

    private static let passingErrors: [Row] =
        [TransportError.Kind.hostNotFound, .cannotConnect, .connectionLost, .truncatedBody, .timedOut].map {
            Row(rule: "an error passes: \($0)", outcome: failure(lost(.maybe, $0)), decision: retry)
        }

    private static let lastingErrors: [Row] =
        [TransportError.Kind.secureConnectionFailed, .malformedResponse, .shutDown, .other].map {
            Row(
                rule: "an error stays: \($0)",
                outcome: failure(lost(.nothing, $0)),
                decision: .stop(.notRetryable)
            )
        }

    private static let sentAndTimeouts: [Row] =
        [
            Row(
                rule: "nothing sent: a POST is safe",
                method: .post,
                outcome: failure(lost(.nothing)),
                decision: retry
            ),
            Row(rule: "maybe sent: a POST is not", method: .post, outcome: failure(lost()), decision: unsafePost),
            Row(
                rule: "answered: a POST is not",
                method: .post,
                outcome: failure(lost(.answered)),
                decision: unsafePost
            ),
            Row(rule: "answered: a GET is", outcome: failure(lost(.answered)), decision: retry),
            Row(rule: "an attempt's timeout", outcome: failure(TestTimeout(scope: .attempt)), decision: retry),
            Row(rule: "an idle timeout", outcome: failure(TestTimeout(scope: .read)), decision: retry),
            Row(
                rule: "a call's timeout is never retried",
                outcome: failure(TestTimeout(scope: .call)),
                decision: .stop(.notRetryable)
            ),
            Row(
                rule: "a timeout where timeouts are not retried",
                outcome: failure(TestTimeout(scope: .attempt)),
                policy: RetryPolicy(errors: [.connectionLost]),
                decision: .stop(.notRetryable)
            ),
            Row(
                rule: "what a stage fetched and the network lost is retried",
                outcome: failure(FetchFailure(networkFailure: lost(.nothing))),
                decision: retry
            ),
            Row(
                rule: "what resumes is safe, though the server may have seen a part of a POST",
                method: .post,
                outcome: failure(FetchFailure(networkFailure: lost(), resumes: true)),
                decision: retry
            ),
            Row(
                rule: "what a stage fetched after the server may have seen a POST is not safe",
                method: .post,
                outcome: failure(FetchFailure(networkFailure: lost(.nothing)).afterSending),
                decision: unsafePost
            ),
            Row(
                rule: "what a stage fetched in vain, though not by the network's fault, is not retried",
                outcome: failure(FetchFailure(networkFailure: nil)),
                decision: .stop(.notRetryable)
            ),
            Row(
                rule: "after a timeout the server may have seen a POST",
                method: .post,
                outcome: failure(TestTimeout(scope: .attempt)),
                decision: unsafePost
            ),
            Row(
                rule: "an error of another kind is not retried",
                outcome: failure(OtherError()),
                decision: .stop(.notRetryable)
            ),
            Row(
                rule: "an invalid request is not retried",
                outcome: failure(InvalidRequestError(.relativeURL("x"))),
                decision: .stop(.notRetryable)
            ),
            Row(
                rule: "a body that cannot be read is not retried",
                outcome: failure(BodyError(.alreadyRead)),
                decision: .stop(.notRetryable)
            ),
        ]

    private static let limits: [Row] = [
        Row(
            rule: "a body that can be read once is not sent again",
            outcome: status(503),
            isReplayable: false,
            decision: .stop(.bodyNotReplayable)
        ),
        Row(
            rule: "the last attempt but one is not the last",
            outcome: status(503),
            attempts: 2,
            decision: .retry(after: .seconds(2))
        ),
        Row(
            rule: "the last attempt is",
            outcome: status(503),
            attempts: 3,
            decision: .stop(.attemptsSpent(maximum: 3))
        ),
        Row(
            rule: "one attempt is the first, which was made",
            outcome: status(503),
            policy: plainPolicy(maximumAttempts: 1),
            decision: .stop(.attemptsSpent(maximum: 1))
        ),
        Row(
            rule: "fewer attempts than one are one",
            outcome: status(503),
            policy: plainPolicy(maximumAttempts: -2),
            decision: .stop(.attemptsSpent(maximum: 1))
        ),
        Row(
            rule: "Retry-After lengthens a wait",
            outcome: status(503, [.retryAfter: "30"]),
            decision: .retry(after: .seconds(30))
        ),
        Row(rule: "Retry-After does not shorten a wait", outcome: status(503, [.retryAfter: "0"]), decision: retry),
        Row(
            rule: "Retry-After counts for other statuses too",
            outcome: status(500, [.retryAfter: "30"]),
            decision: .retry(after: .seconds(30))
        ),
        Row(
            rule: "as long as the limit is not too long",
            outcome: status(429, [.retryAfter: "60"]),
            decision: .retry(after: .seconds(60))
        ),
        Row(
            rule: "longer than the limit is",
            outcome: status(429, [.retryAfter: "61"]),
            decision: .stop(.retryAfterTooLong(asked: .seconds(61), limit: .seconds(60)))
        ),
        Row(
            rule: "a Retry-After that makes no sense is as none",
            outcome: status(429, [.retryAfter: "-1"]),
            decision: retry
        ),
        Row(
            rule: "an attempt may begin when the total time ends",
            outcome: status(503),
            policy: plainPolicy(totalTime: .seconds(10)),
            elapsed: .seconds(9),
            decision: retry
        ),
        Row(
            rule: "an attempt does not begin after it",
            outcome: status(503),
            policy: plainPolicy(totalTime: .seconds(10)),
            elapsed: .milliseconds(9001),
            decision: .stop(.timeSpent(limit: .seconds(10)))
        ),
        Row(
            rule: "a wait that ends before the call's deadline is begun",
            outcome: status(503),
            remaining: .milliseconds(1001),
            decision: retry
        ),
        Row(
            rule: "a wait that ends at it is not",
            outcome: status(503),
            remaining: .seconds(1),
            decision: .stop(.deadline(remaining: .seconds(1)))
        ),
        Row(
            rule: "the method is told before the body and the attempts",
            method: .post,
            outcome: status(502),
            attempts: 3,
            isReplayable: false,
            decision: unsafePost
        ),
    ]

    private static func judging(_ verdict: RetryVerdict) -> RetryPolicy {
        var policy = plainPolicy()
        policy.verdict = { _ in verdict }
        return policy
    }

    private static let verdicts: [Row] = [
        Row(rule: "a closure retries a success", outcome: status(202), policy: judging(.retry), decision: retry),
        Row(
            rule: "a closure retries whatever the method",
            method: .post,
            outcome: status(502),
            policy: judging(.retry),
            decision: retry
        ),
        Row(
            rule: "a closure retries any error",
            outcome: failure(OtherError()),
            policy: judging(.retry),
            decision: retry
        ),
        Row(
            rule: "a closure does not lift the limits",
            outcome: status(202),
            policy: judging(.retry),
            attempts: 3,
            decision: .stop(.attemptsSpent(maximum: 3))
        ),
        Row(
            rule: "a closure does not make a body replayable",
            outcome: status(202),
            policy: judging(.retry),
            isReplayable: false,
            decision: .stop(.bodyNotReplayable)
        ),
        Row(
            rule: "a closure gives up on a status",
            outcome: status(503),
            policy: judging(.giveUp),
            decision: .stop(.notNeeded)
        ),
        Row(
            rule: "a closure gives up on an error",
            outcome: failure(lost(.nothing)),
            policy: judging(.giveUp),
            decision: .stop(.notRetryable)
        ),
        Row(
            rule: "a closure leaves it to the policy",
            outcome: status(503),
            policy: judging(.standard),
            decision: retry
        ),
        Row(
            rule: "a closure leaves it to the policy, which does not retry",
            outcome: status(404),
            policy: judging(.standard),
            decision: .stop(.notNeeded)
        ),
    ]

    private static let rows: [Row] = [
        retriedStatuses, otherStatuses, idempotentMethods, otherMethods, keys, refusals, failures, unavailability,
        passingErrors, lastingErrors, sentAndTimeouts, limits, verdicts,
    ].flatMap(\.self)

    @Test("Each outcome of an attempt has its decision", arguments: rows)
    func decide(row: Row) {
        let decision = row.policy.decide(
            CompletedAttempt(
                request: HTTPRequest(
                    method: row.method,
                    scheme: "https",
                    authority: "api.example.com",
                    path: "/",
                    headerFields: row.fields
                ),
                attempt: row.attempts,
                result: row.outcome
            ),
            RetryCircumstances(
                attempts: row.attempts,
                isReplayable: row.isReplayable,
                elapsed: row.elapsed,
                remaining: row.remaining,
                date: Date(timeIntervalSince1970: 784_111_777)
            ),
            random: SeededRandom(seed: 0)
        )
        #expect(decision == row.decision)
    }

    @Test("Every reason says what it means in words")
    func descriptions() {
        let stops: [RetryStop] = [
            .notNeeded, .notRetryable, .mayHaveBeenProcessed(.post), .bodyNotReplayable, .attemptsSpent(maximum: 3),
            .timeSpent(limit: .seconds(10)), .deadline(remaining: .milliseconds(20)),
            .retryAfterTooLong(asked: .seconds(3600), limit: .seconds(60)), .budgetSpent, .cannotResume("it changed"),
        ]
        let texts = stops.map(\.description)
        #expect(Set(texts).count == stops.count)
        let advice = "an Idempotency-Key allows a retry if the server supports the field"
        #expect(texts[2] == "the server may have acted on the request, and POST is not idempotent; \(advice)")
        #expect(texts[7] == "the server requests a wait of 3600.0 s, but the policy allows 60.0 s")
    }

    @Test("An account without attempts counts none, and an attempt names an error that has no stage")
    func account() {
        #expect(RetryHistory().attemptCount == 0)
        let attempt = RetryHistory.Attempt(number: 2, offset: nil, outcome: .failure(OtherError()), wait: .seconds(1))
        #expect(attempt.description == "attempt 2: OtherError(); waited 1.0 s")
        #expect(RetryHistory(attempts: [attempt], stop: .budgetSpent).attemptCount == 2)
    }
}
