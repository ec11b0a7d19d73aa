public import HTTPChainCore
import HTTPTypes

/// Checks that a stage follows the rules for all stages.
///
/// Each rule is a ``Check``, so that a parameterised test shows them separately:
///
/// ```swift
/// @Test("The stage keeps the rules", .timeLimit(.minutes(10)), arguments: StageConformance.Check.allCases)
/// func conforms(check: StageConformance.Check) async throws {
///     try await StageConformance(calls: .exactlyOnce) { MyMiddleware() }.verify(check)
/// }
/// ```
///
/// In XCTest, use ``verifyAll()`` to run them in sequence.
///
/// For a stage that responds from a store, or calls `next` again, pass a request and answers that make it do so. The
/// checks also provoke stages with 503, 401 and redirect responses, and with failures.
public struct StageConformance: Sendable {
    /// The number of times that a stage calls `next` per call.
    public enum Calls: Sendable, Hashable {
        /// Exactly once, whatever happens.
        case exactlyOnce
        /// Once, or not at all if the stage responds itself.
        case atMostOnce
        /// Any number of times, for a stage that retries, redirects or hedges.
        case any
    }

    let calls: Calls
    let recoversFromErrors: Bool
    let changesResponseBody: Bool
    let makeClock: @Sendable () -> VirtualClock
    let makeRequest: @Sendable () throws -> Request
    let makeAnswers: @Sendable () -> [StageHarness.Answer]
    let makeStage: @Sendable () throws -> any Middleware
    var patience = Patience()

    /// Declares the behaviour of the stage, and how to create one; each check creates a new stage.
    ///
    /// - Parameters:
    ///   - calls: The number of times that the stage calls `next`; exactly once by default.
    ///   - recoversFromErrors: Whether the stage may return a response if `next` threw; `false` by default.
    ///   - changesResponseBody: Whether the stage may return a different body than `next` did; `false` by default.
    ///   - clock: A closure that creates the clock that the stage sees; an automatic one by default. A stage that races
    ///     its work with a deadline needs one that isn't automatic.
    ///   - request: A closure that makes the request to send; a POST with a short text by default.
    ///   - answers: A closure that makes the answers of `next`, the last of which is repeated; 200 with a text by
    ///     default.
    ///   - stage: A closure that creates the stage.
    public init(
        calls: Calls = .exactlyOnce,
        recoversFromErrors: Bool = false,
        changesResponseBody: Bool = false,
        clock: @escaping @Sendable () -> VirtualClock = { .automatic() },
        request: (@Sendable () throws -> Request)? = nil,
        answers: (@Sendable () -> [StageHarness.Answer])? = nil,
        stage: @escaping @Sendable () throws -> any Middleware
    ) {
        self.calls = calls
        self.recoversFromErrors = recoversFromErrors
        self.changesResponseBody = changesResponseBody
        makeClock = clock
        makeRequest = request ?? { Self.defaultRequest }
        makeAnswers = answers ?? { Self.defaultAnswers }
        makeStage = stage
    }

    /// The default request: a POST with a short text.
    package static var defaultRequest: Request {
        .post("https://conformance.example/items", headers: [.contentType: "text/plain"], body: "what is asked")
    }

    /// The default answers of `next`: 200 with a text.
    package static var defaultAnswers: [StageHarness.Answer] {
        [.status(.ok, headers: [.contentType: "text/plain"], body: "what is answered, in several pieces")]
    }

    /// Runs one check.
    ///
    /// - Throws: An error if the stage breaks the rule; any error from creating the stage or the
    ///   request; `CancellationError` if the test is cancelled.
    public func verify(_ check: Check) async throws {
        switch check {
        case .cancellationReachesNext: try await verifyCancellationReachesNext()
        case .cancellationFromNextPassesOn: try await verifyCancellationFromNext()
        case .nextIsCalledAsDeclared: try await verifyCalls()
        case .errorsPassOn: try await verifyErrors()
        case .oneShotBodyIsReadOnce: try await verifyOneShotBody()
        case .discardedResponsesAreReleased: try await verifyDiscardedResponses()
        case .responseBodyIsWhole: try await verifyResponseBody()
        case .brokenBodyStaysBroken: try await verifyBrokenBody()
        case .requestIsNotKept: try await verifyRequestIsNotKept()
        case .concurrentCallsStayApart: try await verifyConcurrentCalls()
        }
    }

    /// Runs all checks in sequence.
    ///
    /// - Throws: The same errors as ``verify(_:)``, for the first check that fails.
    public func verifyAll() async throws {
        for check in Check.allCases { try await verify(check) }
    }
}

extension StageConformance {
    /// A rule for all stages.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Check: Sendable, Hashable, CaseIterable, CustomStringConvertible, DescribedValue {
        /// A cancelled call cancels its pending work and ends at once.
        case cancellationReachesNext
        /// `CancellationError` from `next` is not handled, wrapped or retried.
        case cancellationFromNextPassesOn
        /// `next` is called as often as declared.
        case nextIsCalledAsDeclared
        /// The caller receives the error that `next` throws, or an error caused by it.
        case errorsPassOn
        /// A one-shot request body is not sent or read a second time.
        case oneShotBodyIsReadOnce
        /// A discarded attempt's response doesn't stay open, and is closed before `next` is called again.
        case discardedResponsesAreReleased
        /// The caller can read the body from the beginning to its end.
        case responseBodyIsWhole
        /// A body whose transfer breaks is not treated as complete.
        case brokenBodyStaysBroken
        /// No part of the request outlives the call.
        case requestIsNotKept
        /// Concurrent calls don't receive each other's requests or responses.
        case concurrentCallsStayApart

        /// The rule, as a sentence.
        package var words: String {
            switch self {
            case .cancellationReachesNext: "cancelling a call cancels next and ends it with CancellationError"
            case .cancellationFromNextPassesOn: "a CancellationError from next ends the call and passes on unchanged"
            case .nextIsCalledAsDeclared: "next is called as often as declared"
            case .errorsPassOn: "an error from next passes on, unchanged or as the cause of another"
            case .oneShotBodyIsReadOnce: "a request body that can be read once is never read twice"
            case .discardedResponsesAreReleased:
                "the response of a discarded attempt is drained or dropped, before the next one"
            case .responseBodyIsWhole: "the response still has all of its body for the caller"
            case .brokenBodyStaysBroken: "a response body that fails is never mistaken for a complete one"
            case .requestIsNotKept: "the request is not kept after the call"
            case .concurrentCallsStayApart: "concurrent calls do not mix up their requests"
            }
        }
    }
}

/// An error for a stage that breaks a rule for all stages.
package struct StageConformanceFailure: HTTPChainError, Hashable {
    /// The rule.
    package let check: StageConformance.Check
    /// The stage's name in ``/HTTPChainCore/Chain/explain()``.
    package let stage: String
    /// A sentence that says what the stage did.
    package let detail: String

    /// The rule, and a sentence that says what the stage did.
    package var reason: String { "the rule is that \(check); but \(detail)" }
}
