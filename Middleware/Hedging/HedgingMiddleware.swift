public import HTTPChainCore
import HTTPTypes

/// Makes a second attempt when the first one has no answer in the time that most calls take, and takes the answer that
/// comes first.
///
/// ```swift
/// let budget = RetryBudget(share: 0.05, minimumPerSecond: 1)
/// let chain = try Chain(transport: transport) {
///     RetryMiddleware(budget: budget)
///     HedgingMiddleware(HedgingPolicy(after: .quantile(0.95)), budget: budget)
/// }
/// ```
///
/// Where one call in fifty is slow for a reason that the next one does not have (a pause of the garbage collector, a
/// full queue, a packet that was lost), a second attempt makes the slowest calls many times faster, and costs a few
/// percent more load.
///
/// **What is hedged.** GET, HEAD and OPTIONS (``HedgingPolicy/methods``) whose body can be read again. Anything else
/// passes.
///
/// **When.** After a fixed time, or the live quantile of the latencies of the group; at once after a failure that
/// another attempt may mend. A `Retry-After` (RFC 9110 §10.2.3) ends the hedging of a call, unless something else is
/// still in flight when its time is over. There are no more attempts than the policy says, and no more than the budget
/// has tokens for: one ``/HTTPChainCore/RetryBudget`` for this stage and the retry stage bounds what both add to the
/// load.
///
/// **The result** is the first response or error that no other attempt could mend; failing that, the last failure.
/// Attempts run as child tasks of the call. When one has won, the others are cancelled, and the call returns when they
/// have ended; a response that came too late is dropped, which ends its transfer. The response that won is not touched
/// by that: its body is read, as any, by whoever has it.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/hedge``: inside retry, outside authentication and limits, so that each
/// attempt is authenticated, limited and traced on its own. ``/HTTPChainCore/Request/attempt`` tells them apart, and
/// ``/HTTPChainCore/Response/attempts`` says how many were made.
///
/// **Options.** ``CallHedging``, in short ``HTTPChainCore/Request/hedging(_:)``.
///
/// **Errors.** ``/HTTPChainCore/InvalidRequestError`` for a policy of a call with an origin that is not one.
public struct HedgingMiddleware: ChainAwareMiddleware, BudgetedMiddleware {
    private let policy: HedgingPolicy
    private let group: RequestGroup
    private let latencies: GroupTable<Latencies>
    /// The budget that bounds the attempts that are added; `nil` for no bound.
    public let retryBudget: RetryBudget?

    /// Makes the stage.
    ///
    /// - Parameters:
    ///   - policy: When another attempt is made; after what 95 % of the calls take by default.
    ///   - budget: What bounds the attempts that are added, beside those of a retry stage with the same budget; one of
    ///     the stage's own, of a tenth of the calls, by default.
    ///   - group: Whose latencies are taken together, such as a route; each origin by default.
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

    /// Inside retry, outside what each attempt passes.
    public var phase: Phase { .hedge }

    /// The policy and the budget.
    public var summary: StageSummary {
        StageSummary(
            "HedgingMiddleware",
            purpose: "makes a second attempt where the first is slow",
            settings: [
                "after": policy.delay.description, "attempts": "\(min(max(1, policy.attempts), 10))",
                "by": group.description, "budget": retryBudget.map { "\($0)" } ?? "none",
                "origins": policy.origins.isEmpty ? "the request's" : policy.origins.joined(separator: ", "),
            ]
        )
    }

    /// Hedging in hedging, a retry stage with another budget, methods that must not be repeated, and texts that are not
    /// origins.
    public func problems(at place: ChainPlace) -> [ChainProblem] {
        var problems: [ChainProblem] = []
        if (place.inside + place.nested).contains(where: { $0 is HedgingMiddleware }) {
            problems.append(
                ChainProblem(
                    stage: "HedgingMiddleware",
                    problem:
                        "there are two HedgingMiddleware in the chain, and each attempt of one is hedged by the other",
                    fix: "remove one, and give single calls another policy with hedging(_:)"
                )
            )
        }
        let others = (place.outside + place.inside + place.nested).compactMap { $0 as? any BudgetedMiddleware }
            .filter { !($0 is HedgingMiddleware) }
        if let other = others.first(where: { $0.retryBudget !== retryBudget }) {
            problems.append(
                ChainProblem(
                    stage: "HedgingMiddleware",
                    problem: "HedgingMiddleware and \(other.summary.name) have different budgets, and what they add to "
                        + "the load adds up",
                    fix: "make one RetryBudget and give it to both"
                )
            )
        }
        let unsafe = policy.methods.filter { !$0.isIdempotent }.map(\.rawValue).sorted()
        if !unsafe.isEmpty {
            problems.append(
                ChainProblem(
                    stage: "HedgingMiddleware",
                    problem: "HedgingMiddleware sends \(unsafe.joined(separator: ", ")) twice, which is not idempotent "
                        + "(RFC 9110 §9.2.2), and both may be carried out",
                    fix: "take it out of the policy's methods"
                )
            )
        }
        for text in policy.origins where HedgingPolicy.origin(text) == nil {
            problems.append(
                ChainProblem(
                    stage: "HedgingMiddleware",
                    problem: "HedgingMiddleware sends attempts to \"\(Redaction.standard.url(text))\", which is not an "
                        + "origin",
                    fix: "write scheme and host alone, such as \"https://replica.example.com\""
                )
            )
        }
        return problems
    }

    /// Passes the request on, and again where the first attempt is slow.
    ///
    /// - Throws: The errors of the stages inside; ``/HTTPChainCore/InvalidRequestError`` for a policy of the call with
    ///   an origin that is not one; `CancellationError` when the task is cancelled.
    @inline(__always)  // Into the protocol's witness, which saves each call a frame.
    public func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        if !request.options.contains(CallHedging.self), !policy.mayHedge(request) { return try await next(request) }
        if request.options.contains(CallHedging.self), let own = request.options[CallHedging.self] {
            if let text = own.invalidOrigin {
                throw InvalidRequestError(
                    .invalidURL(text, "an origin that calls are hedged to is a scheme and a host alone")
                )
            }
            return try await send(request, next, own)
        }
        return try await send(request, next, policy)
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
        let call = HedgedCall(request, next: next, policy: policy, budget: retryBudget, latencies: latencies)
        return try await call.run(HedgeRules(attempts: policy.attempts, delay: delay))
    }
}

extension HedgingPolicy {
    /// Whether a request may be sent more than once.
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
