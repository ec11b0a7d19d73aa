public import HTTPChainCore
import HTTPTypes

/// Ends calls that take too long, measured from their start to the last byte of the response.
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
///     print(error)  // the limit, the elapsed time, and how much had been sent and received
/// }
/// ```
///
/// The limit covers everything: redirects, retries and their waits, the work of inner stages, and reading the body.
/// ``AttemptTimeoutMiddleware`` also limits single attempts. Inner stages can read the remaining time from
/// `request.remainingTime`, and don't start a wait that would exceed it.
///
/// When the time is up, the call throws ``/HTTPChainCore/TimeoutError``. Reading the body afterwards throws it too, and
/// such a read cancels the transfer, if that hasn't happened yet. A body that can be read again (bytes, a file, a
/// response from a cache) has no transfer and is returned unchanged. A call whose own task is cancelled throws
/// `CancellationError`, even if its time is up as well.
///
/// **Enforcement.** The deadline is data on the request (`DeadlineNote`). The transport and the inner stages end their
/// waits when it passes, so that no task is needed. Some may not declare that they do so (a transport without the
/// capability `keepsDeadlines`, a stage that isn't a `DeadlineKeepingMiddleware`). In that case, the inner stages are
/// cancelled when the time is up, and awaited, so that nothing continues in the background. A stage that ignores
/// cancellation delays the error until it ends. `TransportConformance` and `StageConformance` detect such stages and
/// transports.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/deadline``: outside everything that takes time, and inside stages that
/// report calls as a whole. A log that is further in would see a cancellation instead of a timeout. A second, inner
/// stage can only make the deadline earlier.
///
/// **Options.** ``HTTPChainCore/Request/timeout(_:)`` sets or removes the limit for one call. `DeadlineNote` provides
/// the call's deadline to inner stages. An earlier deadline set by the caller is kept.
///
/// **Errors.** ``/HTTPChainCore/TimeoutError`` with the scope ``/HTTPChainCore/TimeoutScope/call``.
public struct TimeoutMiddleware: DeadlineKeepingMiddleware, BuiltInStage {
    private let limit: Duration?

    /// Makes the stage.
    ///
    /// - Parameter limit: The time limit for a call, or `nil` if only calls set limits. With zero or less, every call
    ///   fails immediately.
    public init(_ limit: Duration?) {
        self.limit = limit
    }

    /// The name in errors and descriptions.
    package static var name: StaticString { "TimeoutMiddleware" }

    /// Outside everything that takes time.
    package var stagePhase: Phase { .deadline }

    /// The options that the stage reads.
    package var stageOptions: [any RequestOption.Type] { [TimeoutOption.self] }

    /// The limit.
    package var stageSummary: StageSummary {
        StageSummary(
            "\(Self.name)",
            purpose: "limits the time of the whole call",
            settings: ["limit": limit.map { "\($0)" } ?? "none"]
        )
    }

    /// Passes the request on, and enforces the deadline.
    ///
    /// - Throws: ``/HTTPChainCore/TimeoutError``; rethrows errors of the inner stages; `CancellationError` if the task
    ///   is cancelled.
    @inline(__always)  // Into the protocol's witness, which saves each call a frame.
    public nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        var limit = limit
        // Calls that share an exchange have their own limits outside it.
        if request.options.contains(TimeoutOption.self), !request.options.contains(SharedDeadlineNote.self) {
            limit = request.options[TimeoutOption.self].applied(to: limit)
        }
        let given = request.options[DeadlineNote.self]
        if limit == nil && given == nil { return try await next(request) }
        return try await hold(request, next, limit: limit, given: given)
    }

    @inline(__always)
    private nonisolated(nonsending) func hold(
        _ request: consuming Request,
        _ next: Next,
        limit: Duration?,
        given: DeadlineNote.Mark?
    ) async throws -> Response {
        let now = request.options.elapsed
        let own = limit.map { Deadline(.call, limit: $0, start: now) }
        let outer = given.map { Deadline($0, at: now) }
        guard let deadline = Deadline.first(outer, own) else { return try await next(request) }
        if deadline.isOver(at: now) {
            try Task.checkCancellation()
            throw TimeoutError(
                deadline,
                at: now,
                progress: .notStarted,
                attempt: nil,
                stage: "\(Self.name)",
                exchange: ExchangeSnapshot(request.head, redaction: request.redaction)
            )
        }
        request.options[DeadlineNote.self] = DeadlineNote.Mark(
            deadline.instant,
            start: deadline.start,
            stage: Self.name
        )
        if next.keepsDeadlines { return try await next(request) }
        if let supervised = request.options[SupervisedDeadlineNote.self], supervised <= deadline.instant {
            return try await next(request)
        }
        return try await supervise(request, next, deadline)
    }

    /// Cancels the inner stages when the time is up.
    private func supervise(
        _ request: consuming Request,
        _ next: Next,
        _ deadline: Deadline
    ) async throws -> Response {
        let timer = TransferTimer(request, call: deadline)
        request.options[SupervisedDeadlineNote.self] = deadline.instant
        let passed = request
        var response = try await timer.run { try await next(passed) }
        if let kept = response.body.keptDeadline, kept <= deadline.instant { return response }
        timer.answered(response.head)
        response.body = timer.keep(response.body)
        return response
    }
}
