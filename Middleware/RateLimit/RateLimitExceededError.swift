public import HTTPChainCore

/// The error if a call was refused because its rate limit is reached and its turn would come too late.
///
/// Nothing was sent.
public struct RateLimitExceededError: RefusalError, AnnotatedError, ExplainedError {
    /// The reason for the refusal.
    package enum Cause: Sendable, Hashable {
        /// The stage's own limit is reached.
        case limit
        /// The server's limit is reached, or the server requested a pause.
        case server
        /// Too many calls are already waiting.
        case queueFull
    }

    /// The key of the limit: the origin, unless another group was chosen.
    public let key: String
    /// The reason for the refusal.
    package let cause: Cause
    /// The time until the call might be admitted; `nil` if unknown.
    public let retryAfter: Duration?
    /// The redacted request.
    package let failedExchange: ExchangeSnapshot?
    /// The notes that stages added.
    package var notes = ErrorNotes()

    /// Always "RateLimitMiddleware".
    package var failedStage: String { "RateLimitMiddleware" }

    package var explanation: Explanation {
        let name = key.isEmpty ? "" : " of \(key)"
        let what =
            switch cause {
            case .limit: "the rate limit\(name) is reached"
            case .server: "the server's own limit\(name) is reached"
            case .queueFull: "too many calls wait for the rate limit\(name)"
            }
        let advice = retryAfter.map { "try again in \($0.label)" } ?? "try again later"
        return Explanation("\(what), and nothing was sent; \(advice)")
    }
}
