import HTTPChainCore

/// A store of token buckets: in memory, or in a place that several machines share.
///
/// A store takes from all limits of a key or from none, in one step that nothing else comes between; a shared one does
/// that in a script of its own. An error of the store is the error of the call.
public protocol RateLimitStore: Sendable {
    /// Takes tokens from the buckets of a key, if all of them have enough.
    ///
    /// - Parameters:
    ///   - tokens: How many; more than a bucket holds takes all of it.
    ///   - key: Whose buckets.
    ///   - limits: The limits, each with a bucket of its own; those not used before are full.
    ///   - now: The caller's clock, `environment.time.elapsed`. A store that machines share goes by a clock of its own.
    /// - Returns: Whether they were taken, or how long until they may be there.
    func take(_ tokens: Int, of key: String, limits: [RateLimit], at now: Duration) async throws -> RateLimitAnswer

    /// Puts tokens back that were taken for a call which was not sent.
    func giveBack(_ tokens: Int, of key: String, limits: [RateLimit], at now: Duration) async throws
}

/// The answer of a store to a call that wants tokens.
public enum RateLimitAnswer: Sendable, Hashable {
    /// They were taken.
    case taken
    /// Nothing was taken; they may be there after this time.
    case wait(Duration)
}

/// Token buckets in memory, for all stages of a process that are given the same store.
public final class InMemoryRateLimitStore: RateLimitStore {
    private struct Key: Hashable {
        let key: String
        let limit: RateLimit
    }

    private let limit: Int
    private let buckets = Locked<[Key: CellRate]>([:])

    /// Makes a store whose buckets are full.
    ///
    /// - Parameter limit: How many buckets are kept at most, 100,000 by default; beyond it those that are full are
    ///   forgotten, and if there are none, all.
    public init(limit: Int = 100_000) {
        self.limit = max(1, limit)
    }

    /// Takes tokens; see ``RateLimitStore/take(_:of:limits:at:)``.
    public func take(
        _ tokens: Int,
        of key: String,
        limits: [RateLimit],
        at now: Duration
    ) async throws -> RateLimitAnswer {
        let room = limit
        return buckets.withLock { buckets in
            var cells = limits.map { buckets[Key(key: key, limit: $0)] ?? CellRate($0) }
            let wait = cells.map { $0.wait(for: tokens, at: now) }.max() ?? .zero
            guard wait <= .zero else { return .wait(wait) }
            if buckets.count + limits.count > room { buckets = buckets.filter { !$0.value.isFull(at: now) } }
            if buckets.count + limits.count > room { buckets.removeAll() }
            for index in cells.indices {
                cells[index].take(tokens, at: now)
                buckets[Key(key: key, limit: limits[index])] = cells[index]
            }
            return .taken
        }
    }

    /// Puts tokens back.
    public func giveBack(_ tokens: Int, of key: String, limits: [RateLimit], at now: Duration) async throws {
        buckets.withLock { buckets in
            for limit in limits { buckets[Key(key: key, limit: limit)]?.giveBack(tokens) }
        }
    }
}
