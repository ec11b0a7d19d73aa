public import HTTPChainCore

/// A caller read the body of a shared transfer so slowly that what it missed is no longer kept.
///
/// The others read on; what this caller has read so far is right, and incomplete.
public struct CoalescingError: HTTPChainError {
    /// The size of the part of the body that is kept for slow readers, in memory and in a file.
    public let limit: ByteCount
    /// Always "CoalescingMiddleware".
    public let stage = "CoalescingMiddleware"
    /// The request of the transfer, redacted.
    public let exchange: ExchangeSnapshot?
    /// Why nothing could be kept in a file, where that is the reason.
    public let underlyingError: (any Error)?

    init(limit: ByteCount, exchange: ExchangeSnapshot?, underlyingError: (any Error)? = nil) {
        self.limit = limit
        self.exchange = exchange
        self.underlyingError = underlyingError
    }

    /// The sentence that says what happened.
    public var reason: String { explanation.reason }

    /// Advice on what to do about it.
    public var recoverySuggestion: String? { explanation.advice }

    private var explanation: Explanation {
        underlyingError == nil
            ? Explanation(
                "the body was read more than \(limit) behind the others who share its transfer",
                "read it faster, allow more with spill:, or send the request with coalesced(false)"
            )
            : Explanation(
                "what this caller has yet to read of a shared transfer could not be written to a temporary file",
                "make room there, read faster, or send the request with coalesced(false)"
            )
    }
}
