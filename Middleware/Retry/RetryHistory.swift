public import HTTPChainCore
public import HTTPTypes

/// The attempts of a call, what each came to, and why there was not another one.
///
/// It is attached to a response (`response.retries`) and to an error that can carry it (`error.retries`).
public struct RetryHistory: Sendable {
    /// A result of an attempt.
    public enum Outcome: Sendable {
        /// A response with this status.
        case status(HTTPResponse.Status)
        /// An error, while waiting for the response or reading its body.
        case failure(any Error)
    }

    /// One attempt.
    public struct Attempt: Sendable {
        /// The number of the attempt; 1 is the first.
        public let number: Int
        /// The position at which it took up a download again: the first byte it asked for; `nil` when it asked for the
        /// whole answer.
        public let offset: Int64?
        /// The result of the attempt.
        public let outcome: Outcome
        /// The wait after it; `nil` after the last.
        public let wait: Duration?
    }

    /// The attempts in order; of a download that broke very often, the latest 32.
    public internal(set) var attempts: [Attempt] = []
    /// Why there was not another attempt.
    public internal(set) var stop: RetryStop = .notNeeded

    static let limit = 32

    mutating func append(_ attempt: Attempt) {
        if attempts.count >= Self.limit { attempts.removeFirst() }
        attempts.append(attempt)
    }
}

extension RetryHistory: AttemptCounting {
    /// The number of attempts that were made, also where the first are no longer in ``attempts``.
    public var attemptCount: Int { attempts.last?.number ?? 0 }
}

/// Why a call was not tried again.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum RetryStop: Sendable, Hashable {
    /// The response is not one that is retried.
    case notNeeded
    /// The error is not one that is retried.
    case notRetryable
    /// The server may have acted on the request, and its method does not let it be sent twice (RFC 9110 §9.2.2).
    case mayHaveBeenProcessed(HTTPRequest.Method)
    /// The body can be read once and may have been read.
    case bodyNotReplayable
    /// The number of attempts that the policy allows was made.
    case attemptsSpent(maximum: Int)
    /// The next attempt would begin after the policy's total time.
    case timeSpent(limit: Duration)
    /// The wait would outlive the call, which has this much time left.
    case deadline(remaining: Duration)
    /// The server asks for a longer wait than the policy allows.
    case retryAfterTooLong(asked: Duration, limit: Duration)
    /// The budget that calls share allows no more retries now.
    case budgetSpent
    /// A download cannot go on where it broke, because what the server sent is not the rest of it.
    case cannotResume(String)
}

extension RetryStop: CustomStringConvertible {
    /// The reason, and what to do where something can be done.
    public var description: String {
        switch self {
        case .notNeeded: "the response is not one that is retried"
        case .notRetryable: "the error is not one that is retried"
        case .mayHaveBeenProcessed(let method):
            "the server may have acted on the request, and \(method) is not idempotent; "
                + "an Idempotency-Key lets it be sent again where the server knows the field"
        case .bodyNotReplayable: "the request's body can be read only once; buffered(upTo:) makes it replayable"
        case .attemptsSpent(let maximum): "all \(maximum) attempts that the policy allows were made"
        case .timeSpent(let limit): "another attempt would begin later than \(limit.label) after the first"
        case .deadline(let remaining): "the wait would outlive the call, which has \(remaining.label) left"
        case .retryAfterTooLong(let asked, let limit):
            "the server asks for a wait of \(asked.label), and the policy allows \(limit.label)"
        case .budgetSpent: "the retry budget is spent"
        case .cannotResume(let why): "the download cannot go on where it broke: \(why)"
        }
    }
}

extension RetryHistory: CustomStringConvertible {
    /// A line for each attempt, and one that says why there was not another.
    public var description: String {
        (attempts.map(\.description) + ["no further attempt: \(stop)"]).joined(separator: "\n")
    }
}

extension RetryHistory.Attempt: CustomStringConvertible {
    /// The attempt on one line.
    public var description: String {
        var text = "attempt \(number)"
        if let offset { text += " (from byte \(offset))" }
        switch outcome {
        case .status(let status): text += ": \(status.code)"
        case .failure(let error as any HTTPChainError): text += ": \(error.stage): \(error.reason)"
        case .failure(let error): text += ": \(error)"
        }
        if let wait { text += "; waited \(wait.label)" }
        return text
    }
}

/// The attempts behind a response; ``HTTPChainCore/Response/retries`` is the short way to it.
public enum RetryHistoryOption: ResponseOption {
    /// The first response was taken as it came.
    public static var defaultValue: RetryHistory? { nil }
}

/// The attempts behind an error; ``HTTPChainCore/HTTPChainError/retries`` is the short way to it.
public enum RetryHistoryNote: ErrorNote {
    /// The attempts.
    public typealias Value = RetryHistory
}

extension Response {
    /// The attempts that led to this response and why there was not another; `nil` when the first response was one
    /// that is not retried.
    public var retries: RetryHistory? { options[RetryHistoryOption.self] }
}

extension HTTPChainError {
    /// The attempts that led to this error and why there was not another; `nil` for one that is not retried and came at
    /// the first attempt.
    ///
    /// An error that was made of a response (a status that is not accepted) has those of the response, and one that
    /// wraps another those of the other. How many attempts there were is `attempts`, on every error.
    public var retries: RetryHistory? {
        if let history = (self as? any AnnotatedError)?.notes[RetryHistoryNote.self] { return history }
        if let history = (self as? any ResponseError)?.response.retries { return history }
        return (underlyingError as? any HTTPChainError)?.retries
    }
}

/// The event that ``RetryMiddleware`` gives its observer after each attempt.
public struct RetryEvent: Sendable {
    /// The request as it came to the stage and the head of the response, secrets redacted.
    public let exchange: ExchangeSnapshot
    /// The attempt; with the wait that begins now, if there is to be another.
    public let attempt: RetryHistory.Attempt
    /// Why there is not to be another attempt; `nil` when there is, and when a download goes on.
    public let stop: RetryStop?
}
