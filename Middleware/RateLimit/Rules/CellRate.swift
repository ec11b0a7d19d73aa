import HTTPChainCore

/// One token bucket, as the generic cell rate algorithm keeps it (ITU-T I.371): a single point in time.
package struct CellRate: Sendable {
    package let limit: RateLimit
    private let interval: Duration
    private let tolerance: Duration
    /// When the bucket would be full, if nothing more were taken.
    private var full = Duration.zero

    package init(_ limit: RateLimit) {
        self.limit = limit
        interval = limit.interval
        tolerance = limit.interval * limit.burst
    }

    /// How long the bucket takes to make so many tokens.
    ///
    /// Most calls take one, and a product of durations takes longer than all the rest.
    private func cost(of tokens: Int) -> Duration {
        tokens == 1 ? interval : interval * min(tokens, limit.burst)
    }

    /// The time until so many tokens are there; all that the bucket holds stand for more.
    package func wait(for tokens: Int, at now: Duration) -> Duration {
        guard tokens > 0 else { return .zero }
        let needed = cost(of: tokens)
        return max(.zero, max(full, now) + needed - tolerance - now)
    }

    /// The time until so many tokens are there that a queue of calls takes one after the other.
    package func waitForQueue(of tokens: Int, at now: Duration) -> Duration {
        max(.zero, max(full, now) + interval * min(max(0, tokens), 1_000_000_000) - tolerance - now)
    }

    /// Takes tokens, whether they are there or not.
    package mutating func take(_ tokens: Int, at now: Duration) {
        guard tokens > 0 else { return }
        full = max(full, now) + cost(of: tokens)
    }

    /// Takes tokens if they are there.
    ///
    /// - Returns: Whether they were.
    package mutating func takeIfReady(_ tokens: Int, at now: Duration) -> Bool {
        guard tokens > 0 else { return true }
        let new = max(full, now) + cost(of: tokens)
        guard new - tolerance <= now else { return false }
        full = new
        return true
    }

    /// Gives tokens back that were not used.
    package mutating func giveBack(_ tokens: Int) {
        guard tokens > 0 else { return }
        full -= cost(of: tokens)
    }

    /// The number of whole tokens that are there.
    package func available(at now: Duration) -> Int {
        let missing = max(.zero, full - now)
        return limit.burst - Int((missing / interval).rounded(.up))
    }

    /// Whether the bucket is full, so that nothing is lost when it is forgotten.
    package func isFull(at now: Duration) -> Bool { full <= now }
}
