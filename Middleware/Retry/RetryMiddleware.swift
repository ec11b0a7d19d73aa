public import HTTPChainCore
public import HTTPTypes

/// Retries requests that failed temporarily, and resumes broken downloads.
///
/// ```swift
/// let chain = try Chain(transport: transport) {
///     RetryMiddleware(RetryPolicy(maximumAttempts: 4, totalTime: .seconds(30)))
/// }
/// let response = try await chain.send(.get("https://api.example.com/plants"))
/// if let retries = response.retries { print(retries) }   // each attempt, its wait, and the reason for stopping
/// ```
///
/// **Retryable outcomes.** Statuses and transport errors of temporary failures, and timeouts of an attempt are retried.
/// The timeout of a call, a cancellation and other errors aren't. A policy with a closure can decide otherwise.
///
/// **Safety.** GET, HEAD, OPTIONS, TRACE, PUT and DELETE are safe to retry (RFC 9110 §9.2.2), and so are requests with
/// an `Idempotency-Key`. Other methods are retried only if the server hasn't acted on the request: nothing was sent
/// (``/HTTPChainCore/TransportError/Sent/nothing``), or the response is 408, 425, 429, or 503 with `Retry-After`. The
/// body must be replayable.
///
/// **Waits.** Waits are exponential with full jitter, and never shorter than `Retry-After`, which may be in seconds or
/// a date by the server's own clock. If that exceeds the policy's limit, the policy's total time or the call's
/// deadline, there is no retry. During the wait, the response is drained up to a limit, so that its connection can be
/// reused. A ``/HTTPChainCore/RetryBudget`` limits the number of retries.
///
/// **Downloads.** If the body of a GET breaks, it is resumed with `Range` and `If-Range`. This requires that the
/// response has a strong entity tag or an equally strong date, and that the transport hasn't decoded its content. The
/// module's page has the details.
///
/// **The result** is always that of the last attempt, unchanged: a response with its complete body, or the thrown error
/// without wrapping, so that errors are caught as without this stage. There is one exception: if an earlier attempt may
/// have reached the server, an error that says that nothing was sent (``/HTTPChainCore/TransportError/sent``) says
/// `maybe` instead. The attempts are attached to the result: ``HTTPChainCore/Response/retries`` and
/// ``HTTPChainCore/HTTPChainError/retries``.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/retry``: authentication, circuit breaker and limits apply to each attempt,
/// and the cache sees only one response. ``/HTTPChainCore/Request/attempt`` is the attempt's number.
///
/// **Options.** ``HTTPChainCore/Request/retry(_:)`` sets the policy of one call;
/// ``HTTPChainCore/Request/retry(idempotencyKey:)`` adds a key to it.
///
/// **Errors.** The stage itself throws only ``/HTTPChainCore/TransportError``, if a resumed range has more or fewer
/// bytes than declared.
public struct RetryMiddleware: BuiltInStage, BudgetedMiddleware {
    private let settings: RetrySettings

    /// Makes the stage.
    ///
    /// - Parameters:
    ///   - policy: The retry policy.
    ///   - budget: The budget that limits the retries of all calls, or `nil` for none. Defaults to the stage's own.
    ///   - keyedMethods: The methods whose requests get an `Idempotency-Key` unless they have one, such as POST and
    ///     PATCH. Defaults to none, because the server must support the field.
    ///   - drainLimit: The number of bytes of a discarded response to read so that its connection can be reused.
    ///     Defaults to 64 KiB.
    ///   - observer: Called immediately after each attempt of a call that may be retried, in order. Must return
    ///     quickly.
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

    /// Outside the stages that apply to each attempt, and inside those that see only one response.
    package var stagePhase: Phase { .retry }

    /// The options that the stage reads.
    package var stageOptions: [any RequestOption.Type] { [RetryOption.self, IdempotencyKeyOption.self] }

