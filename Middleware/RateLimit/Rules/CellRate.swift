import HTTPChainCore

/// A token bucket, represented by a single point in time as in the generic cell rate algorithm (ITU-T I.371).
package struct CellRate: Sendable {
    package let limit: RateLimit
    private let interval: Duration
    private let tolerance: Duration
    /// The time at which the bucket will be full if no more tokens are taken.
    private var full = Duration.zero
    /// The total number of tokens that the waiting calls will take.
    private var queued: Int64 = 0

    package init(_ limit: RateLimit) {
        self.limit = limit
        interval = limit.interval
        tolerance = limit.interval * limit.burst
    }

    /// The time to produce this many tokens.
    ///
    /// If possible, it avoids a multiplication: most calls take one token, and multiplying durations is comparatively
    /// expensive.
    private func cost(of tokens: Int) -> Duration {
        tokens == 1 ? interval : interval * taken(by: tokens)
    }

    /// The number of tokens that a call of this weight takes.
    ///
    /// It is at most the bucket's size.
    private func taken(by weight: Int) -> Int { min(max(0, weight), limit.burst) }

    /// The time until this many tokens, but at most the bucket's size, are available.
    package func wait(for tokens: Int, at now: Duration) -> Duration {
        guard tokens > 0 else { return .zero }
        let needed = cost(of: tokens)
        return max(.zero, max(full, now) + needed - tolerance - now)
    }

    /// The time until this many tokens are available to a call that joins the end of the queue.
    package func waitInQueue(for tokens: Int, at now: Duration) -> Duration {
        // With more than a billion tokens and an interval of 100 years, the product would overflow a duration.
        let needed = interval * min(queued + Int64(taken(by: tokens)), 1_000_000_000)
        return max(.zero, max(full, now) + needed - tolerance - now)
    }

    /// Adds a call to the queue.
    package mutating func enqueue(_ tokens: Int) { queued += Int64(taken(by: tokens)) }

    /// Removes a call from the queue.
    package mutating func dequeue(_ tokens: Int) { queued -= Int64(taken(by: tokens)) }

    /// Takes tokens, even if they aren't available.
    package mutating func take(_ tokens: Int, at now: Duration) {
        guard tokens > 0 else { return }
        full = max(full, now) + cost(of: tokens)
    }

    /// Returns unused tokens.
    package mutating func giveBack(_ tokens: Int) {
        guard tokens > 0 else { return }
        full -= cost(of: tokens)
    }

    /// The number of whole tokens available.
    package func available(at now: Duration) -> Int {
        let missing = max(.zero, full - now)
        // Twice the largest bucket size fits in a 32-bit `Int`.
        return limit.burst - Int(min((missing / interval).rounded(.up), 2_000_000_000))
    }

    /// Whether the bucket is full.
    ///
    /// A full bucket can be removed, because a new one is full too.
    package func isFull(at now: Duration) -> Bool { full <= now }
}
