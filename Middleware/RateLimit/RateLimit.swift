public import HTTPChainCore

/// A rate limit: the number of calls per period, and the number allowed at once.
///
/// ```swift
/// RateLimit(100, per: .seconds(60))             // all 100 may be sent at once
/// RateLimit(10, per: .seconds(1), burst: 1)     // one every 100 milliseconds
/// ```
///
/// The limit is a token bucket that holds `burst` tokens, is initially full, and is refilled at the rate.
public struct RateLimit: CustomStringConvertible, DescribedValue, Sendable, Hashable {
    /// The number of calls allowed per period, at least 1.
    package let count: Int
    /// The period, at least a microsecond.
    package let period: Duration
    /// The number of calls allowed at once, at least 1.
    package let burst: Int

    /// Creates a limit.
    ///
    /// Values that are out of range are clamped.
    ///
    /// - Parameters:
    ///   - count: The number of calls allowed per period, from 1 to a billion.
    ///   - period: The period, from a microsecond to 100 years.
    ///   - burst: The number of calls allowed at once; the same as `count` by default.
    public init(_ count: Int, per period: Duration, burst: Int? = nil) {
        self.count = min(max(1, count), 1_000_000_000)
        self.period = max(.microseconds(1), period.bounded)
        self.burst = min(max(1, burst ?? self.count), 1_000_000_000)
    }

    /// The time to produce one token.
    package var interval: Duration { period / count }

    /// The count, period and burst: "100 per 60.0 s, burst 100".
    package var words: String { "\(count) per \(period.label), burst \(burst)" }
}

/// The treatment of a call when the limit is reached.
public enum RateLimitExcess: CustomStringConvertible, DescribedValue, Sendable, Hashable {
    /// The call is refused.
    case refuse
    /// The call waits for its turn in order of arrival.
    ///
    /// The call is refused immediately if that would take longer than the given time, or if more than `queue` calls are
    /// already waiting.
    case wait(upTo: Duration, queue: Int = 1000)

    /// A short description of the treatment.
    package var words: String {
        switch self {
        case .refuse: "refused"
        case .wait(let time, let queue): "wait up to \(time.label), \(queue) at most"
        }
    }
}

/// The number of tokens that a call takes; see also ``HTTPChainCore/Request/rateLimit(weight:)``.
package enum RateLimitOption: RequestOption {
    /// One token.
    package static var defaultValue: Int { 1 }
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(".rateLimit(weight:)", reader: "RateLimitMiddleware(…)", phase: .rateLimit)
    }
    /// Returns whether a chain without the stage may ignore the value.
    package static func isHarmless(_ value: Value) -> Bool {
        // With zero or less, the call passes every limit.
        value <= 1
    }
}

extension Request {
    /// Returns the request with a different weight, so that an expensive call takes more tokens.
    ///
    /// - Parameter weight: The number of tokens. With zero or less, the call passes every limit. With more tokens than
    ///   a bucket holds, the call takes the whole bucket.
    public consuming func rateLimit(weight: Int) -> Request {
        options[RateLimitOption.self] = weight
        return self
    }
}
