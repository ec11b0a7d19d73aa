import HTTPChainCore

/// A store of token buckets: in memory, or shared by several machines.
///
/// A store takes from all limits of a key or from none, atomically. A shared store uses a script for that. If the store
/// throws, the call fails with its error.
public protocol RateLimitStore: Sendable {
    /// Takes tokens from the buckets of a key, if all of them have enough.
    ///
    /// - Parameters:
    ///   - tokens: The number of tokens. With more than a bucket holds, the whole bucket is taken.
    ///   - key: The key of the buckets.
    ///   - limits: The limits, each with a separate bucket; unused buckets are full.
    ///   - now: The caller's clock, `environment.time.elapsed`. A shared store uses its own clock.
    /// - Returns: Whether the tokens were taken, or the time until they may be available.
    func take(_ tokens: Int, of key: String, limits: [RateLimit], at now: Duration) async throws -> RateLimitAnswer

    /// Returns tokens taken for a call that was not sent.
    func giveBack(_ tokens: Int, of key: String, limits: [RateLimit], at now: Duration) async throws
}

/// A store's response to a request for tokens.
public enum RateLimitAnswer: Sendable, Hashable {
    /// The tokens were taken.
    case taken
    /// Nothing was taken; the tokens may be available after this time.
    case wait(Duration)
}

/// Token buckets in memory, for all stages of a process with the same store.
package final class InMemoryRateLimitStore: RateLimitStore {
    private struct Key: Hashable {
        let key: String
        let limit: RateLimit
    }

    private let limit: Int
    private let buckets = Locked<[Key: CellRate]>([:])

    /// Creates a store with full buckets.
    ///
    /// - Parameter limit: The maximum number of buckets; 100,000 by default. Beyond it, full buckets are forgotten, or
    ///   all buckets if none is full.
    package init(limit: Int = 100_000) {
        self.limit = max(1, limit)
    }

    /// Takes tokens; see ``RateLimitStore/take(_:of:limits:at:)``.
    package func take(
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

    /// Returns tokens.
    package func giveBack(_ tokens: Int, of key: String, limits: [RateLimit], at now: Duration) async throws {
        buckets.withLock { buckets in
            for limit in limits { buckets[Key(key: key, limit: limit)]?.giveBack(tokens) }
        }
    }
}
