public import HTTPChainCore
public import HTTPTypes

/// The rules that say when a stream is opened again, and after which wait.
///
/// The wait doubles with each failure in a row, from ``delay`` (or what the server asks for with `retry`) up to
/// ``maximumDelay``, and is lengthened by chance, so that clients which lost a server together do not come back together.
/// A connection that worked for ``stableAfter``, and one that brought an event and was ended by the server in good order,
/// set the count back.
public struct ReconnectionPolicy: Sendable {
    /// The wait after the first failure; a second by default.
    ///
    /// The server's `retry` takes its place; half a second is the least that a server can ask for. A delay of zero is for
    /// the first failure in a row: the next one is followed by a second, and so on.
    public var delay: Duration
    /// The longest wait, before jitter is added and unless the server asks for a longer one; 30 seconds by default.
    public var maximumDelay: Duration
    /// By how much chance lengthens a wait at most, as a part of it; 0.5 by default, 0 for none.
    public var jitter: Double
    /// The time that a connection must have worked for the failures before it to be forgotten; 60 seconds by default.
    public var stableAfter: Duration
    /// The number of failures in a row that are followed by another attempt; `nil`, the default, for any number.
    public var maximumFailures: Int?
    /// The longest wait that the server may ask for, with `retry` or `Retry-After`; 5 minutes by default.
    public var serverDelayLimit: Duration
    /// The statuses that pass by themselves; 408, 425, 429 and all 5xx by default.
    public var statuses: StatusSet
    /// Whether the stream is opened again when the server has ended it; it is by default.
    public var reconnectsAtEnd: Bool
    /// Decides before the policy's own rules do; none by default.
    public var verdict: (@Sendable (StreamInterruption) -> ReconnectionVerdict)?

    /// Makes a policy; durations below zero count as zero.
    ///
    /// - Parameters:
    ///   - delay: The wait after the first failure.
    ///   - maximumDelay: What no wait is longer than.
    ///   - jitter: By how much chance lengthens a wait at most, from 0 to 1.
    ///   - stableAfter: How long a connection must have worked for the failures before it to be forgotten.
    ///   - maximumFailures: How many failures in a row are followed by another attempt; `nil` for any number.
    ///   - serverDelayLimit: The longest wait that the server may ask for.
    ///   - statuses: The statuses that pass by themselves.
    ///   - reconnectsAtEnd: Whether the stream is opened again when the server has ended it.
    ///   - verdict: Decides before the policy's own rules do.
    public init(
        delay: Duration = .seconds(1),
        maximumDelay: Duration = .seconds(30),
        jitter: Double = 0.5,
        stableAfter: Duration = .seconds(60),
        maximumFailures: Int? = nil,
        serverDelayLimit: Duration = .seconds(300),
        statuses: StatusSet = ReconnectionPolicy.standardStatuses,
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

    /// The stream is opened once: it ends when the server ends it, and a failure is thrown.
    public static let never = ReconnectionPolicy(maximumFailures: 0, reconnectsAtEnd: false)

    /// 408 Request Timeout, 425 Too Early, 429 Too Many Requests, and all 5xx.
    public static let standardStatuses: StatusSet = [408, 425, 429, .codes(500...599)]
}

/// Why a stream does not go on.
public struct StreamInterruption: Sendable {
    /// A description of what happened.
    public enum Cause: Sendable {
        /// The server ended the body in good order.
        case ended
        /// The server answered with another status than was accepted; with what it says in `Retry-After`.
        case status(HTTPResponse.Status, retryAfter: Duration?)
        /// The stream could not be opened.
        case notOpened(any Error)
        /// The stream broke.
        case broken(any Error)
        /// The watchdog heard nothing for so long.
        case silent(Duration)
    }

    /// A description of what happened.
    public let cause: Cause
    /// The number of failures in a row, this one included.
    public let failures: Int
    /// Whether the connection had brought an event.
    public let broughtEvents: Bool
    /// The id that the stream stands at; `nil` as long as there was none.
    public let lastEventID: String?
}

/// A decision about an interruption.
public enum ReconnectionVerdict: Sendable, Hashable {
    /// The decision of the policy's own rules.
    case standard
    /// The stream is opened again after the usual wait.
    case reconnect
    /// The stream is opened again after this wait.
    case reconnectAfter(Duration)
    /// The stream ends as if the server had said so.
    case finish
    /// The stream fails.
    case fail
}
