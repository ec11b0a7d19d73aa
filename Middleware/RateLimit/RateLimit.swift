public import HTTPChainCore

/// A limit: how many calls a time lets through, and how many of them at once.
///
/// ```swift
/// RateLimit(100, per: .seconds(60))             // and all 100 of them at once, if they come so
/// RateLimit(10, per: .seconds(1), burst: 1)     // one every 100 milliseconds
/// ```
///
/// It is a token bucket: it holds `burst` tokens, is full at first, and fills at the rate.
public struct RateLimit: Sendable, Hashable, CustomStringConvertible {
    /// The number of calls that a period lets through; at least 1.
    public let count: Int
    /// The period; at least a microsecond.
    public let period: Duration
    /// The number of calls that may come at once; at least 1.
    public let burst: Int

    /// Makes a limit; numbers out of range count as the nearest that makes sense.
    ///
    /// - Parameters:
    ///   - count: How many calls a period lets through, from 1 to a billion.
    ///   - period: The period, from a microsecond to 100 years.
    ///   - burst: How many calls may come at once; as many as a period lets through by default.
    public init(_ count: Int, per period: Duration, burst: Int? = nil) {
        self.count = min(max(1, count), 1_000_000_000)
        self.period = max(.microseconds(1), period.bounded)
        self.burst = min(max(1, burst ?? self.count), 1_000_000_000)
    }

    /// The time that one token takes to come.
    package var interval: Duration { period / count }

    /// Count, period and burst: "100 per 60.0 s, burst 100".
    public var description: String { "\(count) per \(period.label), burst \(burst)" }
}

/// The treatment of a call that comes when the limit is reached.
public enum RateLimitExcess: Sendable, Hashable, CustomStringConvertible {
    /// It is refused.
    case refuse
    /// It waits for its turn, first come first served, unless that would take longer than `time` or more than `queue`
    /// calls wait already; then it is refused at once.
    case wait(upTo: Duration, queue: Int = 1000)

    /// The treatment, in a few words.
    public var description: String {
        switch self {
        case .refuse: "refused"
        case .wait(let time, let queue): "wait up to \(time.label), \(queue) at most"
        }
    }
}

/// The number of tokens that a call takes; ``HTTPChainCore/Request/rateLimitWeight(_:)`` is the short way to it.
public enum RateLimitWeight: RequestOption {
    /// One.
    public static var defaultValue: Int { 1 }
}

extension Request {
    /// The request with another weight: an expensive call takes more tokens.
    ///
    /// - Parameter weight: How many tokens it takes; zero or less passes every limit, more than a bucket holds takes all
    ///   of it.
    public consuming func rateLimitWeight(_ weight: Int) -> Request {
        options[RateLimitWeight.self] = weight
        return self
    }
}
