public import HTTPChainCore

/// An error for a response with more unread bytes than the transport may store on disk; the transfer was cancelled.
public struct SpillLimitError: ExplainedError {
    /// The maximum unread size on disk: the transport's `spillLimit`.
    package let limit: ByteCount
    /// The request and the response head, redacted.
    package let failedExchange: ExchangeSnapshot?

    /// Creates the error.
    ///
    /// - Parameters:
    ///   - limit: The maximum unread size on disk.
    ///   - exchange: The request and the response head, redacted.
    package init(limit: ByteCount, exchange: ExchangeSnapshot? = nil) {
        self.limit = limit
        failedExchange = exchange
    }

    /// Always "URLSessionTransport".
    package var failedStage: String { "URLSessionTransport" }

    package var explanation: Explanation {
        Explanation(
            "more than \(limit) of the response body waited unread on disk",
            "read it as it arrives, request it in ranges,  "
                + "raise spillLimit in the transport's configuration, or use a transport with backpressure"
        )
    }
}
