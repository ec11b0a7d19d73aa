public import HTTPChainCore
public import HTTPTypes

/// Returns an alternative response if a call fails: a fixed one, one from another chain, or the last successful one.
///
/// ```swift
/// let chain = try Chain(transport: transport) {
///     FallbackMiddleware(.chain(mirror).or(.response(Response(.ok, body: "[]"))))
///     RetryMiddleware()
///     CircuitBreakerMiddleware()
/// }
/// let response = try await chain.send(.get("https://api.example.com/plants"))
/// if let reason = response.fallback { print("not from the server:", reason) }
/// ```
///
/// **Condition.** By default, the fallback is used after refusals by inner stages (an open circuit, a full queue),
/// transport errors, timeouts, and the statuses 500, 502, 503 and 504, including errors that inner status validation
/// made from them. It is used only for safe methods (RFC 9110, section 9.2.1), because an alternative response to a
/// write would claim that the write succeeded. A custom condition can decide otherwise, and can match custom errors of
/// an inner error handler. Cancelled calls are excluded.
///
/// If the fallback has no response, or fails, the result is the call's own. The reason for using the fallback is in
/// ``HTTPChainCore/Response/fallback`` of its response.
///
/// Before a chain or a closure is called, up to 64 KiB of a failed response's body are read into memory, for at most a
/// second. This releases its connection and permits, which the fallback may need. A longer or slower body stays open,
/// and its permits stay in use until the fallback has responded.
///
/// **Place.** In any phase: outside retry and circuit breaker, as a last resort, and inside the cache if the fallback
/// responds to writes. An inner cache doesn't see those responses, and so doesn't invalidate its stored ones (RFC 9111,
/// section 4.4). If a chain of the fallback has another base URL, the stage belongs outside the URL builder. Inside it,
/// that base would be ignored, so `Chain.init` throws.
///
/// **Errors.** The call's own errors.
public struct FallbackMiddleware: BuiltInStage, BranchingMiddleware {
    private let fallback: Fallback
    private let condition: @Sendable (HTTPRequest, FallbackReason) -> Bool

    /// Makes the stage.
    ///
    /// - Parameters:
    ///   - fallback: The source of responses.
    ///   - condition: Returns whether to use the fallback for a failure. It is also called for all responses with a
    ///     status of 400 or above. Defaults to ``FallbackMiddleware/standard``.
    public init(
        _ fallback: Fallback,
        when condition: @escaping @Sendable (_ request: HTTPRequest, _ failure: FallbackReason) -> Bool =
            FallbackMiddleware.standard
    ) {
        self.fallback = fallback
        self.condition = condition
    }

    /// The default condition: refusals, transport errors, timeouts, and 500, 502, 503 and 504, for safe methods.
    public static let standard: @Sendable (_ request: HTTPRequest, _ failure: FallbackReason) -> Bool = {
        request,
        failure in
        guard request.method.isSafe else { return false }
        return switch failure {
        case .status(let code): failedStatuses.contains(code)
        case .failure(is any RefusalError), .failure(is TransportError), .failure(is any TimeoutFailure): true
        // Inner status validation turned the status into an error.
        case .failure(let error as any HTTPChainError):
            error.exchange?.response.map { failedStatuses.contains($0.status.code) } ?? false
        case .failure: false
        }
    }

    /// The condition for a fallback that writes to the same data: ``standard``, plus writes that were certainly not
    /// sent.
    ///
    /// No write is performed twice. A call counts as sent if any earlier request of the same call may have reached a
    /// server: an attempt of a retry stage, a part of a resumable upload, the request before a redirect, or one to an
    /// inner fallback.
    public static let standardOrUnsent: @Sendable (_ request: HTTPRequest, _ failure: FallbackReason) -> Bool = {
        request,
        failure in
        if case .failure(let error) = failure, error.isBeforeSending { return true }
        return standard(request, failure)
    }

    private static let failedStatuses: Set<Int> = [500, 502, 503, 504]

    /// The name, purpose and settings of the stage.
    package var stageSummary: StageSummary {
        StageSummary(
            "FallbackMiddleware",
            purpose: "returns another response when a call fails",
            settings: ["fallback": fallback.description]
        )
    }

    /// Reports a memory of responses that could return one user's response to another.
    package func stageProblems(at place: ChainPlace) -> [ChainProblem] {
        guard fallback.memories.contains(where: { !$0.isByKey }), let inner = place.identifyingStage else { return [] }
        return [
            ChainProblem(
                stage: "FallbackMiddleware",
                problem:
                    "FallbackMiddleware is outside \(inner.summary.name) and cannot tell whose answers it remembers",
                fix: "use .lastAnswer(by: .by(\"user\") { … }) with the user's name, or a constant if all callers are "
                    + "one user"
            )
        ]
    }

    /// Passes the request on, and uses the fallback if that fails.
    ///
    /// - Throws: Rethrows errors of the inner stages if the fallback has no response, without the claim that nothing
    ///   was sent if the fallback may have performed the write; `CancellationError`.
    @inline(__always)  // Into the protocol's witness, which saves each call a frame.
    public nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        // The memory distinguishes requests by the URL that inner stages build.
        if !fallback.memories.isEmpty, !request.hasCompleteURL { _ = request.recordCall() }
        let kept = request
        var owners: LastAnswers.Owners = [:]
        for memory in fallback.memories { memory.note(kept, in: &owners) }
        do {
            var response = try await next(request)
            let code = response.status.code
            let reason = FallbackReason.status(code)
            if code >= 400, condition(kept.head, reason) {
                // The fallback may wait for the connection or the permit that the response holds.
                if fallback.sends { response.body = await response.body.readAhead(time: kept.environment.time) }
                if case .response(let other) = try await answer(kept, reason, owners, next) {
                    await kept.keepCookies(of: response)
                    return other
                }
            }
            return fallback.memories.reduce(response) { $1.remembering($0, to: kept, of: owners) }
        } catch {
            if error is CancellationError || Task.isCancelled { throw CancellationError() }
            let reason = FallbackReason.failure(error)
            guard condition(kept.head, reason) else { throw error }
            switch try await answer(kept, reason, owners, next) {
            case .response(let other): return other
            case .none(let mayHaveWritten): throw mayHaveWritten ? error.afterSending : error
            }
        }
    }

    /// The chains and transports of the fallback.
    package var branches: [any Transport] { fallback.branches }

    private enum Answer {
        case response(Response)
        case none(mayHaveWritten: Bool)
    }

    private func answer(
        _ request: Request,
        _ reason: FallbackReason,
        _ owners: LastAnswers.Owners,
        _ next: Next
    ) async throws -> Answer {
        let call = Fallback.Call(request: request, failure: reason, owners: owners, condition: condition, next: next)
        do {
            let response = try await request.withinDeadline { [fallback] in try await fallback.answer(call) }
            guard var response else { return .none(mayHaveWritten: false) }
            response.options[FallbackFact.self] = reason
            return .response(response)
        } catch {
            if error is CancellationError || Task.isCancelled { throw CancellationError() }
            return .none(mayHaveWritten: fallback.sends && call.mayHaveWritten(error))
        }
    }
}
