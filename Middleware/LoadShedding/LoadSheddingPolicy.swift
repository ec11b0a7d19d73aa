public import HTTPChainCore

/// From when on a client refuses its own calls.
///
/// The rule is that of adaptive throttling in "Site Reliability Engineering" (Beyer and others, 2016, chapter 21): with
/// `requests` ended and `accepts` accepted by the server in the window, a call is refused with the probability
/// `max(0, (requests - multiplier · accepts) / (requests + 1))`, once there are enough of them to mean something.
public struct LoadSheddingPolicy: Sendable {
    /// The number of calls that are let through for each that the server accepts, at least 1; 2 by default.
    ///
    /// With 2 a client sends about twice what the server takes, and so finds out soon when it takes more; with 1.1 it
    /// spares the server more.
    public var multiplier: Double
    /// Over which time calls are counted; two minutes by default.
    public var window: Duration
    /// The number of calls in the window from which on calls are refused; 10 by default.
    ///
    /// One lost connection is no overload.
    public var minimumCalls: Int
    /// The statuses that say that the server did not take the call for lack of room; 429, 503 and 504 by default.
    public var overloadStatuses: StatusSet

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - multiplier: How many calls are let through for each that the server accepts; 2 by default.
    ///   - window: Over which time calls are counted; two minutes by default.
    ///   - minimumCalls: From how many calls in the window on calls are refused; 10 by default.
    ///   - overloadStatuses: Which statuses are refusals by the server; 429, 503 and 504 by default.
    public init(
        multiplier: Double = 2,
        window: Duration = .seconds(120),
        minimumCalls: Int = 10,
        overloadStatuses: StatusSet = [429, 503, 504]
    ) {
        self.multiplier = multiplier
        self.window = window
        self.minimumCalls = minimumCalls
        self.overloadStatuses = overloadStatuses
    }
}
