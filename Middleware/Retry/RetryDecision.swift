import Foundation
import HTTPChainCore
import HTTPTypes

/// The decision after an attempt.
enum RetryDecision: Hashable {
    case retry(after: Duration)
    case stop(RetryStop)
}

/// The circumstances of a decision, in addition to the policy and the outcome.
struct RetryCircumstances {
    /// The number of attempts that count so far, including the current one.
    var attempts: Int
    var isReplayable: Bool
    /// The time since the first attempt started.
    ///
    /// Not measured if there is no total time.
    var elapsed: Duration
    /// The time until the call's deadline.
    var remaining: Duration?
    /// The current date.
    var date: Date
}

extension RetryPolicy {
    /// Decides what to do after an attempt, except for the budget.
    func decide(
        _ candidate: CompletedAttempt,
        _ circumstances: RetryCircumstances,
        random: some RandomSource
    ) -> RetryDecision {
        // Another attempt would be refused in the same way, regardless of what the application's closure decides.
        if case .failure(is UserChangedError) = candidate.result { return .stop(.notRetryable) }
        let asked = candidate.requestedWait(now: circumstances.date)
        switch verdict?(candidate) ?? .standard {
        case .giveUp: return .stop(candidate.stopWithoutRetry)
        case .retry: break
        case .standard:
            guard isRetryable(candidate.result) else { return .stop(candidate.stopWithoutRetry) }
            guard candidate.isSafeToRepeat(isRefused: asked != nil) else {
                return .stop(.mayHaveBeenProcessed(candidate.request.method))
            }
        }
        guard circumstances.isReplayable else { return .stop(.bodyNotReplayable) }
        guard circumstances.attempts < maximumAttempts else {
            return .stop(.attemptsSpent(maximum: max(1, maximumAttempts)))
        }
        if let asked, asked > retryAfterLimit {
            return .stop(.retryAfterTooLong(asked: asked, limit: retryAfterLimit))
        }
        let wait = max(asked ?? .zero, backoff.wait(beforeRetry: circumstances.attempts, random: random))
        if let totalTime, circumstances.elapsed.bounded + wait > totalTime {
            return .stop(.timeSpent(limit: totalTime))
        }
        if let remaining = circumstances.remaining, wait >= remaining { return .stop(.deadline(remaining: remaining)) }
        return .retry(after: wait)
    }

    func isRetryable(_ result: Result<HTTPResponse, any Error>) -> Bool {
        switch result {
        case .success(let head): statuses.contains(head.status)
        case .failure(let error as TransportError): errors.contains(error.kind)
        case .failure(let error as any NetworkFailure): error.networkFailure.map { errors.contains($0.kind) } ?? false
        // An attempt that timed out has lost its connection, as if the transport had timed out.
        case .failure(let error as any TimeoutFailure): error.scope != .call && errors.contains(.timedOut)
        case .failure: false
        }
    }
}

extension CompletedAttempt {
    var stopWithoutRetry: RetryStop {
        if case .success = result { .notNeeded } else { .notRetryable }
    }

    /// Returns the wait requested by `Retry-After`.
    func requestedWait(now: Date) -> Duration? {
        guard case .success(let head) = result else { return nil }
        return RetryAfter.wait(in: head.headerFields, now: now)
    }

    /// Returns whether repeating the request has no additional effect.
    ///
    /// - Parameter isRefused: Whether the server invites a retry with `Retry-After`.
    func isSafeToRepeat(isRefused: Bool) -> Bool {
        if request.method.isIdempotent || request.headerFields[.idempotencyKey]?.isEmpty == false { return true }
        switch result {
        case .success(let head):
            // RFC 9110 §15.5.9: 408, no complete request arrived. RFC 8470 §5.2: 425, the server doesn't want to
            // process it yet. RFC 6585 §4: 429, it was refused. A 503 without Retry-After may come from a gateway whose
            // server has acted on the request. With Retry-After, the server can't currently act (RFC 9110 §15.6.4).
            return [408, 425, 429].contains(head.status.code) || (head.status == .serviceUnavailable && isRefused)
        case .failure(let error as any NetworkFailure) where error.resumes: return true
        case .failure(let error): return error.isBeforeSending
        }
    }
}
