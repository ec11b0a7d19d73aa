public import HTTPChainCore
public import HTTPTypes

/// The rules for when a stream is reopened, and after what delay.
///
/// The wait doubles with each consecutive failure, from `delay` (or the server's `retry`) up to `maximumDelay`, and is
/// lengthened by jitter, so that clients that lost a server together don't reconnect together. The count is reset after
/// a connection that lasted for `stableAfter`, or that delivered an event before the server ended it normally.
public struct ReconnectionPolicy: Sendable {
    /// The wait after the first failure; 1 second by default.
    ///
    /// A `retry` value from the server replaces it, but never with less than half a second. A delay of zero applies
    /// only to the first consecutive failure, and only if the connection lasted for half a second or more; otherwise
    /// the wait is half a second. The next failure is followed by a second, and so on.
    package var delay: Duration
    /// The longest wait, not including jitter.
    ///
    /// The server can request a longer one. 30 seconds by default.
    package var maximumDelay: Duration
    /// The maximum jitter, as a fraction of the wait; 0.5 by default, 0 for none.
    package var jitter: Double
    /// The time after which a working connection resets the failure count; 60 seconds by default.
    package var stableAfter: Duration
    /// The maximum number of consecutive failures that are retried; `nil`, the default, means no limit.
    package var maximumFailures: Int?
    /// The longest wait that the server can request with `retry` or `Retry-After`; 5 minutes by default.
    ///
    /// With zero or less, both are ignored.
    package var serverDelayLimit: Duration
    /// The statuses that count as temporary failures; 408, 425, 429 and all 5xx by default.
    package var statuses: StatusSet
    /// Whether the stream is reopened after the server has ended it; `true` by default.
    package var reconnectsAtEnd: Bool
    /// A rule that takes precedence over the policy's own; none by default.
    package var verdict: (@Sendable (StreamInterruption) -> ReconnectionVerdict)?

    /// Makes a policy; durations below zero count as zero.
    ///
    /// - Parameters:
    ///   - delay: The wait after the first failure.
    ///   - maximumDelay: The longest wait.
    ///   - jitter: The maximum jitter, as a fraction of the wait, from 0 to 1.
    ///   - stableAfter: The time after which a working connection resets the failure count.
    ///   - maximumFailures: The maximum number of consecutive failures that are retried; `nil` for no limit.
    ///   - serverDelayLimit: The longest wait that the server can request; zero to ignore its requests.
    ///   - statuses: The statuses that count as temporary failures.
    ///   - reconnectsAtEnd: Whether the stream is reopened after the server has ended it.
    ///   - verdict: A rule that takes precedence over the policy's own.
    public init(
        delay: Duration = .seconds(1),
        maximumDelay: Duration = .seconds(30),
        jitter: Double = 0.5,
        stableAfter: Duration = .seconds(60),
        maximumFailures: Int? = nil,
        serverDelayLimit: Duration = .seconds(300),
        statuses: StatusSet = [408, 425, 429, .codes(500...599)],
        reconnectsAtEnd: Bool = true,
        verdict: (@Sendable (StreamInterruption) -> ReconnectionVerdict)? = nil
    ) {
        self.delay = delay
        self.maximumDelay = maximumDelay
        self.jitter = jitter
        self.stableAfter = stableAfter
        self.maximumFailures = maximumFailures
        self.serverDelayLimit = serverDelayLimit
        self.statuses = statuses
        self.reconnectsAtEnd = reconnectsAtEnd
        self.verdict = verdict
    }

    /// Opens the stream only once: it ends when the server ends it, and failures are thrown.
    public static let never = ReconnectionPolicy(maximumFailures: 0, reconnectsAtEnd: false)
}

/// The cause of an interruption of a stream, and the number of failures so far.
public struct StreamInterruption: Sendable {
    /// The cause of an interruption.
    public enum Cause: Sendable {
        /// The server ended the body normally.
        case ended
        /// The server responded with an unexpected status; also contains the value of `Retry-After`.
        case status(HTTPResponse.Status, retryAfter: Duration?)
        /// The stream could not be opened.
        case notOpened(any Error)
        /// The stream broke.
        case broken(any Error)
        /// The server was silent for this long.
        case silent(Duration)
    }

    /// The cause of the interruption.
    public let cause: Cause
    /// The number of consecutive failures, including this one.
    public let failures: Int
}

/// A decision about an interruption.
public enum ReconnectionVerdict: Sendable, Hashable {
    /// The policy's own rules decide.
    case standard
    /// The stream is reopened after the usual wait.
    case reconnect
    /// The stream is reopened after this wait.
    case reconnectAfter(Duration)
    /// The stream ends as if the server had ended it.
    case finish
    /// The stream fails.
    case fail
}
