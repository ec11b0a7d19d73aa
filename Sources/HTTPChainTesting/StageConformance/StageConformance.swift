public import HTTPChainCore
import HTTPTypes

/// Holds a stage to the rules that every stage keeps, whatever else it does.
///
/// Each rule is a ``Check``, so that a parameterised test shows them one by one:
///
/// ```swift
/// @Test("The stage keeps the rules", .timeLimit(.minutes(10)), arguments: StageConformance.Check.allCases)
/// func conforms(check: StageConformance.Check) async throws {
///     try await StageConformance(calls: .exactlyOnce) { MyMiddleware() }.verify(check)
/// }
/// ```
///
/// In XCTest, ``verifyAll()`` runs them one after the other.
///
/// A stage that answers from a store, or calls `next` again, is given a request and answers that make it do so. The
/// checks provoke as well: they answer with 503, 401 and a redirect, and let the exchange fail.
public struct StageConformance: Sendable {
    /// The number of times that a stage calls `next` in one call.
    public enum Calls: Sendable, Hashable {
        /// Once, whatever happens.
        case exactlyOnce
        /// Once, or not at all when the stage answers itself.
        case atMostOnce
        /// As often as it needs: a stage that retries, redirects, hedges.
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

    /// Declares what the stage does and how to make one; each check makes its own.
    ///
    /// - Parameters:
    ///   - calls: How often it calls `next`; exactly once by default.
    ///   - recoversFromErrors: Whether it may answer with a response when `next` threw; `false` by default.
    ///   - changesResponseBody: Whether it may return another body than `next` did; `false` by default.
    ///   - clock: Makes the clock that the stage sees; an automatic one by default. A stage that races its work with a
    ///     deadline needs one that stands still.
    ///   - request: Makes the request that is sent; a POST with a short text by default.
    ///   - answers: Makes the answers of `next`, the last of which is repeated; 200 with a text by default.
    ///   - stage: Makes the stage.
    public init(
        calls: Calls = .exactlyOnce,
        recoversFromErrors: Bool = false,
        changesResponseBody: Bool = false,
        clock: @escaping @Sendable () -> VirtualClock = { .automatic() },
        request: @escaping @Sendable () throws -> Request = { StageConformance.defaultRequest },
        answers: @escaping @Sendable () -> [StageHarness.Answer] = { StageConformance.defaultAnswers },
        stage: @escaping @Sendable () throws -> any Middleware
    ) {
        self.calls = calls
        self.recoversFromErrors = recoversFromErrors
        self.changesResponseBody = changesResponseBody
        makeClock = clock
        makeRequest = request
        makeAnswers = answers
        makeStage = stage
    }

    /// The request that is sent unless another is given: a POST with a short text.
    public static var defaultRequest: Request {
        .post("https://conformance.example/items", headers: [.contentType: "text/plain"], body: "what is asked")
    }

    /// The answers of `next` unless others are given: 200 with a text.
    public static var defaultAnswers: [StageHarness.Answer] {
        [.status(.ok, headers: [.contentType: "text/plain"], body: "what is answered, in several pieces")]
    }

    /// Runs one check.
    ///
    /// - Throws: ``StageConformanceFailure`` when the stage breaks the rule; what making the stage or the request
    ///   throws; `CancellationError` when the test is cancelled.
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

    /// Runs all checks one after the other.
    ///
    /// - Throws: As ``verify(_:)`` does, for the first that fails.
    public func verifyAll() async throws {
        for check in Check.allCases { try await verify(check) }
    }
}

extension StageConformance {
    /// One rule.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Check: Sendable, Hashable, CaseIterable, CustomStringConvertible {
        /// A cancelled call cancels what it waits for, and ends at once.
        case cancellationReachesNext
        /// `CancellationError` from `next` is not handled, wrapped or retried.
        case cancellationFromNextPassesOn
        /// `next` is called as often as was declared.
        case nextIsCalledAsDeclared
        /// The error that `next` throws is what the caller gets, or its cause.
        case errorsPassOn
        /// A request body that can be read once is not sent or read a second time.
        case oneShotBodyIsReadOnce
        /// The response of an attempt that was discarded does not stay open.
        case discardedResponsesAreReleased
        /// The caller can read the body from the beginning to its end.
        case responseBodyIsWhole
        /// A body whose transfer breaks is not taken for a complete one.
        case brokenBodyStaysBroken
        /// Nothing of the request outlives the call.
        case requestIsNotKept
        /// Calls at the same time do not get each other's requests or responses.
        case concurrentCallsStayApart

        /// The rule, as a sentence.
        public var description: String {
            switch self {
            case .cancellationReachesNext: "cancelling a call cancels next and ends it with CancellationError"
            case .cancellationFromNextPassesOn: "a CancellationError from next ends the call and passes on unchanged"
            case .nextIsCalledAsDeclared: "next is called as often as declared"
            case .errorsPassOn: "an error from next passes on, as it is or as the cause of another"
            case .oneShotBodyIsReadOnce: "a request body that can be read once is never read twice"
            case .discardedResponsesAreReleased: "the response of a discarded attempt is drained or dropped"
            case .responseBodyIsWhole: "the response still has all of its body for the caller"
            case .brokenBodyStaysBroken: "a response body that breaks is never taken for a complete one"
            case .requestIsNotKept: "the request is not kept after the call"
            case .concurrentCallsStayApart: "concurrent calls do not mix up their requests"
            }
        }
    }
}

/// A stage breaks one of the rules that every stage keeps.
public struct StageConformanceFailure: HTTPChainError, Hashable {
    /// The rule.
    public let check: StageConformance.Check
    /// The stage, as ``/HTTPChainCore/Chain/explain()`` names it.
    public let stage: String
    /// The sentence that says what the stage did.
    public let detail: String

    /// The rule, and what the stage did.
    public var reason: String { "the rule is that \(check); but \(detail)" }
}
