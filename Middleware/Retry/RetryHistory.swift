public import HTTPChainCore
public import HTTPTypes

/// The attempts of a call, their outcomes, and the reason for stopping.
///
/// It is attached to responses (`response.retries`) and to errors that support it (`error.retries`).
public struct RetryHistory: Sendable {
    /// A single attempt.
    public struct Attempt: Sendable {
        /// The number of the attempt, starting with 1.
        public let number: Int
        /// The first requested byte if the attempt resumed a download, or `nil` if it requested the whole response.
        package let offset: Int64?
        /// The status of the response, or the error that occurred while waiting for it or reading its body.
        package let outcome: Result<HTTPResponse.Status, any Error>
        /// The wait after the attempt, or `nil` after the last one.
        public let wait: Duration?
    }

    /// The attempts in order, limited to the latest 32.
    public internal(set) var attempts: [Attempt] = []
    /// The reason why there was no further attempt.
    public internal(set) var stop: RetryStop = .notNeeded

    static let limit = 32

    mutating func append(_ attempt: Attempt) {
        if attempts.count >= Self.limit { attempts.removeFirst() }
        attempts.append(attempt)
    }
}

extension RetryHistory: AttemptCounting {
    /// The number of attempts made, including those no longer in ``attempts``.
    package var attemptCount: Int { attempts.last?.number ?? 0 }
}

/// The reason why a call wasn't retried.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum RetryStop: Sendable, Hashable {
    /// The response isn't retryable.
    case notNeeded
    /// The error isn't retryable.
    case notRetryable
    /// The server may have acted on the request, and its method isn't idempotent (RFC 9110 §9.2.2).
    case mayHaveBeenProcessed(HTTPRequest.Method)
    /// The body can be read only once, and may have been read.
    case bodyNotReplayable
    /// The maximum number of attempts that the policy allows has been made.
    case attemptsSpent(maximum: Int)
    /// The next attempt would start after the policy's total time.
    case timeSpent(limit: Duration)
    /// The wait would exceed the call's deadline, which is this far away.
    case deadline(remaining: Duration)
    /// The server requests a longer wait than the policy allows.
    case retryAfterTooLong(asked: Duration, limit: Duration)
    /// The shared budget currently allows no more retries.
    case budgetSpent
    /// A broken download can't be resumed, because the response isn't the rest of it.
    case cannotResume(String)
}

extension RetryStop: CustomStringConvertible, DescribedValue {
    /// The reason, and advice if there is any.
    package var words: String {
        switch self {
        case .notNeeded: "the response is not retryable"
        case .notRetryable: "the error is not retryable"
        case .mayHaveBeenProcessed(let method):
            "the server may have acted on the request, and \(method) is not idempotent; "
                + "an Idempotency-Key allows a retry if the server supports the field"
        case .bodyNotReplayable: "the request's body can be read only once; buffered(upTo:) makes it replayable"
        case .attemptsSpent(let maximum): "all \(maximum) attempts that the policy allows were made"
        case .timeSpent(let limit): "another attempt would begin later than \(limit.label) after the first"
        case .deadline(let remaining): "the wait would exceed the call's remaining time of \(remaining.label)"
        case .retryAfterTooLong(let asked, let limit):
            "the server requests a wait of \(asked.label), but the policy allows \(limit.label)"
        case .budgetSpent: "the retry budget is spent"
        case .cannotResume(let why): "the download cannot be resumed: \(why)"
        }
    }
}

extension RetryHistory: CustomStringConvertible, DescribedValue {
    /// One line for each attempt, and one for the reason for stopping.
    package var words: String {
        (attempts.map(\.description) + ["no further attempt: \(stop)"]).joined(separator: "\n")
    }
}

extension RetryHistory.Attempt: CustomStringConvertible, DescribedValue {
    /// A description of the attempt in one line.
    package var words: String {
        var text = "attempt \(number)"
        if let offset { text += " (from byte \(offset))" }
        switch outcome {
        case .success(let status): text += ": \(status.code)"
        case .failure(let error as any HTTPChainError): text += ": \(error.stage): \(error.reason)"
        case .failure(let error): text += ": \(error)"
        }
        if let wait { text += "; waited \(wait.label)" }
        return text
    }
}

/// The attempts before a response; see also ``HTTPChainCore/Response/retries``.
package enum RetryHistoryFact: ResponseOption {
    /// No history, because the first response wasn't retried.
    package static var defaultValue: RetryHistory? { nil }
}

/// The attempts before an error; see also ``HTTPChainCore/HTTPChainError/retries``.
package enum RetryHistoryNote: ErrorNote {
    /// The attempts.
    package typealias Value = RetryHistory
}

extension Response {
    /// The attempts that led to this response and the reason for stopping, or `nil` if the first response wasn't
    /// retryable.
    public var retries: RetryHistory? { options[RetryHistoryFact.self] }
}

extension HTTPChainError {
    /// The attempts that led to this error and the reason for stopping, or `nil` if the first attempt failed with an
    /// error that isn't retryable.
    ///
    /// An error made from a response (a rejected status) has the response's attempts. An error that wraps another has
    /// the attempts of that error. For every error, `attempts` is the number of attempts.
    public var retries: RetryHistory? {
        for error in causes {
            if let history = (error as? any AnnotatedError)?.notes[RetryHistoryNote.self] { return history }
            if let history = (error as? any ResponseError)?.response.retries { return history }
        }
        return nil
    }
}

/// The event passed to the observer of ``RetryMiddleware`` after each attempt.
public struct RetryEvent: Sendable {
    /// The request as received by the stage and the response's head, with secrets redacted.
    public let exchange: ExchangeSnapshot
    /// The attempt.
    ///
    /// Its wait, if there is one, starts now.
    public let attempt: RetryHistory.Attempt
    /// The reason for stopping, or `nil` if there will be another attempt or a download continues.
    public let stop: RetryStop?
}
