public import HTTPChainCore
import HTTPTypes

/// Ends a call that takes too long, from its beginning to the last byte of its response.
///
/// ```swift
/// let chain = try Chain(transport: transport) {
///     TimeoutMiddleware(.seconds(30))
///     AttemptTimeoutMiddleware(.seconds(10), idle: .seconds(5))
/// }
/// do {
///     let response = try await chain.send(.get("https://api.example.com/reports/7").timeout(.seconds(90)))
///     report = try await response.body.collect()
/// } catch let error as TimeoutError {
///     print(error)  // which limit, how long it took, and how far the exchange had come
/// }
/// ```
///
/// The limit covers everything: redirects, retries and the waits between them, what the stages inside do, and reading
/// the body. ``AttemptTimeoutMiddleware`` limits the single attempt beside it; both share one timer. Stages inside read
/// what is left as `request.remainingTime` and do not begin a wait that would outlive it.
///
/// When time is up, what runs inside is cancelled and the call ends with ``TimeoutError``. A body that is read after
/// that throws it too, and its transfer is cancelled with the first such read, or when the body is dropped; nothing
/// waits for a body that nobody reads. A body that can be read again (bytes, a file, an answer from a cache) has no
/// transfer behind it and is handed on as it is. A call whose own task is cancelled ends with `CancellationError`, even
/// when its time is up as well.
///
/// The stage waits until what it cancelled has ended, so that nothing of a call goes on behind its back: a transport or
/// stage that ignores cancellation delays the error for as long as it goes on. `TransportConformance` and
/// `StageConformance` find those.
///
/// On the system's clock one sleeping task serves all calls of the stage; on another, such as a virtual one, each call
/// has one of its own, and none is left when the call and its body are done.
///
/// **Place.** Phase ``Phase/call``: outside everything that takes time. A second such stage further in only brings the
/// deadline nearer; where it would not, it does nothing.
///
/// **Options.** ``CallTimeout`` (in short ``HTTPChainCore/Request/timeout(_:)``) sets another limit for one call, or
/// none. ``CallDeadline`` tells the stages inside when the call ends; a sooner one that the caller has set stands.
///
/// **Errors.** ``TimeoutError`` with the scope ``TimeoutScope/call``.
public struct TimeoutMiddleware: Middleware {
    private let limit: Duration?
    private let schedulers = SchedulerSource()

    /// Makes the stage.
    ///
    /// - Parameter limit: How long a call may take; `nil` for no limit but those that calls set themselves. With zero or
    ///   less every call fails at once.
    public init(_ limit: Duration?) {
        self.limit = limit
    }

    /// Outside everything that takes time.
    public var phase: Phase { .call }

    /// The limit.
    public var summary: StageSummary {
        StageSummary(
            "TimeoutMiddleware",
            purpose: "limits the time of the whole call",
            settings: ["limit": limit.map { "\($0)" } ?? "none"]
        )
    }

    /// Passes the request on, and holds what follows to the deadline.
    ///
    /// - Throws: ``TimeoutError``; what the stages inside throw; `CancellationError` when the task is cancelled.
    @inline(__always)  // Into the protocol's witness, which saves each call a frame.
    public func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        let limit = request.options[CallTimeout.self].limit(standard: limit)
        let given = request.options[CallDeadline.self]
        if limit == nil && given == nil { return try await next(request) }
        return try await hold(request, next, limit: limit, given: given)
    }

    private func hold(
        _ request: consuming Request,
        _ next: Next,
        limit: Duration?,
        given: Duration?
    ) async throws -> Response {
        let time = request.environment.time
        let now = time.elapsed
        let own = limit.map { Deadline(.call, limit: $0, start: now) }
        let outer = given.map { Deadline(.call, limit: $0 - now, start: now) }
        guard let deadline = Deadline.first(outer, own) else { return try await next(request) }
        if let kept = request.options[CallTimerOption.self]?.deadline.instant, kept <= deadline.instant {
            return try await next(request)
        }
        let scheduler = schedulers.scheduler(on: time)
        let head = request.head
        if deadline.isOver(at: now) {
            try Task.checkCancellation()
            throw TimeoutError(
                deadline,
                at: now,
                progress: .notStarted,
                attempt: nil,
                exchange: ExchangeSnapshot(head)
            )
        }
        request.options[CallDeadline.self] = deadline.instant
        request.options[CallTimerOption.self] = CallTimer(deadline: deadline, scheduler: scheduler)
        let passed = request
        var response = try await scheduler.run(
            scheduler.open(),
            until: deadline.instant,
            orThrow: { _ in
                TimeoutError(
                    deadline,
                    at: scheduler.time.elapsed,
                    progress: .waitingForHead,
                    attempt: nil,
                    exchange: ExchangeSnapshot(head)
                )
            },
            { try await next(passed) }
        )
        if let kept = response.options[BodyDeadline.self], kept <= deadline.instant { return response }
        response.body = BodyTimer(call: deadline, scheduler: scheduler, request: head, response: response)
            .watch(response.body)
        return response
    }
}
