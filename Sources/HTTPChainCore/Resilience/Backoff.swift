/// The wait before a retry: longer each time, up to a cap, and by chance, so that clients which failed together do not
/// come back together.
///
/// The wait before retry _n_ is drawn evenly from zero to `min(cap, base · 2ⁿ⁻¹)`, which is known as full jitter.
public struct Backoff: Sendable, Hashable {
    /// The way a random number shortens a wait.
    public enum Jitter: String, Sendable, Hashable {
        /// Any wait from none at all to the longest is as likely as another.
        case full
        /// Always the longest wait.
        case none
    }

    /// The longest wait before the first retry.
    public let base: Duration
    /// The longest wait.
    public let cap: Duration
    /// The way a random number shortens a wait.
    public let jitter: Jitter

    /// Makes a backoff; durations below zero count as zero, and those above 100 years as 100 years.
    ///
    /// - Parameters:
    ///   - base: The longest wait before the first retry; 0.5 seconds by default.
    ///   - cap: What no wait is longer than; 20 seconds by default.
    ///   - jitter: How a random number shortens a wait; full by default.
    public init(base: Duration = .milliseconds(500), cap: Duration = .seconds(20), jitter: Jitter = .full) {
        self.base = base.bounded
        self.cap = cap.bounded
        self.jitter = jitter
    }

    /// The same wait each time.
    public static func constant(_ wait: Duration) -> Backoff {
        Backoff(base: wait, cap: wait, jitter: .none)
    }

    /// No wait at all.
    public static let none = Backoff.constant(.zero)

    /// The longest wait before a retry.
    ///
    /// - Parameter retry: Which retry it is; 1 is the first, and what is less counts as 1.
    public func longestWait(beforeRetry retry: Int) -> Duration {
        guard base > .zero else { return .zero }
        var wait = base
        for _ in 1..<max(2, retry) where retry > 1 {
            // Doubling stops at the cap, so that it cannot overflow and a huge number costs no more than a small one.
            guard wait < cap else { break }
            wait *= 2
        }
        return min(wait, cap)
    }

    /// The wait before a retry.
    ///
    /// - Parameters:
    ///   - retry: Which retry it is; 1 is the first, and what is less counts as 1.
    ///   - random: Where chance comes from; asked once with jitter and not at all without.
    public func wait(beforeRetry retry: Int, random: some RandomSource) -> Duration {
        let longest = longestWait(beforeRetry: retry)
        guard jitter == .full, longest > .zero else { return longest }
        return .nanoseconds(Int64((UInt64(longest.nanoseconds) + 1).multipliedFullWidth(by: random.next()).high))
    }

    /// The wait before a retry, with another jitter than that of the backoff.
    ///
    /// - Parameters:
    ///   - retry: Which retry it is; 1 is the first, and what is less counts as 1.
    ///   - factor: The range of the factors that the longest wait is multiplied by; all are equally likely.
    ///   - random: Where chance comes from; asked once, and not at all for a single factor.
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
