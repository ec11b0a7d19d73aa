/// A budget that allows retries in relation to calls, so that clients do not bury a server that is down under retries.
///
/// A bucket of tokens: each call puts in a share of one, each second puts in some more, and each retry takes one out.
/// When the bucket is empty nothing is retried. It starts full. With the defaults retries add at most a fifth to the
/// traffic in the long run, or 10 a second where there is little traffic.
///
/// A token comes back where the attempt is not made after all: a wait that is cancelled, a hedge that a circuit breaker or
/// a limit refuses.
///
/// One budget can serve several stages: those of several chains to the same server, and the retry stage and the hedging
/// stage of one chain, where a call counts once. Their clock must be the same. It can be used by any number of tasks at
/// a time.
public final class RetryBudget: Sendable {
    private struct State {
        /// In millionths, so that shares add up to whole tokens.
        var tokens: Int64
        var refilled: Duration?
    }

    private static let token: Int64 = 1_000_000

    /// The number of tokens that each call adds.
    public let share: Double
    /// The number of tokens that each second adds.
    public let minimumPerSecond: Double
    /// The largest number of tokens that the bucket holds.
    public let capacity: Int

    private let deposit: Int64
    private let limit: Int64
    private let state: Locked<State>
    private let isShared = Locked(false)

    /// Makes a full bucket.
    ///
    /// - Parameters:
    ///   - share: What each call puts in, from 0 to 10; 0.2 by default, one retry for five calls.
    ///   - minimumPerSecond: What each second puts in, from 0 to a million; 10 by default.
    ///   - capacity: What the bucket holds at most, from 0 to a million; 100 by default.
    public init(share: Double = 0.2, minimumPerSecond: Double = 10, capacity: Int = 100) {
        self.share = share.bounded(to: 10)
        self.minimumPerSecond = minimumPerSecond.bounded(to: 1_000_000)
        self.capacity = min(max(0, capacity), 1_000_000)
        deposit = Int64((self.share * Double(Self.token)).rounded())
        limit = Int64(self.capacity) * Self.token
        state = Locked(State(tokens: limit))
    }

    /// The number of retries that the bucket holds now, those not counted that time would have added since the last.
    public var available: Int {
        state.withLock { Int($0.tokens / Self.token) }
    }

    /// Puts in what one call brings.
    ///
    /// A stage calls it once for each call.
    public func countCall() {
        let (deposit, limit) = (deposit, limit)
        state.withLock { state in
            guard state.tokens < limit else { return }
            state.tokens = min(limit, state.tokens + deposit)
        }
    }

    /// Takes a token out for a retry.
    ///
    /// - Parameter now: The time on the clock of the call, `environment.time.elapsed`.
    /// - Returns: Whether there was one.
    public func take(at now: Duration) -> Bool {
        let (limit, rate) = (limit, minimumPerSecond)
        return state.withLock { state in
            let passed = state.refilled.map { (now - $0).bounded } ?? .zero
            // The product is at most 3e21 and a bucket 1e12, hence the comparison before the conversion.
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
    /// Puts in what one call brings, unless a stage further out with the same budget did so.
    ///
    /// - Parameter request: The call, which is marked as counted for the stages inside.
    package func countCall(_ request: inout Request) {
        if isShared.withLock({ $0 }) {
            if request.options[CountedBudget.self] === self { return }
            request.options.set(PreparedOption(CountedBudget.self, self))
        }
        countCall()
    }

    /// Gives back a token that was taken for an attempt which was not made after all.
    public func giveBack() {
        let limit = limit
        state.withLock { $0.tokens = min(limit, $0.tokens + Self.token) }
    }

    /// Declares that stages of more than one kind use the budget, so that the outermost has to mark what it counts.
    package func becomeShared() {
        isShared.withLock { $0 = true }
    }
}

/// The budget that has counted the call already.
private enum CountedBudget: RequestOption {
    static var defaultValue: RetryBudget? { nil }
}

/// A stage that sends requests again within a budget: how stages tell whether they share theirs.
public protocol BudgetedMiddleware: Middleware {
    /// The budget; `nil` for none.
    var retryBudget: RetryBudget? { get }
}

extension RetryBudget: CustomStringConvertible {
    /// The rates at which tokens are added, such as "0.2 of calls, at least 10.0/s".
    public var description: String { "\(share) of calls, at least \(minimumPerSecond)/s" }
}

extension Double {
    fileprivate func bounded(to limit: Double) -> Double {
        isNaN ? 0 : min(max(0, self), limit)
    }
}
