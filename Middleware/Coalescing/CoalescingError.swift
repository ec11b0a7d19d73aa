public import HTTPChainCore

/// An error thrown if a caller reads the body of a shared transfer so slowly that the part it hasn't read is no longer
/// available.
///
/// The other callers can continue to read. The part that this caller has read is correct, but incomplete.
public struct CoalescingError: ExplainedError {
    /// The maximum size of the part kept for slow readers, in memory and in a file.
    package let limit: ByteCount
    /// Always "CoalescingMiddleware".
    package let failedStage = "CoalescingMiddleware"
    /// The redacted request of the transfer.
    package let failedExchange: ExchangeSnapshot?
    /// The error of the temporary file, if that is the reason.
    package let cause: (any Error)?

    package var explanation: Explanation {
        underlyingError == nil
            ? Explanation(
                "the body was read more than \(limit) behind the other callers that share its transfer",
                "read it faster, allow more with spill:, or send the request with coalescing(false)"
            )
            : Explanation(
                "the unread part of a shared transfer could not be written to a temporary file",
                "free some disk space, read faster, or send the request with coalescing(false)"
            )
    }
}
