public import HTTPChainCore
import HTTPTypes

/// Ends an attempt that takes too long, or in which the server falls silent.
///
/// ```swift
/// let chain = try Chain(transport: transport) {
///     TimeoutMiddleware(.seconds(60))
///     AttemptTimeoutMiddleware(.seconds(10), idle: .seconds(5))
/// }
/// ```
///
/// Two limits, each of them optional:
///
/// - The attempt's limit runs from sending the request until the response's head has arrived, the upload included. The
///   body is left out, so that a large download does not fail for its size; `covering: .response` takes it in.
/// - The idle limit is how long the server may be silent while something is waited for: the head, or the next chunk of
///   the body. It begins anew with each chunk, and with each part of the request's body that the network takes, where
///   the transport reports that. The time in which nobody asks for a chunk does not count: a slow reader is not a
///   silent server.
///
/// A stage further out that sends a request again does so after such an error where that is safe: it is a
/// `TimeoutFailure` with the scope ``TimeoutScope/attempt`` or ``TimeoutScope/idle``.
///
/// When time is up, what runs inside is cancelled and awaited; ``TimeoutMiddleware`` says what that means for what
/// ignores cancellation, and for a body that is not read. Under a ``TimeoutMiddleware`` both use one timer.
///
/// **Place.** Phase ``Phase/attempt``: inside retry and authentication, so that each attempt has its own limit.
///
/// **Options.** ``AttemptTimeout`` and ``IdleTimeout`` (in short ``HTTPChainCore/Request/attemptTimeout(_:)`` and
/// ``HTTPChainCore/Request/idleTimeout(_:)``) set other limits for one call, or none. With an idle limit and a request
/// with a body, the stage listens to `UploadProgress` beside whoever does.
///
/// **Errors.** ``TimeoutError`` with the scope ``TimeoutScope/attempt`` or ``TimeoutScope/idle``; with
/// ``TimeoutScope/call`` when the whole call's time is up while the body is read.
public struct AttemptTimeoutMiddleware: Middleware {
    /// What the limit of an attempt covers.
    public enum Coverage: String, Sendable, Hashable {
        /// From sending the request until the response's head has arrived.
        case head = "until the head has arrived"
        /// From sending the request until the response's body was read to its end.
        case response = "until the body is read"
    }

    private let limit: Duration?
    private let coverage: Coverage
    private let idle: Duration?
    private let schedulers = SchedulerSource()

    /// Makes the stage.
    ///
    /// - Parameters:
    ///   - limit: How long an attempt may take; `nil`, the default, for no limit. With zero or less every attempt fails
    ///     at once.
    ///   - coverage: What the limit covers; by default the body of the response is left out.
    ///   - idle: How long the server may be silent; `nil`, the default, for as long as it likes. With zero or less every
    ///     attempt fails at once.
    public init(_ limit: Duration? = nil, covering coverage: Coverage = .head, idle: Duration? = nil) {
        self.limit = limit
        self.coverage = coverage
        self.idle = idle
    }

    /// Once for each attempt.
    public var phase: Phase { .attempt }

    /// The limits.
    public var summary: StageSummary {
        StageSummary(
            "AttemptTimeoutMiddleware",
            purpose: "limits the time of each attempt",
            settings: [
                "limit": limit.map { "\($0) \(coverage.rawValue)" } ?? "none",
                "idle": idle.map { "\($0)" } ?? "none",
            ]
        )
    }

    /// Passes the request on, and holds what follows to the limits.
    ///
    /// - Throws: ``TimeoutError``; what the stages inside throw; `CancellationError` when the task is cancelled.
    @inline(__always)  // Into the protocol's witness, which saves each call a frame.
    public func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        let limit = request.options[AttemptTimeout.self].limit(standard: limit)
        let idle = request.options[IdleTimeout.self].limit(standard: idle)
        if limit == nil && idle == nil { return try await next(request) }
        return try await hold(request, next, limit: limit, idle: idle)
    }

    private func hold(
        _ request: consuming Request,
        _ next: Next,
        limit: Duration?,
        idle: Duration?
    ) async throws -> Response {
        // A call that shares the exchange with others must not end it for them.
        let call = request.options[SharedExchange.self] ? nil : request.options[CallTimerOption.self]
        let scheduler = call?.scheduler ?? schedulers.scheduler(on: request.environment.time)
        let start = scheduler.time.elapsed
        let attempt = limit.map { Deadline(.attempt, limit: $0, start: start) }
        let head = request.head
        let number = request.attempt
        var response = try await respond(to: request, next, attempt: attempt, idle: idle, scheduler, start)

        let covering = coverage == .response ? attempt : nil
        if covering == nil && idle == nil { return response }
        let timer = BodyTimer(
            call: call?.deadline,
            attempt: covering,
            idle: idle,
            scheduler: scheduler,
            request: head,
            response: response,
            number: number
        )
        response.body = timer.watch(response.body)
        if let call { response.options[BodyDeadline.self] = call.deadline.instant }
        return response
    }

    /// Waits for the head.
    private func respond(
        to request: consuming Request,
        _ next: Next,
        attempt: Deadline?,
        idle: Duration?,
        _ scheduler: DeadlineScheduler,
        _ start: Duration
    ) async throws -> Response {
        let silence = idle.map { Deadline(.idle, limit: $0, start: start) }
        guard let deadline = Deadline.first(attempt, silence) else { return try await next(request) }
        let head = request.head
        let number = request.attempt
        if deadline.isOver(at: start) {
            try Task.checkCancellation()
            throw TimeoutError(
                deadline,
                at: start,
                progress: .notStarted,
                attempt: number,
                exchange: ExchangeSnapshot(head)
            )
        }
        let ticket = scheduler.open()
        if let silence { listen(to: &request, ticket, attempt: attempt, idle: silence.limit, scheduler) }
        let passed = request
        return try await scheduler.run(
            ticket,
            until: deadline.instant,
            orThrow: { instant in
                // The silence may have begun after the start, with the last part of the request that was sent.
                let missed =
                    attempt.flatMap { $0.isOver(at: instant) ? $0 : nil }
                    ?? Deadline(.idle, limit: idle ?? .zero, start: instant - (idle ?? .zero))
                return TimeoutError(
                    missed,
                    at: scheduler.time.elapsed,
                    progress: .waitingForHead,
                    attempt: number,
                    exchange: ExchangeSnapshot(head)
                )
            },
            { try await next(passed) }
        )
    }

    /// Takes what the network accepts of the request's body for a sign of life.
    private func listen(
        to request: inout Request,
        _ ticket: DeadlineScheduler.Table.Ticket,
        attempt: Deadline?,
        idle: Duration,
        _ scheduler: DeadlineScheduler
    ) {
        guard !request.body.isEmpty else { return }
        let listener = request.options[UploadProgress.self]
        request.options[UploadProgress.self] = { sent, expected in
            listener?(sent, expected)
            let silence = Deadline(.idle, limit: idle, start: scheduler.time.elapsed)
            guard let deadline = Deadline.first(attempt, silence) else { return }
            scheduler.putOff(ticket, until: deadline.instant)
        }
    }
}
