public import HTTPChainCore
import HTTPTypes

/// Ends a call that takes too long, from its beginning to the last byte of its response.
///
/// ```swift
/// let chain = try Chain(transport: transport) {
///     TimeoutMiddleware(.seconds(30))
///     AttemptTimeoutMiddleware()
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
/// the body. ``AttemptTimeoutMiddleware`` limits the single attempt beside it. Stages inside read what is left as
/// `request.remainingTime` and do not begin a wait that would outlive it.
///
/// When time is up, the call ends with ``/HTTPChainCore/TimeoutError``. A body that is read after that throws it too,
/// and its transfer is cancelled, at the latest with the first such read. A body that can be read again (bytes, a file,
/// an answer from a cache) has no transfer behind it and is handed on as it is. A call whose own task is cancelled ends
/// with `CancellationError`, even when its time is up as well.
///
/// **What keeps the deadline.** It is data on the request (`CallDeadline`): the transport and the stages inside end
/// their waits with it, so that no task is made for it. Where something inside does not say that it does so (a transport
/// without the capability `keepsDeadlines`, a stage that is no `DeadlineKeepingMiddleware`), what runs inside is
/// cancelled when time is up, and awaited, so that nothing of a call goes on behind its back: a stage that ignores
/// cancellation delays the error for as long as it goes on. `TransportConformance` and `StageConformance` find those.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/deadline``: outside everything that takes time, and inside what tells of
/// calls as a whole: a log further in would see a cancellation, not a timeout. A second such stage further in only
/// brings the deadline nearer; where it would not, it does nothing.
///
/// **Options.** ``CallTimeout`` (in short ``HTTPChainCore/Request/timeout(_:)``) sets another limit for one call, or
/// none. `CallDeadline` tells the stages inside when the call ends; a sooner one that the caller has set stands.
///
/// **Errors.** ``/HTTPChainCore/TimeoutError`` with the scope ``/HTTPChainCore/TimeoutScope/call``.
public struct TimeoutMiddleware: DeadlineKeepingMiddleware {
    private let limit: Duration?

    /// Makes the stage.
    ///
    /// - Parameter limit: How long a call may take; `nil` for no limit but those that calls set themselves. With zero or
    ///   less every call fails at once.
    public init(_ limit: Duration?) {
        self.limit = limit
    }

    /// Outside everything that takes time.
    public var phase: Phase { .deadline }

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
    /// - Throws: ``/HTTPChainCore/TimeoutError``; what the stages inside throw; `CancellationError` when the task is
    ///   cancelled.
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
        let now = request.environment.time.elapsed
        let own = limit.map { Deadline(.call, limit: $0, start: now) }
        let start = request.options[CallStart.self] ?? now
        let outer = given.map { Deadline(.call, limit: $0 - start, start: start) }
        guard let deadline = Deadline.first(outer, own) else { return try await next(request) }
        if deadline.isOver(at: now) {
            try Task.checkCancellation()
            throw TimeoutError(
                deadline,
                at: now,
                progress: .notStarted,
                attempt: nil,
                exchange: ExchangeSnapshot(request.head, redaction: request.redaction)
            )
        }
        request.options[CallDeadline.self] = deadline.instant
        request.options[CallStart.self] = deadline.start
        if next.keepsDeadlines { return try await next(request) }
        if let supervised = request.options[SupervisedDeadline.self], supervised <= deadline.instant {
            return try await next(request)
        }
        return try await supervise(request, next, deadline)
    }

    /// Cancels what runs inside when time is up.
    private func supervise(
        _ request: consuming Request,
        _ next: Next,
        _ deadline: Deadline
    ) async throws -> Response {
        let timer = TransferTimer(request, call: deadline)
        request.options[SupervisedDeadline.self] = deadline.instant
        let passed = request
        var response = try await timer.run { try await next(passed) }
        if let kept = response.body.keptDeadline, kept <= deadline.instant { return response }
        timer.answered(response.head)
        response.body = timer.keep(response.body)
        return response
    }
}
