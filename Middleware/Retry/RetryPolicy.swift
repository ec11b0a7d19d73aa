public import HTTPChainCore

/// The rules for retries: when to retry, how often, and after what wait.
///
/// ```swift
/// let policy = RetryPolicy(maximumAttempts: 5, backoff: Backoff(base: .seconds(1)), statuses: [429, 503]) { attempt in
///     if case .success(let head) = attempt.result, head.status == .accepted { .retry } else { .standard }
/// }
/// ```
public struct RetryPolicy: Sendable {
    /// The maximum number of times that the request is sent, including the first.
    ///
    /// With 1 or less, it is sent once.
    package var maximumAttempts: Int
    /// The time from the start of the first attempt within which another may start, or `nil` for no limit.
    package var totalTime: Duration?
    /// The waits between attempts.
    package var backoff: Backoff
    /// The longest accepted `Retry-After`.
    ///
    /// If the server requests a longer wait, its response is the result.
    package var retryAfterLimit: Duration
    /// The statuses that are retried if the request can be retried safely.
    package var statuses: StatusSet
    /// The kinds of ``/HTTPChainCore/TransportError`` that are retried if the request can be retried safely.
    package var errors: Set<TransportError.Kind>
    /// Whether broken downloads are resumed.
    package var resumesDownloads: Bool
    /// A closure that can override the policy's own rules.
    package var verdict: (@Sendable (CompletedAttempt) -> RetryVerdict)?

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - maximumAttempts: The maximum number of times that the request is sent, including the first. Defaults to 3.
    ///   - totalTime: The time from the first attempt's start within which another may start. Defaults to no limit.
    ///   - backoff: The waits between attempts. Defaults to 0.5 seconds, doubling up to 20 seconds, with full jitter.
    ///   - retryAfterLimit: The longest accepted `Retry-After`. Defaults to a minute.
    ///   - statuses: The statuses that are retried. Defaults to 408, 425, 429, 500, 502, 503 and
    ///     504.
    ///   - errors: The kinds of transport error that are retried. Defaults to host not found, no connection,
    ///     lost connection, truncated response and timeout.
    ///   - resumesDownloads: Whether broken downloads are resumed. Defaults to `true`.
    ///   - verdict: Called with every result, including success, and can override the policy's own rules. If a circuit
    ///     breaker or load shedding is inside, `Chain.init` also calls it with an example of their refusals, and fails
    ///     if it retries those. Defaults to none.
    public init(
        maximumAttempts: Int = 3,
        totalTime: Duration? = nil,
        backoff: Backoff = Backoff(),
        retryAfterLimit: Duration = .seconds(60),
        statuses: StatusSet = RetryPolicy.standardStatuses,
        errors: Set<TransportError.Kind> = RetryPolicy.standardErrors,
        resumesDownloads: Bool = true,
        verdict: (@Sendable (CompletedAttempt) -> RetryVerdict)? = nil
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

    /// A policy that sends the request once.
    public static let never = RetryPolicy(maximumAttempts: 1)

    /// The statuses of temporary failures: 408 Request Timeout, 425 Too Early, 429 Too Many Requests, 500, 502, 503 and
    /// 504.
    @usableFromInline
    package static let standardStatuses: StatusSet = [408, 425, 429, 500, 502, 503, 504]

    /// The transport errors of temporary failures: host not found, no connection, lost connection, truncated response,
    /// timeout.
    ///
    /// An untrusted certificate or a response that isn't HTTP would occur again.
    @usableFromInline
    package static let standardErrors: Set<TransportError.Kind> = [
        .hostNotFound, .cannotConnect, .connectionLost, .truncatedBody, .timedOut,
    ]
}

extension RetryPolicy: EffectComparable {
    package func hasSameEffect(as other: RetryPolicy) -> Bool {
        maximumAttempts == other.maximumAttempts && totalTime == other.totalTime && backoff == other.backoff
            && retryAfterLimit == other.retryAfterLimit && statuses == other.statuses && errors == other.errors
            && resumesDownloads == other.resumesDownloads && verdict == nil && other.verdict == nil
    }
}

/// The decision of a policy's closure.
public enum RetryVerdict: Sendable, Hashable {
    /// Applies the rest of the policy.
    case standard
    /// Retries regardless of the method, status or error.
    ///
    /// The closure must ensure that this does no harm.
    ///
    /// The limits still apply: attempts, time, budget, `Retry-After` and a replayable body.
    case retry
    /// Doesn't retry.
    case giveUp
}

/// The policy of one call, used instead of that of ``RetryMiddleware``.
///
/// If retries are off, it is ``RetryPolicy/never``.
package enum RetryOption: RequestOption {
    package typealias Value = CallSetting<RetryPolicy>
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(".retry(_:)", reader: "RetryMiddleware()", phase: .retry)
    }
    /// Returns whether a chain without the stage may ignore the value.
    package static func isHarmless(_ value: Value) -> Bool {
        if case .value(let policy) = value { policy.maximumAttempts <= 1 } else { true }
    }
}

extension Request {
    /// Returns the request with its own retry policy.
    ///
    /// ```swift
    /// let response = try await chain.send(.get("https://api.example.com/health").retry(.never))
    /// ```
    public consuming func retry(_ policy: RetryPolicy) -> Request {
        options[RetryOption.self] = .value(policy)
        return self
    }
}
