public import HTTPChainCore
import HTTPTypes

/// Stops sending to a failing server, and detects its recovery with few calls.
///
/// ```swift
/// let chain = try Chain(transport: transport) {
///     RetryMiddleware()
///     CircuitBreakerMiddleware()
/// }
/// do {
///     let response = try await chain.send(.get("https://api.example.com/plants"))
/// } catch let error as CircuitOpenError {
///     print("try again in", error.retryAfter ?? .zero)
/// }
/// ```
///
/// Each origin, or each key that your own grouping returns, has a circuit. While it is **closed**, calls pass and their
/// results are counted. It **opens** at a failure rate, a rate of slow calls or a number of failures in a row
/// (``CircuitBreakerPolicy``). While it is open, calls are refused with ``CircuitOpenError`` before anything is sent.
/// After a time, which has jitter and grows with each failed probe, it is **half-open**: a few calls pass as probes. If
/// all of them succeed, the circuit closes. If one fails, or its body breaks within the probe timeout, the circuit
/// opens again. If a probe is cancelled, another call takes its place. A probe that doesn't end in time counts as
/// failed, so that a circuit never stays half-open permanently.
///
/// **What counts.** 5xx, transport errors, timeouts of an attempt and broken bodies are failures; 2xx and 3xx are
/// successes. 4xx are neither, because they are about the request. Refusals by inner stages, cancelled calls and other
/// errors are neither as well. A closure of the policy can override this. A 429 or 503 with `Retry-After` (RFC
/// 9110 §10.2.3) opens the circuit for that time, for all calls.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/breaker``: inside retry and hedging, so that each attempt is checked, and
/// outside the limits, so that a refused call doesn't wait first. Retry doesn't repeat a refusal; an outer cache serves
/// a stale response if permitted (RFC 5861 §4).
///
/// **Errors.** ``CircuitOpenError``, with the time until the next probe.
public struct CircuitBreakerMiddleware: BuiltInStage {
    /// The circuits.
    package let breaker: CircuitBreaker

    /// Creates a stage with its own circuits.
    ///
    /// - Parameters:
    ///   - policy: The policy for opening and closing circuits.
    ///   - group: The rule by which requests share a circuit; by origin by default.
    ///   - observer: Receives each change of state. It must return quickly.
    public init(
        _ policy: CircuitBreakerPolicy = CircuitBreakerPolicy(),
        by group: RequestGroup = .origin,
        observer: (@Sendable (CircuitChange) -> Void)? = nil
    ) {
        breaker = CircuitBreaker(policy, by: group, observer: observer)
    }

    /// Creates a stage with circuits that are shared, observed, or changed manually.
    public init(_ breaker: CircuitBreaker) {
        self.breaker = breaker
    }

    /// Outside the limits, for each attempt.
    package var stagePhase: Phase { .breaker }

    /// The policy, and the circuits that aren't closed.
    package var stageSummary: StageSummary {
        let policy = breaker.policy.bounded
        let rules = [
            policy.failureRate.map { "\($0) of \(policy.minimumCalls) or more calls" },
            policy.consecutiveFailures.map { "\($0) in a row" },
            policy.slowCalls.map { "\($0.rate) over \($0.threshold.label)" },
        ]
        let open = breaker.keysNotClosed
        return StageSummary(
            "CircuitBreakerMiddleware",
            purpose: "stops sending to a server that fails",
            settings: [
                "opens at": rules.compactMap(\.self).joined(separator: ", "), "by": breaker.group.description,
                "open for": "\(policy.openTimes.base.label) to \(policy.openTimes.cap.label)",
                "probes": "\(policy.probes)",
                "not closed": open.isEmpty
                    ? "none" : open.prefix(3).joined(separator: ", ") + (open.count > 3 ? " and more" : ""),
            ]
        )
    }

    /// Passes the request on unless its circuit is open, and counts the result.
    ///
    /// - Throws: ``CircuitOpenError``; errors of the inner stages.
    @inline(__always)  // Into the protocol's witness, which saves each call a frame.
    public nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        guard let circuit = breaker.circuit(for: request) else { return try await next(request) }
        let call = try CircuitCall(request, circuit)
        do {
            let response = try await next(request)
            return call.finish(response)
        } catch {
            call.fail(error)
            throw error
        }
    }
}

extension CircuitBreakerMiddleware: RefusingMiddleware {
    package func refusal(of exchange: ExchangeSnapshot) -> any RefusalError {
        CircuitOpenError(key: "", cause: .failures, retryAfter: breaker.policy.openTimes.base, failedExchange: exchange)
    }
}

