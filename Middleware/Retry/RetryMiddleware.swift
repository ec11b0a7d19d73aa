public import HTTPChainCore
public import HTTPTypes

/// Sends a request again when an attempt failed in a way that passes, and goes on with a download that broke.
///
/// ```swift
/// let chain = try Chain(transport: transport) {
///     RetryMiddleware(RetryPolicy(maximumAttempts: 4, totalTime: .seconds(30)))
/// }
/// let response = try await chain.send(.get("https://api.example.com/plants"))
/// if let retries = response.retries { print(retries) }   // each attempt, its wait, and why there was not another
/// ```
///
/// **What is retried.** Statuses that pass by themselves (``RetryPolicy/standardStatuses``), transport errors that do
/// (``RetryPolicy/standardErrors``), and timeouts of an attempt; never the timeout of a call, a cancellation or any
/// other error. ``RetryPolicy/verdict`` decides otherwise.
///
/// **When it is safe.** GET, HEAD, OPTIONS, TRACE, PUT and DELETE are (RFC 9110 §9.2.2), and what carries an
/// `Idempotency-Key`. Any other method only when the server has not acted on the request: nothing was sent
/// (``/HTTPChainCore/TransportError/Sent/nothing``), or it says so with 408, 425, 429, or 503 with `Retry-After`. The
/// body must be one that can be read again.
///
/// **Waits.** Exponential with full jitter, and never shorter than a `Retry-After` asks, in seconds or as a date by the
/// server's own clock. Where that is longer than ``RetryPolicy/retryAfterLimit``, the policy's total time or what is
/// left of the call, the wait is not begun. Meanwhile the response is read to its end, up to a limit, so that its
/// connection can be used again. Retries that are made at all are bounded by a ``/HTTPChainCore/RetryBudget``.
///
/// **Downloads.** A GET whose body breaks goes on from there with `Range` and `If-Range`, when the response has a strong
/// entity tag, or a date that is as good, and its bytes are those that were sent: a transport that decodes compressed
/// content leaves nothing to resume in it. Only the missing range of the same version is taken; anything else, such as
/// a 200 because the content changed, and the reader gets the error that broke the body. At least 64 KiB more count as
/// progress, after which attempts are counted anew.
///
/// **The result** is always that of the last attempt as it came: a response with all of its body, or the error that was
/// thrown, unwrapped, so that a chain with this stage is caught like one without. What was tried is attached to it:
/// ``HTTPChainCore/Response/retries`` and ``HTTPChainCore/HTTPChainError/retries``.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/retry``: each attempt passes authentication, circuit breaker and limits
/// anew, and the cache sees one answer. ``/HTTPChainCore/Request/attempt`` tells stages inside which attempt it is.
///
/// **Options.** ``CallRetryPolicy`` (in short ``HTTPChainCore/Request/retry(_:)``) is a policy for one call;
/// ``GeneratesIdempotencyKey`` (in short ``HTTPChainCore/Request/idempotent(_:)``) gives it a key.
///
/// **Errors.** None of its own, but for a resumed range that has more bytes than it declares, or fewer: a
/// ``/HTTPChainCore/TransportError``.
public struct RetryMiddleware: ChainAwareMiddleware, BudgetedMiddleware, DeadlineKeepingMiddleware {
    private let settings: RetrySettings

    /// Makes the stage.
    ///
    /// - Parameters:
    ///   - policy: What is retried, how often, and after which wait.
    ///   - budget: What bounds the retries of all calls; a budget of the stage's own by default, `nil` for none.
    ///   - keyedMethods: The methods whose requests get an `Idempotency-Key` unless they have one, such as POST and
    ///     PATCH; none by default, because the server has to know the field.
    ///   - drainLimit: How much of a response that is not wanted is read for its connection; 64 KiB by default.
    ///   - observer: Told of each attempt of a call that may be retried, at once and in order; it must return quickly.
    public init(
        _ policy: RetryPolicy = RetryPolicy(),
        budget: RetryBudget? = RetryBudget(),
        addingIdempotencyKeyTo keyedMethods: Set<HTTPRequest.Method> = [],
        drainLimit: ByteCount = .kibibytes(64),
        observer: (@Sendable (RetryEvent) -> Void)? = nil
    ) {
        settings = RetrySettings(
            policy: policy,
            budget: budget,
            keyedMethods: keyedMethods,
            drainLimit: drainLimit,
            observer: observer
        )
    }

