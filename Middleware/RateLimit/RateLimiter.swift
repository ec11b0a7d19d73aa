public import HTTPChainCore

/// The rate limits of all groups (by default, of all origins), which one or more ``RateLimitMiddleware`` use.
///
/// Chains with the same limiter share its limits. They must use the same clock.
public final class RateLimiter: Sendable {
    /// The limits, all of which must allow a call.
    package let limits: [RateLimit]
    /// The rule by which requests share limits.
    package let group: RequestGroup
    /// The treatment of calls when a limit is reached.
    package let excess: RateLimitExcess
    /// Whether the server's limits are obeyed.
    package let obeysServer: Bool
    let hasStore: Bool
    private let groups: GroupTable<LimitedGroup>

    /// Creates a limiter with full buckets.
    ///
    /// - Parameters:
    ///   - limits: The limits, all of which must allow a call. Without any, only the server's limits apply.
    ///   - group: The rule by which requests share limits; by origin by default.
    ///   - excess: The treatment of calls when a limit is reached. By default, they wait for up to 10 seconds.
    ///   - obeysServer: Whether the server's limits are obeyed; `true` by default.
    ///   - store: The store for the buckets. `nil`, the default, means the limiter's own memory.
    ///   - groupLimit: The maximum number of groups; 1,000 by default.
    public init(
        _ limits: [RateLimit],
        by group: RequestGroup = .origin,
        excess: RateLimitExcess = .wait(upTo: .seconds(10)),
        obeysServer: Bool = true,
        store: (any RateLimitStore)? = nil,
        groupLimit: Int = 1000
    ) {
        self.limits = limits
        self.group = group
        self.excess = excess
        self.obeysServer = obeysServer
        hasStore = store != nil
        groups = GroupTable(group, limit: groupLimit) { LimitedGroup($0, limits, store) }
    }

    func limitedGroup(for request: borrowing Request) -> LimitedGroup? { groups.entry(for: request) }

    /// Returns the number of a group's waiting calls.
    ///
    /// - Parameter key: The origin, such as "https://api.example.com", or the key of another kind of group.
    package func waiting(in key: String) -> Int { groups.existing(key)?.snapshot(at: .zero).waiting ?? 0 }

    /// Returns the number of tokens in each bucket of a group, in the order of the limits.
    ///
    /// Empty if there is a store.
    ///
    /// - Parameters:
    ///   - key: The origin, or the key of another kind of group.
    ///   - environment: The clock that the chains use; the live one by default.
    public func available(in key: String, _ environment: ChainEnvironment = .live) -> [Int] {
        let now = environment.time.elapsed
        return groups.existing(key)?.snapshot(at: now).available ?? limits.map(\.burst)
    }

    /// Returns the number of admitted calls that have no response yet.
    package func unanswered(in key: String) -> Int { groups.existing(key)?.snapshot(at: .zero).unanswered ?? 0 }
}
