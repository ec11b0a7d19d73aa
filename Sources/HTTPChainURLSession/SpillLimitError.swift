public import HTTPChainCore

/// More of a response waited unread than the transport may keep on disk; the transfer was cancelled.
public struct SpillLimitError: HTTPChainError {
    /// The size that may wait on disk: the transport's ``URLSessionTransport/Configuration/spillLimit``.
    public let limit: ByteCount
    /// The request and the response head, redacted.
    public let exchange: ExchangeSnapshot?

    /// Makes the error.
    ///
    /// - Parameters:
    ///   - limit: How much may wait on disk.
    ///   - exchange: The request and the response head, redacted.
    public init(limit: ByteCount, exchange: ExchangeSnapshot? = nil) {
        self.limit = limit
        self.exchange = exchange
    }

    /// Always "URLSessionTransport".
    public var stage: String { "URLSessionTransport" }

    /// A description of what happened.
    public var reason: String { explanation.reason }

    /// Advice on what to do about it; `nil` if there is none.
    public var recoverySuggestion: String? { explanation.advice }

    private var explanation: Explanation {
        Explanation(
            "more than \(limit) of the response body waited unread on disk",
            "read it as it arrives, ask for it in ranges, "
                + "raise spillLimit in the transport's configuration, or use a transport with backpressure"
        )
    }
}
