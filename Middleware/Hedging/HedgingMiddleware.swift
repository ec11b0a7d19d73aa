public import HTTPChainCore
import HTTPTypes

/// Makes a second attempt if the first takes longer than most calls do, and uses the first response.
///
/// ```swift
/// let budget = RetryBudget(share: 0.05, minimumPerSecond: 1)
/// let chain = try Chain(transport: transport) {
///     RetryMiddleware(budget: budget)
///     HedgingMiddleware(HedgingPolicy(after: .quantile(0.95)), budget: budget)
/// }
/// ```
///
/// If one call in fifty is slow for a reason that doesn't affect other calls (garbage collection, a full queue, a lost
/// packet), a second attempt makes the slowest calls many times faster, for a few percent more load.
///
/// **Hedged requests.** GET, HEAD and OPTIONS (or the policy's `methods`) with a replayable body. Other requests are
/// passed on unchanged.
///
/// **Time.** Another attempt is made after a fixed time or the current latency quantile of the group, and immediately
/// after a failure that another attempt may fix. After a `Retry-After` (RFC 9110 §10.2.3), no more attempts are made,
/// unless one is still in flight when that time is over. Both the policy and the budget limit the number of attempts.
/// If this stage and the retry stage share a ``/HTTPChainCore/RetryBudget``, it limits the load that both add.
///
/// **The result** is the first response or error that no other attempt could improve. If there is none, it is the last
/// failure. An error says that nothing was sent only if that is true of all attempts. Attempts run as child tasks of
/// the call. Once one has the result, the others are cancelled, and the call returns when they have ended. A late
/// response is dropped, which ends its transfer. The caller reads the body of the used response as usual.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/hedge``: inside retry, and outside authentication and limits, so that each
/// attempt is authenticated, limited and traced separately. ``/HTTPChainCore/Request/attempt`` distinguishes them, and
/// ``/HTTPChainCore/Response/attempts`` is their number.
///
/// **Options.** ``HTTPChainCore/Request/hedging(_:)``.
///
/// **Errors.** ``/HTTPChainCore/InvalidRequestError`` if a call's policy has an invalid origin.
public struct HedgingMiddleware: BuiltInStage, BudgetedMiddleware {
    private let policy: HedgingPolicy
    private let group: RequestGroup
    private let latencies: GroupTable<Latencies>
    /// The budget that limits the additional attempts; `nil` for no limit.
    package let retryBudget: RetryBudget?

    /// Creates the stage.
    ///
    /// - Parameters:
    ///   - policy: The hedging policy. By default, another attempt is made after the time in which 95 % of the calls
    ///     get a response.
    ///   - budget: The limit on additional attempts. To share it with a retry stage, pass the same budget to both. By
    ///     default, a separate budget of a tenth of the calls.
    ///   - group: The rule by which requests share latencies, such as a route; by origin by default.
    public init(
        _ policy: HedgingPolicy = HedgingPolicy(),
        budget: RetryBudget? = RetryBudget(share: 0.1, minimumPerSecond: 1, capacity: 10),
        by group: RequestGroup = .origin
    ) {
        self.policy = policy
        self.group = group
        retryBudget = budget
        budget?.becomeShared()
        latencies = GroupTable(group, limit: 1000) { _ in Latencies() }
    }

    /// Inside retry, and outside the stages that apply to each attempt.
    package var stagePhase: Phase { .hedge }

    /// The options that the stage reads.
    package var stageOptions: [any RequestOption.Type] { [HedgingOption.self] }

    /// The policy and the budget.
    package var stageSummary: StageSummary {
        StageSummary(
            "HedgingMiddleware",
            purpose: "makes a second attempt if the first is slow",
            settings: [
                "after": policy.delay.description, "attempts": "\(min(max(1, policy.attempts), 10))",
                "by": group.description, "budget": retryBudget?.description ?? "none",
                "origins": policy.origins.isEmpty ? "the request's" : policy.origins.joined(separator: ", "),
            ]
        )
    }

