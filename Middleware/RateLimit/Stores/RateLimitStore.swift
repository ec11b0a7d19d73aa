import HTTPChainCore
import HTTPChainSupport

/// A store of token buckets: in memory, or shared by several machines.
///
/// A store takes tokens atomically, from all limits of a key or from none. A shared store uses a script for that. If
/// the store throws, the call fails with its error.
public protocol RateLimitStore: Sendable {
    /// Takes tokens from the buckets of a key, if all of them have enough.
    ///
    /// - Parameters:
    ///   - tokens: The number of tokens. If it exceeds a bucket's size, the whole bucket is taken.
    ///   - key: The key of the buckets.
    ///   - limits: The limits, each with a separate bucket. Buckets that haven't been used are full.
    ///   - now: The caller's clock, `environment.time.elapsed`. A shared store uses its own clock.
    /// - Returns: Whether the tokens were taken or, if not, the time until they may be available.
    func take(_ tokens: Int, of key: String, limits: [RateLimit], at now: Duration) async throws -> RateLimitAnswer

    /// Returns tokens that were taken for a call that wasn't sent.
    func giveBack(_ tokens: Int, of key: String, limits: [RateLimit], at now: Duration) async throws
}

/// A store's response to a request for tokens.
public enum RateLimitAnswer: Sendable, Hashable {
    /// The tokens were taken.
    case taken
    /// Nothing was taken.
    ///
    /// The tokens may be available after this time.
    case wait(Duration)
}

/// A store of token buckets in memory, shared by all stages of a process that use it.
package final class InMemoryRateLimitStore: RateLimitStore {
    private struct Key: Hashable {
        let key: ExactText
        let limit: RateLimit

        init(key: String, limit: RateLimit) {
            self.key = ExactText(key)
            self.limit = limit
        }
    }

    private let limit: Int
    private let buckets = Locked<[Key: CellRate]>([:])

    /// Creates a store with full buckets.
    ///
    /// - Parameter limit: The maximum number of buckets; 100,000 by default. Beyond it, full buckets are removed, or
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
            let new = limits.count { buckets[Key(key: key, limit: $0)] == nil }
            if new > 0, buckets.count + new > room { buckets = buckets.filter { !$0.value.isFull(at: now) } }
            if new > 0, buckets.count + new > room { buckets.removeAll() }
            for index in cells.indices {
                cells[index].take(tokens, at: now)
                buckets[Key(key: key, limit: limits[index])] = cells[index]
            }
            return .taken
        }
    }

    /// Returns tokens; see ``RateLimitStore/giveBack(_:of:limits:at:)``.
    package func giveBack(_ tokens: Int, of key: String, limits: [RateLimit], at now: Duration) async throws {
        buckets.withLock { buckets in
            for limit in limits { buckets[Key(key: key, limit: limit)]?.giveBack(tokens) }
        }
    }
}
