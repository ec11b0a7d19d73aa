public import HTTPChainCore
import HTTPTypes

/// Limits the number of calls in flight to a fixed number, or to the server's capacity.
///
/// ```swift
/// let chain = try Chain(transport: transport) {
///     ConcurrencyLimitMiddleware()                // finds the limit out
///     // or: ConcurrencyLimitMiddleware(.fixed(20))
/// }
/// ```
///
/// A server queues calls that it can't process at once. If their callers give up in the meantime, the work is wasted.
/// It is better to let calls wait at the client, or to refuse them immediately.
///
/// Each origin, or each key of your own grouping, has a limit. A call holds its permit until its response's body has
/// been read to the end, breaks, or is dropped. If the body is in memory, the permit is returned immediately. If there
/// is no permit, calls wait by priority (``CallPriority``), up to a number and a time (``ConcurrencyQueue``). Beyond
/// that, they are refused with ``ConcurrencyLimitError``, lower priorities first. A call that is cancelled while it
/// waits takes no permit.
///
/// **The limit** is fixed, ``ConcurrencyAlgorithm/adaptive(in:initial:)``, or set by a custom rule. The rule sees the
/// latency of the response's head. Timeouts (even of the whole call), failed or lost connections, 429, 503 and 504
/// count as drops; refusals by inner stages and cancelled calls don't count.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/concurrencyLimit``: inside a rate limit, and outside the attempt's timeout,
/// which must not include the time in the queue.
///
/// **Options.** ``CallPriority``, set by ``HTTPChainCore/Request/priority(_:)``.
///
/// **Errors.** ``ConcurrencyLimitError``.
public struct ConcurrencyLimitMiddleware: BuiltInStage {
    /// The limiter that holds the permits.
    package let limiter: ConcurrencyLimiter
    /// The options that the stage reads; none without a queue, because only a queue has an order.
    package let stageOptions: [any RequestOption.Type]

    /// Creates a stage with its own permits.
    ///
    /// - Parameters:
    ///   - algorithm: The rule for the limit; adaptive by default.
    ///   - group: The rule by which requests share a limit; by origin by default.
    ///   - queue: The queue of waiting calls; 100 calls for up to a second by default.
    public init(
        _ algorithm: ConcurrencyAlgorithm = .adaptive(),
        by group: RequestGroup = .origin,
        queue: ConcurrencyQueue = ConcurrencyQueue()
    ) {
        self.init(ConcurrencyLimiter(algorithm, by: group, queue: queue))
    }

    /// Creates a stage with permits that are shared or observed.
    public init(_ limiter: ConcurrencyLimiter) {
        self.limiter = limiter
        stageOptions = limiter.queue.length > 0 ? [PriorityOption.self] : []
    }

    /// For each attempt, outside its timeout.
    package var stagePhase: Phase { .concurrencyLimit }

    /// The name, purpose and settings of the stage.
    package var stageSummary: StageSummary {
        let queue = limiter.queue
        return StageSummary(
            "ConcurrencyLimitMiddleware",
            purpose: "limits the calls in flight",
            settings: [
                "limit": limiter.algorithm.description, "by": limiter.group.description,
                "waiting": queue.length == 0 ? "none" : "\(queue.length) for up to \(queue.longestWait.label)",
            ]
        )
    }

    /// Passes the request on when there is a permit.
    ///
    /// - Throws: ``ConcurrencyLimitError``; errors of the inner stages; `CancellationError`.
    @inline(__always)  // Into the protocol's witness, which saves each call a frame.
    public nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        guard let pool = limiter.pool(for: request) else { return try await next(request) }
        let environment = CallEnvironment(of: request.options)
        let deadline = request.options.deadline
        let inFlight: Int
        if let taken = pool.takeAtOnce() { inFlight = taken } else { inFlight = try await wait(request, pool) }
        let started = pool.learns ? environment.elapsed : .zero
        do {
            let response = try await next(request)
            let holds = response.body.hasTransfer
            if pool.learns {
                let now = environment.elapsed
                let outcome = OverloadSigns.has(response.status) ? ConcurrencySample.Outcome.dropped : .success
                pool.finish(
                    ConcurrencySample(latency: now - started, inFlight: inFlight, outcome: outcome, time: now),
                    givingBack: !holds
                )
            } else if !holds {
                pool.giveBack()
            }
            return holds ? held(response, pool) : response
        } catch {
            let now = pool.learns ? environment.elapsed : .zero
            if pool.learns, Self.isDrop(error, isLate: deadline.map { now >= $0 } ?? false) {
                let latency = now - started
                let sample = ConcurrencySample(latency: latency, inFlight: inFlight, outcome: .dropped, time: now)
                pool.finish(sample, givingBack: true)
            } else {
                pool.giveBack()
            }
            throw error
        }
    }

    private func held(_ response: consuming Response, _ pool: PermitPool) -> Response {
        response.body = response.body.notifying { _ in pool.giveBack() }
        return response
    }

    private func wait(_ request: borrowing Request, _ pool: PermitPool) async throws -> Int {
        let head = request.head
        let time = request.environment.time
        let options = request.options
        do {
            return try await pool.take(options[PriorityOption.self], until: { options.deadline }, time)
        } catch let refusal as PermitPool.Refusal {
            throw ConcurrencyLimitError(
                key: pool.key,
                cause: refusal.cause,
                limit: refusal.limit,
                failedExchange: ExchangeSnapshot(head, redaction: request.redaction)
            )
        }
    }

    /// Whether a failure indicates that the server, or the path to it, is overloaded.
    private static func isDrop(_ error: any Error, isLate: Bool) -> Bool {
        switch error {
        case is any RefusalError: false
        case let error as TransportError: OverloadSigns.has(error)
        case is any TimeoutFailure: true
        // When time is up, the stage that enforces the call's deadline cancels the inner stages.
        default: isLate && (error is CancellationError || Task.isCancelled)
        }
    }
}
