/// The exchange with the server failed below HTTP: no connection, no complete answer, no time left.
public struct TransportError: AnnotatedError {
    /// The problem.
    ///
    /// An open set: a later version, or a transport of yours, may have further kinds. Compare with those that matter to
    /// you, and treat all others as ``other``.
    public struct Kind: Sendable, Hashable, CustomStringConvertible {
        /// The name, for logs and metrics: "connectionLost".
        ///
        /// Kinds with the same name are the same.
        public let name: String
        /// The sentence that says what happened, with which the text of an error begins.
        public let reason: String

        /// Makes a kind of your own, as for a transport with failures that no kind here names.
        ///
        /// - Parameters:
        ///   - name: The name, for logs and metrics: "tunnelClosed".
        ///   - reason: What happened, to begin a sentence with: "the tunnel is closed".
        public init(_ name: String, _ reason: String) {
            self.name = name
            self.reason = reason
        }

        /// The name.
        public var description: String { name }

        /// Whether both have the same name.
        public static func == (lhs: Kind, rhs: Kind) -> Bool { lhs.name == rhs.name }

        /// Hashes the name.
        public func hash(into hasher: inout Hasher) { hasher.combine(name) }

        /// The host name could not be resolved.
        public static let hostNotFound = Kind("hostNotFound", "the host name could not be resolved")
        /// No connection could be made.
        public static let cannotConnect = Kind("cannotConnect", "no connection could be made")
        /// The connection could not be secured: certificate, protocol version or cipher.
        public static let secureConnectionFailed = Kind(
            "secureConnectionFailed",
            "the secure connection could not be established"
        )
        /// The server's certificate is not one that the transport's settings trust: see the transport's trust settings.
        public static let untrustedServer = Kind("untrustedServer", "the server's certificate is not trusted")
        /// The network that is there may not be used, by the transport's settings or the user's.
        public static let networkNotAllowed = Kind(
            "networkNotAllowed",
            "the network that is available may not be used for this"
        )
        /// The platform lets the application make no connection without TLS to the host: App Transport Security.
        public static let insecureConnectionNotAllowed = Kind(
            "insecureConnectionNotAllowed",
            "the platform does not allow a connection without TLS to this host"
        )
        /// The connection ended before the answer was complete.
        public static let connectionLost = Kind("connectionLost", "the connection ended before the answer was complete")
        /// The answer is not HTTP, or breaks its framing.
        public static let malformedResponse = Kind("malformedResponse", "the answer is not well-formed HTTP")
        /// The body ended before the length that its head declared.
        public static let truncatedBody = Kind("truncatedBody", "the body ended before its declared length")
        /// The time allowed ran out.
        public static let timedOut = Kind("timedOut", "the time allowed ran out")
        /// The transport was shut down.
        public static let shutDown = Kind("shutDown", "the transport was shut down")
        /// Anything else; the cause says what.
        public static let other = Kind("other", "the exchange failed")
    }

    /// Whether the server may have seen a request: what makes sending again safe or not.
    ///
    /// These three are all that there is to decide, so that a `switch` may name them all.
    public enum Sent: String, Sendable, Hashable {
        /// Nothing reached the server: sending again is safe for any method.
        case nothing = "nothing was sent"
        /// Some or all of the request may have reached the server.
        case maybe = "the request may have reached the server"
        /// The server answered, at least in part.
        case answered = "the server had begun to answer"
    }

    /// The problem.
    public let kind: Kind
    /// Whether the server may have seen the request.
    public let sent: Sent
    /// The transport that failed.
    public let stage: String
    /// More about what happened, secrets redacted, of which the first 16 KiB are shown; empty when ``kind`` says all.
    public var detail: String { Redaction.standard.text(said.content, upTo: Redaction.longestShown) }
    private let said: Sealed<String>
    /// The request, redacted.
    public let exchange: ExchangeSnapshot?
    /// The platform's own error.
    public let underlyingError: (any Error)?
    /// The notes that stages added, such as the attempts that were made.
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
        said = Sealed(detail)
        self.exchange = exchange
        self.underlyingError = underlyingError
    }

    /// Stage, reason, exchange, cause and what was added; a cause that ``detail`` tells of is not repeated.
    public var description: String {
        let text = description(of: said.content.isEmpty ? underlyingError : nil)
        return notes.isEmpty ? text : "\(text)\n  \(notes.indented)"
    }

    /// The sentence that says what happened, and what the server may have seen.
    public var reason: String {
        "\(kind.reason)\(said.content.isEmpty ? "" : " (\(detail))"); \(sent.rawValue)"
    }
}