    /// Outside what each attempt has to pass, inside what sees one answer.
    public var phase: Phase { .retry }

    /// The policy, the budget and what gets a key.
    public var summary: StageSummary {
        let policy = settings.policy
        return StageSummary(
            "RetryMiddleware",
            purpose: "sends again what failed for the moment",
            settings: [
                "attempts": "\(max(1, policy.maximumAttempts))", "wait": "\(policy.backoff)",
                "Retry-After": "up to \(policy.retryAfterLimit.label)", "statuses": "\(policy.statuses)",
                "budget": settings.budget.map { "\($0)" } ?? "none", "resumes": policy.resumesDownloads ? "yes" : "no",
                "adds keys": settings.keyedMethodNames,
            ]
        )
    }

    /// The budget; `nil` for none.
    public var retryBudget: RetryBudget? { settings.budget }

    /// A retry stage inside another multiplies the attempts, and a refusal by a stage inside is to be final.
    public func problems(at place: ChainPlace) -> [ChainProblem] {
        let inner = place.inside + place.nested
        var problems: [ChainProblem] = []
        if inner.contains(where: { $0 is RetryMiddleware }) {
            problems.append(
                ChainProblem(
                    stage: "RetryMiddleware",
                    problem:
                        "there are two RetryMiddleware in the chain, and each attempt of one is tried by the other",
                    fix: "remove one, and give single calls another policy with retry(_:)"
                )
            )
        }
        let refusing = inner.lazy.compactMap { $0 as? any RefusingMiddleware }
        if let stage = refusing.first(where: { settings.policy.repeatsRefusals(of: $0) }) {
            problems.append(
                ChainProblem(
                    stage: "RetryMiddleware",
                    problem: "the policy's verdict retries what \(stage.summary.name) refuses, which sends nothing, "
                        + "and spends the attempts and the budget while the server is left alone",
                    fix: "answer .standard where the error is a RefusalError, or put a FallbackMiddleware outside"
                )
            )
        }
        return problems
    }

    /// Passes the request on, again and again where the policy says so.
    ///
    /// - Throws: What the last attempt threw; `CancellationError` as soon as the task is cancelled.
    @inline(__always)  // Into the protocol's witness, which saves each call a frame.
    public func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        if request.options.contains(CallRetryPolicy.self), let policy = request.options[CallRetryPolicy.self] {
            return try await send(request, next, settings.with(policy))
        }
        return try await send(request, next, settings)
    }

    @inline(__always)
    private func send(
        _ request: consuming Request,
        _ next: Next,
        _ settings: RetrySettings
    ) async throws -> Response {
        guard settings.policy.maximumAttempts > 1 else { return try await next(request) }
        settings.budget?.countCall(&request)
        if settings.makesKey(for: request) {
            request.head.headerFields[.idempotencyKey] = IdempotencyKey.make(request.environment.random)
        }
        let started = settings.policy.totalTime == nil ? nil : request.environment.time.elapsed
        let kept = request
        let first: Result<Response, any Error>
        do {
            let response = try await next(request)
            if settings.isResult(response) {
                guard let position = settings.position(in: response, to: kept) else { return response }
                return RetryRun(kept, next: next, settings: settings, started: started).resuming(response, at: position)
            }
            first = .success(consume response)
        } catch {
            first = .failure(error)
        }
        return try await RetryRun(kept, next: next, settings: settings, started: started).finish(consume first)
    }
}

extension RetryPolicy {
    /// Whether the verdict retries what a stage refuses: it is asked about an example.
    fileprivate func repeatsRefusals(of stage: any RefusingMiddleware) -> Bool {
        guard maximumAttempts > 1, let verdict else { return false }
        let request = HTTPRequest(method: .get, scheme: "https", authority: "example.com", path: "/")
        let refusal = stage.refusal(of: ExchangeSnapshot(request))
        return verdict(RetryCandidate(request: request, attempt: 1, outcome: .failure(refusal))) == .retry
    }
}
