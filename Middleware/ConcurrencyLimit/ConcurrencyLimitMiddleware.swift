public import HTTPChainCore
import HTTPTypes

/// Limits how many calls are in flight at once, to a number or to what the server can work on.
///
/// ```swift
/// let chain = try Chain(transport: transport) {
///     ConcurrencyLimitMiddleware()                // finds the limit out
///     // or: ConcurrencyLimitMiddleware(.fixed(20))
/// }
/// ```
///
/// A server that gets more calls at once than it works on puts them into its queue, where they grow old; when their
/// callers have given up, the work is done for nobody. It is better that they wait at the client, or are refused there
/// at once.
///
/// Each origin has a limit, or each key of a grouping of yours. A call holds its place until its response's body was
/// read to the end, broke, or was dropped; a body in memory holds none. Where there is no place, calls wait up to a
/// number and a time (``ConcurrencyQueue``), the more important first (``CallPriority``), and are refused with
/// ``ConcurrencyLimitError`` beyond that, the less important first. A call that is cancelled while it waits takes no
/// place.
///
/// **The limit** is fixed, or ``ConcurrencyAlgorithm/adaptive(in:initial:)``, or follows one of the rules known from
/// elsewhere. Latency is that of the response's head. Timeouts, those of the whole call included, lost connections, 429,
/// 503 and 504 count as drops; refusals by stages inside and calls that somebody cancelled do not count.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/concurrencyLimit``: inside a rate limit, outside the attempt's timeout,
/// whose time should not pass in the queue.
///
/// **Options.** ``CallPriority``, in short ``HTTPChainCore/Request/priority(_:)``.
///
/// **Errors.** ``ConcurrencyLimitError``.
public struct ConcurrencyLimitMiddleware: Middleware {
    /// The places.
    public let limiter: ConcurrencyLimiter

    /// Makes a stage with places of its own.
    ///
    /// - Parameters:
    ///   - algorithm: How the limit is found; adaptive by default.
    ///   - group: What has a limit of its own; each origin by default.
    ///   - queue: What becomes of calls for which there is no place; 100 wait up to a second by default.
    public init(
        _ algorithm: ConcurrencyAlgorithm = .adaptive(),
        by group: RequestGroup = .origin,
        queue: ConcurrencyQueue = ConcurrencyQueue()
    ) {
        limiter = ConcurrencyLimiter(algorithm, by: group, queue: queue)
    }

    /// Makes a stage with places that are shared or watched.
    public init(_ limiter: ConcurrencyLimiter) {
        self.limiter = limiter
    }

    /// For each attempt, outside its timeout.
    public var phase: Phase { .concurrencyLimit }

    /// The name, purpose and settings of the stage.
    public var summary: StageSummary {
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

    /// Passes the request on when there is a place.
    ///
    /// - Throws: ``ConcurrencyLimitError``; what the stages inside throw; `CancellationError`.
    @inline(__always)  // Into the protocol's witness, which saves each call a frame.
    public func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        guard let pool = limiter.pool(for: request) else { return try await next(request) }
        let environment = CallEnvironment(of: request.options)
        let deadline = Self.deadline(of: request)
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
            if pool.learns {
                fail(error, pool, inFlight: inFlight, since: started, until: deadline, at: environment.elapsed)
            } else {
                pool.giveBack()
            }
            throw error
        }
    }

    @inline(__always)
    private static func deadline(of request: borrowing Request) -> Duration? {
        request.options.contains(CallDeadline.self) ? request.options[CallDeadline.self] : nil
    }

    private func fail(
        _ error: any Error,
        _ pool: PermitPool,
        inFlight: Int,
        since started: Duration,
        until deadline: Duration?,
        at now: Duration
    ) {
        guard Self.isDrop(error, isLate: deadline.map { now >= $0 } ?? false) else { return pool.giveBack() }
        let sample = ConcurrencySample(latency: now - started, inFlight: inFlight, outcome: .dropped, time: now)
        pool.finish(sample, givingBack: true)
    }

    private func held(_ response: consuming Response, _ pool: PermitPool) -> Response {
        response.body = response.body.notifying { _ in pool.giveBack() }
        return response
    }

    private func wait(_ request: borrowing Request, _ pool: PermitPool) async throws -> Int {
        let head = request.head
        let time = request.environment.time
        do {
            return try await pool.take(
                request.options[CallPriority.self],
                remaining: request.remainingTime,
                time
            )
        } catch let refusal as PermitPool.Refusal {
            throw ConcurrencyLimitError(
                key: pool.key,
                cause: refusal.cause,
                limit: refusal.limit,
                exchange: ExchangeSnapshot(head, redaction: request.redaction)
            )
        }
    }

    /// Whether a failure says that the server, or the way to it, has too much to do.
    private static func isDrop(_ error: any Error, isLate: Bool) -> Bool {
        switch error {
        case is any RefusalError: false
        case let error as TransportError: OverloadSigns.has(error)
        case is any TimeoutFailure: true
        // The stage that keeps the call's deadline cancels what is inside when time is up.
        default: isLate && (error is CancellationError || Task.isCancelled)
        }
    }
}
