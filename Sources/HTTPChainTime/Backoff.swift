import HTTPChainSupport

/// The randomized wait before a retry, which grows with each retry up to a cap.
///
/// Clients that failed together therefore don't retry together.
///
/// The wait before retry _n_ is uniformly distributed from zero to `min(cap, base · 2ⁿ⁻¹)`, which is known as full
/// jitter.
public struct Backoff: Sendable, Hashable {
    /// The way a wait is randomized.
    public enum Jitter: String, Sendable, Hashable {
        /// A uniformly distributed wait from zero to the longest.
        case full
        /// Always the longest wait.
        case none
    }

    /// The maximum wait before the first retry.
    package let base: Duration
    /// The maximum wait.
    package let cap: Duration
    /// The way a wait is randomized.
    package let jitter: Jitter

    /// Makes a backoff; durations are clamped to the range from zero to 100 years.
    ///
    /// - Parameters:
    ///   - base: The maximum wait before the first retry. Defaults to 0.5 seconds.
    ///   - cap: The maximum wait before any retry. Defaults to 20 seconds.
    ///   - jitter: The way waits are randomized. Defaults to full jitter.
    public init(base: Duration = .milliseconds(500), cap: Duration = .seconds(20), jitter: Jitter = .full) {
        self.base = base.bounded
        self.cap = cap.bounded
        self.jitter = jitter
    }

    /// Returns a backoff with the same wait each time.
    public static func constant(_ wait: Duration) -> Backoff {
        Backoff(base: wait, cap: wait, jitter: .none)
    }

    /// No wait at all.
    public static let none = Backoff.constant(.zero)

    /// Returns the maximum wait before a retry.
    ///
    /// - Parameter retry: The number of the retry, from 1; lower values count as 1.
    package func longestWait(beforeRetry retry: Int) -> Duration {
        guard base > .zero else { return .zero }
        var wait = base
        for _ in 1..<max(2, retry) where retry > 1 {
            // Doubling stops at the cap, so that it can't overflow, and a huge number takes no longer than a small one.
            guard wait < cap else { break }
            wait *= 2
        }
        return min(wait, cap)
    }

    /// Returns the wait before a retry.
    ///
    /// - Parameters:
    ///   - retry: The number of the retry, from 1; lower values count as 1.
    ///   - random: The source of randomness, called once with jitter and not at all without.
    package func wait(beforeRetry retry: Int, random: some RandomSource) -> Duration {
        let longest = longestWait(beforeRetry: retry)
        guard jitter == .full, longest > .zero else { return longest }
        return .nanoseconds(Int64((UInt64(longest.nanoseconds) + 1).multipliedFullWidth(by: random.next()).high))
    }

    /// Returns the wait before a retry, with a different jitter than the backoff's.
    ///
    /// - Parameters:
    ///   - retry: The number of the retry, from 1; lower values count as 1.
    ///   - factor: The range of the uniformly distributed factor that the longest wait is multiplied by. A range with a
    ///     single value is ignored.
    ///   - random: The source of randomness, called once, or not at all for a single value.
    package func wait(
        beforeRetry retry: Int,
        times factor: ClosedRange<Double>,
        random: some RandomSource
    ) -> Duration {
        let longest = longestWait(beforeRetry: retry)
        guard longest > .zero, factor.lowerBound < factor.upperBound else { return longest }
        return (longest * random.double(in: factor)).bounded
    }
}

extension Backoff: CustomStringConvertible {
    /// Base, cap and jitter, such as "0.5 s doubling to 20.0 s, full jitter".
    public var description: String {
        if cap == .zero || base == .zero { return "none" }
        let range = base < cap ? "\(base.label) doubling to \(cap.label)" : cap.label
        return jitter == .full ? "\(range), full jitter" : range
    }
}
