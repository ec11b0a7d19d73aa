/// The exchange with the server failed below HTTP: no connection, no complete answer, no time left.
public struct TransportError: AnnotatedError {
    /// What went wrong.
    public enum Kind: String, Sendable, Hashable {
        /// The host name could not be resolved.
        case hostNotFound = "the host name could not be resolved"
        /// No connection could be made.
        case cannotConnect = "no connection could be made"
        /// The connection could not be secured: certificate, protocol version or cipher.
        case secureConnectionFailed = "the secure connection could not be established"
        /// The connection ended before the answer was complete.
        case connectionLost = "the connection ended before the answer was complete"
        /// The answer is not HTTP, or breaks its framing.
        case malformedResponse = "the answer is not well-formed HTTP"
        /// The body ended before the length that its head declared.
        case truncatedBody = "the body ended before its declared length"
        /// The time allowed ran out.
        case timedOut = "the time allowed ran out"
        /// The transport was shut down.
        case shutDown = "the transport was shut down"
        /// Anything else; the cause says what.
        case other = "the exchange failed"
    }

    /// What the server may have seen of the request: what makes sending again safe or not.
    public enum Sent: String, Sendable, Hashable {
        /// Nothing reached the server: sending again is safe for any method.
        case nothing = "nothing was sent"
        /// Some or all of the request may have reached the server.
        case maybe = "the request may have reached the server"
        /// The server answered, at least in part.
        case answered = "the server had begun to answer"
    }

    /// What went wrong.
    public let kind: Kind
    /// What the server may have seen.
    public let sent: Sent
    /// The transport that failed.
    public let stage: String
    /// More about what happened; empty when ``kind`` says all.
    public let detail: String
    /// The request, redacted.
    public let exchange: ExchangeSnapshot?
    /// The platform's own error.
    public let underlyingError: (any Error)?
    /// What stages on the way added, such as the attempts that were made.
    public var notes = ErrorNotes()

    /// Makes a transport error.
    public init(
        _ kind: Kind,
        sent: Sent,
        stage: String,
        detail: String = "",
        exchange: ExchangeSnapshot? = nil,
        underlyingError: (any Error)? = nil
    ) {
        self.kind = kind
        self.sent = sent
        self.stage = stage
        self.detail = detail
        self.exchange = exchange
        self.underlyingError = underlyingError
    }

    /// What happened, and what the server may have seen.
    public var reason: String {
        "\(kind.rawValue)\(detail.isEmpty ? "" : " (\(detail))"); \(sent.rawValue)"
    }
}
