import HTTPChainSupport

/// A budget that limits retries in proportion to calls, so that clients don't overload a failing server with retries.
///
/// It is a token bucket: each call adds a fraction of a token, each second adds some, and each retry takes one. When
/// the bucket is empty, nothing is retried. It starts full. With the defaults, retries add at most a fifth to the
/// traffic in the long run, or 10 a second if there is little traffic.
///
/// A token is returned if the attempt isn't made after all, because the wait is cancelled, or because a circuit breaker
/// or a limit refuses a hedge.
///
/// Several stages can share a budget: those of several chains to the same server, or the retry and hedging stages of
/// one chain, which count each call once. They must use the same clock. Any number of tasks can use it concurrently.
public final class RetryBudget: Sendable {
    private struct State {
        /// The tokens in millionths, so that fractions can add up to whole tokens.
        var tokens: Int64
        var refilled: Duration?
    }

    private static let token: Int64 = 1_000_000

    /// The number of tokens that each call adds.
    package let share: Double
    /// The number of tokens that each second adds.
    package let minimumPerSecond: Double
    /// The maximum number of tokens in the bucket.
    package let capacity: Int

    private let deposit: Int64
    private let limit: Int64
    private let state: Locked<State>
    private let sharing = Locked(false)

    /// Makes a full bucket.
    ///
    /// - Parameters:
    ///   - share: The number of tokens that each call adds, from 0 to 10. Defaults to 0.2, one retry for five calls.
    ///   - minimumPerSecond: The number of tokens that each second adds, from 0 to a million. Defaults to 10.
    ///   - capacity: The maximum number of tokens, from 0 to a million. Defaults to 100.
    public init(share: Double = 0.2, minimumPerSecond: Double = 10, capacity: Int = 100) {
        self.share = share.bounded(to: 10)
        self.minimumPerSecond = minimumPerSecond.bounded(to: 1_000_000)
        self.capacity = min(max(0, capacity), 1_000_000)
        deposit = Int64((self.share * Double(Self.token)).rounded())
        limit = Int64(self.capacity) * Self.token
        state = Locked(State(tokens: limit))
    }

    /// The number of retries available, without the tokens that have been earned since the last retry.
    package var available: Int {
        state.withLock { Int($0.tokens / Self.token) }
    }

    /// Adds the tokens of one call.
    ///
    /// Stages call this once for each call.
    package func countCall() {
        let (deposit, limit) = (deposit, limit)
        state.withLock { state in
            guard state.tokens < limit else { return }
            state.tokens = min(limit, state.tokens + deposit)
        }
    }

    /// Takes a token for a retry.
    ///
    /// - Parameter now: The time on the call's clock, `environment.time.elapsed`.
    /// - Returns: Whether a token was available.
    package func take(at now: Duration) -> Bool {
        let (limit, rate) = (limit, minimumPerSecond)
        return state.withLock { state in
            let passed = state.refilled.map { (now - $0).bounded } ?? .zero
            // The product is at most 3e21 and a bucket 1e12, so they are compared before the conversion to an integer.
            let earned = (Double(passed.nanoseconds) * rate / 1000).rounded(.down)
            if earned >= 1 || state.refilled == nil || now < state.refilled ?? now {
                state.tokens = earned >= Double(limit) ? limit : min(limit, state.tokens + Int64(earned))
                state.refilled = now
            }
            guard state.tokens >= Self.token else { return false }
            state.tokens -= Self.token
            return true
        }
    }
}

extension RetryBudget {
    /// Returns a token taken for an attempt that wasn't made after all.
    package func giveBack() {
        let limit = limit
        state.withLock { $0.tokens = min(limit, $0.tokens + Self.token) }
    }

    /// Whether several kinds of stages use the budget.
    package var isShared: Bool { sharing.withLock { $0 } }

    /// Declares that several kinds of stages use the budget, so the outermost one must mark the calls that it counts.
    package func becomeShared() {
        sharing.withLock { $0 = true }
    }
}

extension Double {
    fileprivate func bounded(to limit: Double) -> Double {
        isNaN ? 0 : min(max(0, self), limit)
    }
}

extension RetryBudget: CustomStringConvertible {
    /// The rates at which tokens are added, such as "0.2 of calls, at least 10.0/s".
    public var description: String { "\(share) of calls, at least \(minimumPerSecond)/s" }
}
