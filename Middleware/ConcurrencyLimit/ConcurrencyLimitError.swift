public import HTTPChainCore

/// An error thrown if a call is refused because the limit of calls in flight is reached; nothing was sent.
///
/// The call was not allowed to wait, or waited too long.
public struct ConcurrencyLimitError: RefusalError, AnnotatedError, ExplainedError {
    /// The reason for the refusal.
    package enum Cause: String, Sendable, Hashable {
        /// The queue has no room for calls of this priority.
        case queueFull = "the queue has no room for a call of its priority"
        /// The call waited for the maximum time.
        case waitedTooLong = "none of them ended in the time that the call may wait"
        /// A call with a higher priority took its place in the queue.
        case replaced = "a more important call took its place in the queue"
    }

    /// The key of the limit: the origin, unless another group was chosen.
    public let key: String
    /// The reason for the refusal.
    package let cause: Cause
    /// The current maximum number of calls in flight.
    package let limit: Int
    /// The redacted request.
    package let failedExchange: ExchangeSnapshot?
    /// The notes that stages added.
    package var notes = ErrorNotes()

    /// Always "ConcurrencyLimitMiddleware".
    package var failedStage: String { "ConcurrencyLimitMiddleware" }

    package var explanation: Explanation {
        Explanation(
            "\(limit) calls\(key.isEmpty ? "" : " to \(key)") are in flight, which is the limit, and "
                + "\(cause.rawValue); nothing was sent; try again later"
        )
    }
}
