public import HTTPChainCore

/// Time ran out: for the call, for an attempt, or for a sign of life from the server.
public struct TimeoutError: TimeoutFailure, AnnotatedError {
    /// How far the exchange had come.
    public enum Progress: Sendable, Hashable {
        /// There was no time to begin with: nothing was sent.
        case notStarted
        /// The head of the response had not arrived.
        case waitingForHead
        /// The head had arrived, and so many bytes of the body were read.
        case readingBody(received: Int64)
    }

    /// Which deadline ran out.
    public let scope: TimeoutScope
    /// The time allowed.
    public let limit: Duration
    /// The time spent since the limit began to count: with the call, with the attempt, or with the wait for the
    /// server's next sign of life.
    public let elapsed: Duration
    /// How far the exchange had come.
    public let progress: Progress
    /// The number of the attempt that ran out of time, from 1; `nil` when it was the call that did.
    public let attempt: Int?
    /// "TimeoutMiddleware" for the call, "AttemptTimeoutMiddleware" for an attempt.
    public let stage: String
    /// The request, and the response's head if it had arrived, redacted.
    public let exchange: ExchangeSnapshot?
    /// What stages added, such as the attempts that a retry stage made.
    public var notes = ErrorNotes()

    init(_ deadline: Deadline, at now: Duration, progress: Progress, attempt: Int?, exchange: ExchangeSnapshot) {
        scope = deadline.scope
        limit = deadline.limit
        elapsed = max(.zero, now - deadline.start)
        self.progress = progress
        self.attempt = deadline.scope == .call ? nil : attempt
        stage = deadline.scope == .call ? "TimeoutMiddleware" : "AttemptTimeoutMiddleware"
        self.exchange = exchange
    }

    /// Which limit, how long it took, how far it had come, and what to do.
    public var reason: String {
        let attempt = attempt.map { "attempt \($0)" } ?? "the call"
        let (subject, remedy) =
            switch scope {
            case .call: ("the call", "timeout(_:)")
            case .attempt: (attempt, "attemptTimeout(_:)")
            case .idle: ("the server's silence in \(attempt)", "idleTimeout(_:)")
            }
        let state =
            switch progress {
            case .notStarted: "before anything was sent"
            case .waitingForHead: "after \(elapsed), waiting for the response's head"
            case .readingBody(let count): "after \(elapsed), with \(count) bytes of the response's body read"
            }
        return "\(subject) reached its limit of \(limit) \(state); "
            + "try again later, or allow more time with \(remedy)"
    }
}
