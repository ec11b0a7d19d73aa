import HTTPChainSupport

/// An error thrown if the exchange with the server failed below HTTP: no connection, an incomplete response, or a
/// timeout.
public struct TransportError: AnnotatedError, ExplainedError {
    /// The problem.
    ///
    /// This is an open set: a later version or a custom transport may add kinds. Check for the kinds that matter to
    /// you, and treat all others as ``other``.
    public struct Kind: Sendable, Hashable, CustomStringConvertible {
        /// The name, which is also the description.
        package let name: String
        private let text: Uncompared<String>
        /// What happened, as the beginning of the error's text.
        package var reason: String { text.content }

        /// Makes a custom kind, for example for a transport with failures not listed here.
        ///
        /// - Parameters:
        ///   - name: The name, for logs and metrics: "tunnelClosed".
        ///   - reason: What happened, as the beginning of a sentence: "the tunnel is closed".
        public init(_ name: String, _ reason: String) {
            self.name = name
            text = Uncompared(reason)
        }

        /// The name, for logs and metrics: "connectionLost".
        ///
        /// Kinds with the same name are equal.
        public var description: String { name }

        /// The host name could not be resolved.
        public static let hostNotFound = Kind("hostNotFound", "the host name could not be resolved")
        /// No connection could be made.
        public static let cannotConnect = Kind("cannotConnect", "the connection could not be established")
        /// The connection could not be secured: certificate, protocol version or cipher.
        public static let secureConnectionFailed = Kind(
            "secureConnectionFailed",
            "the secure connection could not be established"
        )
        /// The transport's trust settings don't trust the server's certificate.
        public static let untrustedServer = Kind("untrustedServer", "the server's certificate is not trusted")
        /// The transport's or the user's settings don't allow using the available network.
        public static let networkNotAllowed = Kind(
            "networkNotAllowed",
            "the available network may not be used for this request"
        )
        /// The platform doesn't allow a connection without TLS to the host: App Transport Security.
        public static let insecureConnectionNotAllowed = Kind(
            "insecureConnectionNotAllowed",
            "the platform does not allow a connection without TLS to this host"
        )
        /// The connection ended before the response was complete.
        public static let connectionLost = Kind(
            "connectionLost",
            "the connection ended before the response was complete"
        )
        /// The response isn't HTTP, or its framing is invalid.
        public static let malformedResponse = Kind("malformedResponse", "the response is not well-formed HTTP")
        /// The body ended before its declared length.
        public static let truncatedBody = Kind("truncatedBody", "the body ended before its declared length")
        /// The time allowed ran out.
        public static let timedOut = Kind("timedOut", "the time limit was reached")
        /// The transport was shut down.
        public static let shutDown = Kind("shutDown", "the transport was shut down")
        /// Any other failure; see the underlying error.
        public static let other = Kind("other", "the exchange failed")
    }

    /// Whether the server may have seen a request, which determines whether it is safe to retry.
    ///
    /// There will be no further cases, so a `switch` can be exhaustive.
    public enum Sent: String, Sendable, Hashable {
        /// Nothing reached the server: retrying is safe for any method.
        case nothing = "nothing was sent"
        /// Some or all of the request may have reached the server.
        case maybe = "the request may have reached the server"
        /// The server responded, at least in part.
        case answered = "the server had begun to respond"
    }

    /// The problem.
    public let kind: Kind
    /// Whether the server may have seen the request.
    public let sent: Sent
    /// The transport that failed.
    package let failedStage: String
    /// More details, with secrets redacted and limited to 16 KiB; empty if ``kind`` says everything.
    public var detail: String { Redaction.standard.text(said.content, upTo: Redaction.longestShown) }
    private let said: Sealed<String>
    /// The request, redacted.
    package let failedExchange: ExchangeSnapshot?
    /// The platform's error.
    package let cause: (any Error)?
    /// The notes that stages added, such as the attempts that were made.
    package var notes = ErrorNotes()

    /// Makes a transport error.
    ///
    /// - Parameters:
    ///   - kind: The problem.
    ///   - sent: Whether the server may have seen the request; `maybe` by default, after which only idempotent requests
    ///     are retried.
    ///   - stage: The name of the transport that failed; "transport" by default.
    ///   - detail: More details, if ``kind`` doesn't say everything.
    ///   - exchange: The request, redacted.
    ///   - underlyingError: The platform's error.
    public init(
        _ kind: Kind,
        sent: Sent = .maybe,
        stage: String = "transport",
        detail: String = "",
        exchange: ExchangeSnapshot? = nil,
        underlyingError: (any Error)? = nil
    ) {
        self.kind = kind
        self.sent = sent
        failedStage = stage
        said = Sealed(detail)
        failedExchange = exchange
        cause = underlyingError
    }

    /// Returns the same error, changed to say that the request may have reached the server.
    package var maybeSent: TransportError {
        var error = TransportError(
            kind,
            sent: .maybe,
            stage: stage,
            detail: said.content,
            exchange: exchange,
            underlyingError: underlyingError
        )
        error.notes = notes
        return error
    }

    /// Stage, reason, exchange, cause and notes; omits the cause if ``detail`` isn't empty.
    public var description: String {
        let text = description(of: said.content.isEmpty ? underlyingError : nil)
        return notes.isEmpty ? text : "\(text)\n  \(notes.indented)"
    }

    package var explanation: Explanation {
        Explanation("\(kind.reason)\(said.content.isEmpty ? "" : " (\(detail))"); \(sent.rawValue)".printableLines)
    }
}
