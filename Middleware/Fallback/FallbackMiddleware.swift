public import HTTPChainCore
public import HTTPTypes

/// Answers from elsewhere when a call fails: another chain, a response of your own, the last good answer.
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
/// **When.** After refusals by stages inside (an open circuit, a full queue), transport errors, timeouts, and 500, 502,
/// 503 and 504, also if status validation inside has made errors of them, for safe methods (RFC 9110, section 9.2.1); an
/// answer to a write would say that it is done. A condition of yours decides otherwise, also about errors of your own
/// that an error handler inside throws. A cancelled call is not answered.
///
/// When the fallback has no answer, or fails itself, the result is that of the call. What the fallback answers says so in
/// ``HTTPChainCore/Response/fallback``.
///
/// **Place.** Anywhere; outside retry and circuit breaker, so that it stands in for what they could not mend. Inside
/// the cache when it answers writes: one inside it does not see them, and keeps what it stored (RFC 9111, section 4.4).
///
/// **Errors.** Those of the call.
public struct FallbackMiddleware: Middleware {
    /// Decides whether a failure is answered from elsewhere.
    public typealias Condition = @Sendable (_ request: HTTPRequest, _ failure: CallFallback.Reason) -> Bool

    private let fallback: Fallback
    private let condition: Condition

    /// Makes the stage.
    ///
    /// - Parameters:
    ///   - fallback: What answers.
    ///   - condition: Whether a failure is answered from elsewhere; also asked for statuses from 400 on. As described
    ///     above by default.
    public init(_ fallback: Fallback, when condition: @escaping Condition = FallbackMiddleware.standard) {
        self.fallback = fallback
        self.condition = condition
    }

    /// Refusals, transport errors, timeouts, and 500, 502, 503 and 504, for safe methods.
    public static let standard: Condition = { request, failure in
        guard request.method.isSafe else { return false }
        return switch failure {
        case .status(let code): failedStatuses.contains(code)
        case .failure(is any RefusalError), .failure(is TransportError), .failure(is any TimeoutFailure): true
        // Status validation inside has made an error of the status.
        case .failure(let error as any HTTPChainError):
            error.exchange?.response.map { failedStatuses.contains($0.status.code) } ?? false
        case .failure: false
        }
    }

    private static let failedStatuses: Set<Int> = [500, 502, 503, 504]

    /// The name, purpose and settings of the stage.
    public var summary: StageSummary {
        StageSummary(
            "FallbackMiddleware",
            purpose: "answers from elsewhere when a call fails",
            settings: ["fallback": fallback.description]
        )
    }

    /// Passes the request on, and answers from elsewhere when that fails.
    ///
    /// - Throws: What the stages inside throw, where the fallback has no answer; `CancellationError`.
    @inline(__always)  // Into the protocol's witness, which saves each call a frame.
    public func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        let kept = request
        do {
            let response = try await next(request)
            let code = response.status.code
            if code >= 400 {
                let reason = CallFallback.Reason.status(code)
                if condition(kept.head, reason), let other = try await answer(kept, reason) { return other }
            }
            return fallback.memory.map { $0.remembering(response, to: kept) } ?? response
        } catch {
            if error is CancellationError || Task.isCancelled { throw error }
            let reason = CallFallback.Reason.failure(error)
            if condition(kept.head, reason), let other = try await answer(kept, reason) { return other }
            throw error
        }
    }

    private func answer(_ request: Request, _ reason: CallFallback.Reason) async throws -> Response? {
        do {
            guard var response = try await fallback.answer(request, reason) else { return nil }
            response.options[CallFallback.self] = reason
            return response
        } catch {
            if error is CancellationError || Task.isCancelled { throw CancellationError() }
            return nil
        }
    }
}