/// A call through a circuit.
private struct CircuitCall: Sendable {
    let circuit: Circuit
    let permit: CircuitRules.Permit
    let environment: CallEnvironment
    /// The details of the call; they are nil for most policies, so that most calls allocate nothing.
    let details: Details?

    final class Details: Sendable {
        let started: Duration
        let head: HTTPRequest
        let attempt: Int

        init(_ request: borrowing Request) {
            started = request.options.elapsed
            head = request.head
            attempt = request.attempt
        }

        func completed(_ result: Result<HTTPResponse, any Error>) -> CompletedAttempt {
            CompletedAttempt(request: head, attempt: attempt, result: result)
        }
    }

    @inline(__always)
    init(_ request: borrowing Request, _ circuit: Circuit) throws(CircuitOpenError) {
        if let permit = circuit.admitAtOnce() {
            self.permit = permit
        } else {
            permit = try Self.permit(for: request, circuit)
        }
        self.circuit = circuit
        environment = CallEnvironment(of: request.options)
        details = circuit.needsDetails ? Details(request) : nil
    }

    private static func permit(
        for request: borrowing Request,
        _ circuit: Circuit
    ) throws(CircuitOpenError) -> CircuitRules.Permit {
        switch circuit.admit(request.environment) {
        case .success(let permit): return permit
        case .failure(let refusal):
            throw CircuitOpenError(
                key: circuit.key,
                cause: refusal.reason,
                retryAfter: refusal.wait,
                failedExchange: ExchangeSnapshot(request.head, redaction: request.redaction)
            )
        }
    }

    @inline(__always)
    func finish(_ response: consuming Response) -> Response {
        // The most common case is a success whose details don't matter.
        if circuit.isPlain, 200..<400 ~= response.status.code, circuit.recordSuccess(permit, at: environment.elapsed) {
            return response.body.hasTransfer ? watched(response) : response
        }
        return judged(response)
    }

    private func judged(_ response: consuming Response) -> Response {
        let policy = circuit.policy
        var outcome = policy.outcome(of: response.status)
        if let verdict = policy.verdict, let details {
            outcome = policy.outcome(verdict(details.completed(.success(response.head))), standard: outcome)
        }
        let pushback = response.receivedHead.flatMap {
            RetryAfter.pause(askedBy: $0, now: environment.value.time.date)
        }
        record(outcome, pushback: pushback)
        return outcome == .success && response.body.hasTransfer ? watched(response) : response
    }

    /// Returns the response, counting a failure if its body breaks.
    private func watched(_ response: consuming Response) -> Response {
        response.body = response.body.notifying { [self] end in
            if case .failed(let error) = end, judge(error) == .failure {
                let environment = environment.value
                let now = environment.time.elapsed
                circuit.change { $0.recordLateFailure(permit, at: now, random: environment.random) }
            }
        }
        return response
    }

    func fail(_ error: any Error) {
        record(Task.isCancelled ? .neither : judge(error))
    }

    private func judge(_ error: any Error) -> CircuitRules.Outcome {
        let policy = circuit.policy
        let outcome = policy.outcome(of: error)
        guard let verdict = policy.verdict, let details, !(error is CancellationError) else { return outcome }
        let judged = verdict(details.completed(.failure(error)))
        return policy.outcome(judged, standard: outcome)
    }

    private func record(_ outcome: CircuitRules.Outcome, pushback: Duration? = nil) {
        let environment = environment.value
        let now = environment.time.elapsed
        circuit.change { rules in
            rules.record(
                permit,
                outcome,
                taking: details.map { now - $0.started },
                pushback: pushback,
                at: now,
                random: environment.random
            )
        }
    }
}

extension CircuitBreakerPolicy {
    func outcome(of status: HTTPResponse.Status) -> CircuitRules.Outcome {
        if failureStatuses.contains(status.code) { return .failure }
        return status.code >= 400 ? .neither : .success
    }

    func outcome(of error: any Error) -> CircuitRules.Outcome {
        switch error {
        case is CancellationError, is any RefusalError: .neither
        case is TransportError: .failure
        // If the call's own deadline has passed, that may have left the server no time at all.
        case let error as any TimeoutFailure: error.scope == .call ? .neither : .failure
        default: .neither
        }
    }

    func outcome(_ verdict: CircuitVerdict, standard: CircuitRules.Outcome) -> CircuitRules.Outcome {
        switch verdict {
        case .standard: standard
        case .success: .success
        case .failure: .failure
        case .neither: .neither
        }
    }
}