    /// Reports nested hedging, a retry stage with another budget, methods that must not be repeated, and invalid
    /// origins.
    package func stageProblems(at place: ChainPlace) -> [ChainProblem] {
        var problems: [ChainProblem] = []
        func add(_ problem: String, fix: String) {
            problems.append(ChainProblem(stage: "HedgingMiddleware", problem: problem, fix: fix))
        }
        if (place.inside + place.nested).contains(where: { $0 is HedgingMiddleware }) {
            add(
                "there are two HedgingMiddleware in the chain, and each attempt of one is hedged by the other",
                fix: "remove one, and give single calls another policy with hedging(_:)"
            )
        }
        let others = (place.outside + place.inside + place.nested).compactMap { $0 as? any BudgetedMiddleware }
            .filter { !($0 is HedgingMiddleware) }
        if let other = others.first(where: { $0.retryBudget !== retryBudget }) {
            add(
                "HedgingMiddleware and \(other.summary.name) have different budgets, and what they add to the load "
                    + "adds up",
                fix: "make one RetryBudget and give it to both"
            )
        }
        let unsafe = policy.methods.filter { !$0.isIdempotent }.map(\.rawValue).sorted()
        if !unsafe.isEmpty {
            add(
                "HedgingMiddleware sends \(unsafe.joined(separator: ", ")) twice, which is not idempotent "
                    + "(RFC 9110 §9.2.2), and both may be carried out",
                fix: "take it out of the policy's methods"
            )
        }
        for text in policy.origins where HedgingPolicy.origin(text) == nil {
            add(
                "HedgingMiddleware sends attempts to \"\(Redaction.standard.url(text))\", which is not an origin",
                fix: "write only the scheme and the host, such as \"https://replica.example.com\""
            )
        }
        return problems
    }

    /// Passes the request on, and makes further attempts if the first is slow or fails.
    ///
    /// - Throws: Errors of the inner stages; ``/HTTPChainCore/InvalidRequestError`` if the call's policy has an invalid
    ///   origin; `CancellationError` if the task is cancelled.
    @inline(__always)  // Into the protocol's witness, which saves each call a frame.
    public nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        guard request.options.contains(HedgingOption.self) else {
            return policy.mayHedge(request) ? try await send(request, next, policy) : try await next(request)
        }
        guard let own = request.options[HedgingOption.self].applied(to: policy) else { return try await next(request) }
        if let text = own.invalidOrigin {
            throw InvalidRequestError(.invalidURL(text, "an origin for hedging must have only a scheme and a host"))
        }
        return try await send(request, next, own)
    }

    private func send(
        _ request: consuming Request,
        _ next: Next,
        _ policy: HedgingPolicy
    ) async throws -> Response {
        guard policy.mayHedge(request), let latencies = latencies.entry(for: request)
        else { return try await next(request) }
        retryBudget?.countCall(&request)
        let delay: Duration?
        switch policy.delay {
        case .fixed(let time): delay = max(.zero, time.bounded)
        case .quantile(let share, let minimum):
            delay = latencies.value(min(max(share, 0.5), 0.999)).map { max($0, minimum.bounded) }
        }
        let call = HedgedCall(
            time: request.environment.time,
            request: request,
            next: next,
            policy: policy,
            budget: retryBudget,
            latencies: latencies
        )
        return try await call.run(HedgeRules(attempts: policy.attempts, delay: delay))
    }
}

extension HedgingPolicy {
    /// Returns whether a request may be sent more than once.
    fileprivate func mayHedge(_ request: borrowing Request) -> Bool {
        attempts > 1 && methods.contains(request.head.method) && request.body.isReplayable
    }
}

/// The latencies of one group.
final class Latencies: Sendable {
    private let quantile = Locked(LatencyQuantile())

    func record(_ latency: Duration) { quantile.withLock { $0.record(latency) } }

    func value(_ share: Double) -> Duration? { quantile.withLock { $0.value(share) } }
}