    /// The policy, the budget and the methods with keys.
    package var stageSummary: StageSummary {
        let policy = settings.policy
        return StageSummary(
            "RetryMiddleware",
            purpose: "retries temporary failures",
            settings: [
                "attempts": "\(max(1, policy.maximumAttempts))", "wait": policy.backoff.description,
                "Retry-After": "up to \(policy.retryAfterLimit.label)", "statuses": "\(policy.statuses)",
                "budget": settings.budget.map { "\($0)" } ?? "none", "resumes": policy.resumesDownloads ? "yes" : "no",
                "adds keys": settings.keyedMethodNames,
            ]
        )
        .adding("within", policy.totalTime?.label)
        .adding("drains", settings.drainLimit == .kibibytes(64) ? nil : "up to \(settings.drainLimit)")
        .adding("verdict", policy.verdict == nil ? nil : "custom")
    }

    /// The budget, or `nil` for none.
    package var retryBudget: RetryBudget? { settings.budget }

    /// Returns problems with an inner retry stage, which would multiply attempts, and with a policy that retries
    /// refusals by inner stages.
    package func stageProblems(at place: ChainPlace) -> [ChainProblem] {
        let inner = place.inside + place.nested
        var problems: [ChainProblem] = []
        if inner.contains(where: { $0 is RetryMiddleware }) {
            problems.append(
                ChainProblem(
                    stage: "RetryMiddleware",
                    problem:
                        "there are two RetryMiddleware in the chain, and each attempt of one is retried by the other",
                    fix: "remove one, and give single calls another policy with retry(_:)"
                )
            )
        }
        let refusing = inner.lazy.compactMap { $0 as? any RefusingMiddleware }
        if let stage = refusing.first(where: { settings.policy.repeatsRefusals(of: $0) }) {
            problems.append(
                ChainProblem(
                    stage: "RetryMiddleware",
                    problem: "the policy's verdict retries refusals by \(stage.summary.name), which send nothing, "
                        + "so the attempts and the budget are spent without contacting the server",
                    fix: "return .standard if the error is a RefusalError, or put a FallbackMiddleware outside"
                )
            )
        }
        return problems
    }

    /// Passes the request on, and retries it according to the policy.
    ///
    /// - Throws: The error of the last attempt; `CancellationError` as soon as the task is cancelled.
    @inline(__always)  // Into the protocol's witness, which saves each call a frame.
    public nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        if request.options.contains(RetryOption.self) {
            let policy = request.options[RetryOption.self].applied(to: settings.policy) ?? .never
            return try await send(request, next, settings.with(policy))
        }
        return try await send(request, next, settings)
    }

    @inline(__always)
    private nonisolated(nonsending) func send(
        _ request: consuming Request,
        _ next: Next,
        _ settings: RetrySettings
    ) async throws -> Response {
        // The key is added even if there are no retries, because a server may require it, and an inner stage may retry
        // the request.
        if settings.makesKey(for: request) {
            request.head.headerFields[.idempotencyKey] = IdempotencyKey.make(request.environment.random)
        }
        guard settings.policy.maximumAttempts > 1 else { return try await next(request) }
        settings.budget?.countCall(&request)
        let started = settings.policy.totalTime == nil ? nil : request.environment.time.elapsed
        let kept = request
        let first: Result<Response, any Error>
        do {
            let response = try await next(request)
            if settings.isResult(response) {
                guard let position = DownloadPosition(response, to: kept, settings) else { return response }
                return RetryRun(kept, next: next, settings: settings, started: started)
                    .resuming(response, from: position)
            }
            first = .success(consume response)
        } catch {
            first = .failure(error)
        }
        return try await RetryRun(kept, next: next, settings: settings, started: started).finish(consume first)
    }
}

extension RetryPolicy {
    /// Returns whether the policy's closure retries a stage's refusals.
    ///
    /// To find out, it is called with an example.
    fileprivate func repeatsRefusals(of stage: any RefusingMiddleware) -> Bool {
        guard maximumAttempts > 1, let verdict else { return false }
        let request = HTTPRequest(method: .get, scheme: "https", authority: "example.com", path: "/")
        let refusal = stage.refusal(of: ExchangeSnapshot(request))
        return verdict(CompletedAttempt(request: request, attempt: 1, result: .failure(refusal))) == .retry
    }
}
