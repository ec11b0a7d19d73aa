public import HTTPChainCore

/// A call was refused because as many calls are in flight as may be, and it may not wait or waited too long; nothing was
/// sent.
public struct ConcurrencyLimitError: RefusalError, AnnotatedError {
    /// Why there was no place.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Cause: Sendable, Hashable {
        /// The queue has no room for calls of this priority.
        case queueFull
        /// The call waited as long as it may.
        case waitedTooLong
        /// A more important call took its place in the queue.
        case replaced
    }

    /// The key of the limit: the origin, unless another group was chosen.
    public let key: String
    /// Why there was no place.
    public let cause: Cause
    /// The number of calls that may be in flight now.
    public let limit: Int
    /// The request, redacted.
    public let exchange: ExchangeSnapshot?
    /// The notes that stages added.
    public var notes = ErrorNotes()

    init(key: String, cause: Cause, limit: Int, exchange: ExchangeSnapshot) {
        self.key = key
        self.cause = cause
        self.limit = limit
        self.exchange = exchange
    }

    /// Not known: it depends on the calls in flight.
    public var retryAfter: Duration? { nil }

    /// Always "ConcurrencyLimitMiddleware".
    public var stage: String { "ConcurrencyLimitMiddleware" }

    /// The limit that is reached, and what became of the wait.
    public var reason: String {
        let what =
            switch cause {
            case .queueFull: "the queue has no room for a call of its priority"
            case .waitedTooLong: "none of them ended in the time that the call may wait"
            case .replaced: "a more important call took its place in the queue"
            }
        return "\(limit) calls\(key.isEmpty ? "" : " to \(key)") are in flight, which is the limit, and \(what); "
            + "nothing was sent; try again later"
    }
}
