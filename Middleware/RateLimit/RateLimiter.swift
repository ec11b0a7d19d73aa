public import HTTPChainCore

/// The limits of all origins, or of another grouping: the state behind one or more ``RateLimitMiddleware``.
///
/// Chains that are given the same limiter share its limits; their clock must be the same.
public final class RateLimiter: Sendable {
    /// The limits; all of them have to let a call through.
    public let limits: [RateLimit]
    /// The rule by which requests share limits.
    public let group: RequestGroup
    /// The treatment of a call that comes when a limit is reached.
    public let excess: RateLimitExcess
    /// Whether the server's own limits are kept.
    public let obeysServer: Bool
    let hasStore: Bool
    private let groups: GroupTable<LimitedGroup>

    /// Makes a limiter whose buckets are full.
    ///
    /// - Parameters:
    ///   - limits: The limits, all of which have to let a call through; none for the server's own alone.
    ///   - group: What has limits of its own; each origin by default.
    ///   - excess: What happens to a call that comes when a limit is reached; it waits up to 10 seconds by default.
    ///   - obeysServer: Whether the server's own limits are kept; they are by default.
    ///   - store: Where the buckets are; `nil`, the default, for the limiter's own memory.
    ///   - groupLimit: How many groups are remembered; 1,000 by default.
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

    /// The number of calls that wait for their turn in a group.
    ///
    /// - Parameter key: The origin, such as "https://api.example.com", or the key of another grouping.
    public func waiting(in key: String) -> Int { groups.existing(key)?.snapshot(at: .zero).waiting ?? 0 }

    /// The number of tokens that the buckets of a group hold, in the order of the limits; empty with a store.
    ///
    /// - Parameters:
    ///   - key: The origin, or the key of another grouping.
    ///   - environment: The clock that the chains use; the live one by default.
    public func available(in key: String, _ environment: ChainEnvironment = .live) -> [Int] {
        let now = environment.time.elapsed
        return groups.existing(key)?.snapshot(at: now).available ?? limits.map(\.burst)
    }

    /// Calls let through whose answer has not come.
    package func unanswered(in key: String) -> Int { groups.existing(key)?.snapshot(at: .zero).unanswered ?? 0 }
}
