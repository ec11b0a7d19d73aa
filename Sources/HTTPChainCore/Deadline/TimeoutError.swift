/// An error thrown when the time limit of a call, an attempt or one of its steps is exceeded.
public struct TimeoutError: TimeoutFailure, AnnotatedError, ExplainedError {
    /// The progress of an exchange.
    package enum Progress: Sendable, Hashable {
        /// There was no time left from the start; nothing was sent.
        case notStarted
        /// The transport was storing the request's body; nothing was sent.
        case storing
        /// No connection had been made yet.
        case connecting
        /// The request's body was being sent; ``TimeoutError/sentBytes`` is the number of bytes sent.
        case sending
        /// The head of the response had not arrived.
        case waitingForHead
        /// The head had arrived, and this many bytes of the body had been read.
        case readingBody(received: Int64)
    }

    /// The exceeded limit.
    public let scope: TimeoutScope
    /// The time allowed.
    public let limit: Duration
    /// The time spent since the start of the call, attempt or step that was limited.
    package let elapsed: Duration
    /// The progress of the exchange.
    package let progress: Progress
    /// The number of bytes of the request's body that were sent, or `nil` if the transport doesn't report it.
    package let sentBytes: Int64?
    /// The length of the request's body in bytes, or `nil` if it is only known at the end.
    package let bodyLength: Int64?
    /// The number of the attempt that exceeded the limit, from 1, or `nil` if the call did.
    package let attempt: Int?
    /// The name of the stage that set the limit.
    package let failedStage: String
    /// The request, and the response's head if it had arrived, redacted.
    package let failedExchange: ExchangeSnapshot?
    /// The notes that stages added, such as the attempts that a retry stage made.
    package var notes = ErrorNotes()
    /// Whether an earlier attempt of the call may have reached the server.
    package var followsSending = false

    package init(
        _ deadline: Deadline,
        at now: Duration,
        progress: Progress,
        sent: (bytes: Int64, length: Int64?)? = nil,
        attempt: Int?,
        stage: String,
        exchange: ExchangeSnapshot
    ) {
        scope = deadline.scope
        limit = deadline.limit
        elapsed = max(.zero, now - deadline.start)
        self.progress = progress
        sentBytes = sent?.bytes
        bodyLength = sent?.length
        self.attempt = deadline.scope == .call ? nil : attempt
        failedStage = stage
        failedExchange = exchange
    }

    /// Whether the server may have seen the request; `.nothing` if there was no connection yet, in this attempt and in
    /// all earlier ones.
    public var sent: TransportError.Sent {
        switch progress {
        case .notStarted, .storing, .connecting: followsSending ? .maybe : .nothing
        case .sending, .waitingForHead: .maybe
        case .readingBody: .answered
        }
    }

    package var explanation: Explanation {
        let attempt = attempt.map { "attempt \($0)" } ?? "the call"
        let (subject, remedy) =
            switch scope {
            case .attempt: (attempt, "timeout(attempt:)")
            case .connect: ("connecting in \(attempt)", "timeout(connect:)")
            case .write: ("the wait for the network to accept more of the body in \(attempt)", "timeout(write:)")
            case .response: ("the wait for the response in \(attempt)", "timeout(response:)")
            case .read: ("the wait for more of the response in \(attempt)", "timeout(read:)")
            default: ("the call", "timeout(_:)")
            }
        return Explanation(
            "\(subject) reached its limit of \(limit) \(state)",
            "try again later, or allow more time with \(remedy)"
        )
    }

    private var state: String {
        switch progress {
        case .notStarted: "before anything was sent"
        case .storing: "after \(elapsed), reading the request body, before anything was sent"
        case .connecting: "after \(elapsed), before there was a connection"
        case .sending: "after \(elapsed)\(uploaded(", after sending "))"
        case .waitingForHead: "after \(elapsed), waiting for the response's head\(uploaded(" after sending "))"
        case .readingBody(let count): "after \(elapsed), with \(count) bytes of the response's body read"
        }
    }

    private func uploaded(_ introduction: String) -> String {
        guard let sentBytes else { return "" }
        return introduction + "\(sentBytes)" + (bodyLength.map { " of \($0)" } ?? "") + " bytes"
    }
}
