public import HTTPChainCore
public import HTTPTypes

/// The rules that say what is retried, how often, and after which wait.
///
/// ```swift
/// var policy = RetryPolicy(maximumAttempts: 5, backoff: Backoff(base: .seconds(1)))
/// policy.statuses = policy.statuses.subtracting([500])
/// policy.verdict = { candidate in
///     if case .response(let head) = candidate.outcome, head.status == .accepted { .retry } else { .standard }
/// }
/// ```
public struct RetryPolicy: Sendable {
    /// The number of times that the request is sent at most, the first time included; 1 or less sends it once.
    public var maximumAttempts: Int
    /// The time after the beginning of the first attempt within which another one may begin; `nil` for no limit.
    public var totalTime: Duration?
    /// The waits between attempts.
    public var backoff: Backoff
    /// The longest wait that the server may ask for with `Retry-After`; when it asks for more, its response is the
    /// result.
    public var retryAfterLimit: Duration
    /// The statuses that are retried, where the request may be sent again.
    public var statuses: StatusSet
    /// The kinds of ``/HTTPChainCore/TransportError`` that are retried, where the request may be sent again.
    public var errors: Set<TransportError.Kind>
    /// Whether a download that breaks goes on where it broke.
    public var resumesDownloads: Bool
    /// Decides before the policy's own rules do, on every outcome, a success included.
    ///
    /// Where a circuit breaker or load shedding stands inside, it is also asked about an example of their refusals when
    /// the chain is built: one that retries those does not build.
    public var verdict: (@Sendable (RetryCandidate) -> RetryVerdict)?

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - maximumAttempts: How often the request is sent at most, the first time included; 3 by default.
    ///   - totalTime: How long after the first attempt began another one may begin; no limit by default.
    ///   - backoff: The waits between attempts; 0.5 seconds doubling to 20 with full jitter by default.
    ///   - retryAfterLimit: How long a wait the server may ask for; a minute by default.
    ///   - statuses: The statuses that are retried; ``standardStatuses`` by default.
    ///   - errors: The kinds of transport error that are retried; ``standardErrors`` by default.
    ///   - resumesDownloads: Whether a download that breaks goes on where it broke; it does by default.
    ///   - verdict: Decides before the policy's own rules do; none by default.
    public init(
        maximumAttempts: Int = 3,
        totalTime: Duration? = nil,
        backoff: Backoff = Backoff(),
        retryAfterLimit: Duration = .seconds(60),
        statuses: StatusSet = RetryPolicy.standardStatuses,
        errors: Set<TransportError.Kind> = RetryPolicy.standardErrors,
        resumesDownloads: Bool = true,
        verdict: (@Sendable (RetryCandidate) -> RetryVerdict)? = nil
    ) {
        self.maximumAttempts = maximumAttempts
        self.totalTime = totalTime
        self.backoff = backoff
        self.retryAfterLimit = retryAfterLimit
        self.statuses = statuses
        self.errors = errors
        self.resumesDownloads = resumesDownloads
        self.verdict = verdict
    }

    /// The request is sent once, and what comes of it is the result.
    public static let never = RetryPolicy(maximumAttempts: 1)

    /// The statuses of failures that pass by themselves: 408 Request Timeout, 425 Too Early, 429 Too Many Requests,
    /// 500, 502, 503 and 504.
    public static let standardStatuses: StatusSet = [408, 425, 429, 500, 502, 503, 504]

    /// The errors whose causes pass by themselves: no name resolved, no connection, a connection lost, an answer cut off,
    /// time run out.
    ///
    /// A certificate that is not trusted and an answer that is not HTTP would be the same the next time.
    public static let standardErrors: Set<TransportError.Kind> = [
        .hostNotFound, .cannotConnect, .connectionLost, .truncatedBody, .timedOut,
    ]
}

/// One attempt and what it came to, for a policy's closure to decide on.
public struct RetryCandidate: Sendable {
    /// A result of an attempt.
    public enum Outcome: Sendable {
        /// The head of the response.
        case response(HTTPResponse)
        /// The error.
        case failure(any Error)
    }

    /// The head of the request as it came to the stage.
    public let request: HTTPRequest
    /// The number of the attempt; 1 is the first.
    public let attempt: Int
    /// The result of the attempt.
    public let outcome: Outcome
}

/// A decision of a policy's closure.
public enum RetryVerdict: Sendable, Hashable {
    /// As the rest of the policy says.
    case standard
    /// It is retried whatever the method, the status or the error: the closure vouches that this does no harm.
    ///
    /// The limits stay: attempts, time, budget, `Retry-After` and a body that can be read again.
    case retry
    /// It is not retried.
    case giveUp
}

/// The policy of one call, in place of that of ``RetryMiddleware``.
public enum CallRetryPolicy: RequestOption {
    /// The stage's.
    public static var defaultValue: RetryPolicy? { nil }
}

extension Request {
    /// The request with a retry policy of its own.
    ///
    /// ```swift
    /// let response = try await chain.send(.get("https://api.example.com/health").retry(.never))
    /// ```
    public consuming func retry(_ policy: RetryPolicy) -> Request {
        options[CallRetryPolicy.self] = policy
        return self
    }
}
