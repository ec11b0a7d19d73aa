public import HTTPChainCore

/// The conditions under which a client refuses its own calls.
///
/// This is the adaptive throttling of "Site Reliability Engineering" (Beyer and others, 2016, chapter 21): with
/// `requests` completed and `accepts` accepted by the server in the window, a call is refused with the probability
/// `max(0, (requests - multiplier · accepts) / (requests + 1))`, once there are enough calls.
public struct LoadSheddingPolicy: Sendable {
    /// The number of calls sent for each one that the server accepts, at least 1; 2 by default.
    ///
    /// With 2, a client sends about twice as many calls as the server accepts, so that it soon detects a recovery. A
    /// lower value, such as 1.1, reduces the load on the server further.
    package var multiplier: Double
    /// The period over which calls are counted; two minutes by default.
    package var window: Duration
    /// The minimum number of calls in the window before any are refused; 10 by default.
    ///
    /// The minimum prevents a single lost connection from counting as an overload.
    package var minimumCalls: Int
    /// The statuses of calls that the server refused for lack of capacity; 429, 503 and 504 by default.
    package var overloadStatuses: StatusSet

    /// Creates a policy.
    ///
    /// Numbers that are out of range are clamped, and a multiplier that isn't finite is replaced by the default.
    ///
    /// - Parameters:
    ///   - multiplier: The number of calls sent for each one that the server accepts; 2 by default.
    ///   - window: The period over which calls are counted; two minutes by default.
    ///   - minimumCalls: The minimum number of calls in the window before any are refused; 10 by default.
    ///   - overloadStatuses: The statuses of calls that the server refused for lack of capacity; 429, 503 and 504 by
    ///     default.
    public init(
        multiplier: Double = 2,
        window: Duration = .seconds(120),
        minimumCalls: Int = 10,
        overloadStatuses: StatusSet = [429, 503, 504]
    ) {
        self.multiplier = multiplier.isFinite ? max(1, multiplier) : 2
        self.window = window
        self.minimumCalls = max(0, minimumCalls)
        self.overloadStatuses = overloadStatuses
    }
}
