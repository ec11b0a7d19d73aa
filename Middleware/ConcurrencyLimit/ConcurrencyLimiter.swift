public import HTTPChainCore

/// The queue of calls that the limit holds back: how many may wait, and how long.
public struct ConcurrencyQueue: Sendable, Hashable {
    /// The number of calls that may wait; 0 refuses them at once.
    public var length: Int
    /// The longest time that a call may wait.
    public var longestWait: Duration

    /// Makes the settings.
    ///
    /// - Parameters:
    ///   - length: How many calls may wait; 100 by default, 0 to refuse them at once.
    ///   - longestWait: How long a call may wait; a second by default.
    public init(length: Int = 100, longestWait: Duration = .seconds(1)) {
        self.length = min(max(0, length), 1_000_000)
        self.longestWait = longestWait
    }

    /// Nobody waits.
    public static let none = ConcurrencyQueue(length: 0)
}

/// The places of all origins, or of another grouping: the state behind one or more ``ConcurrencyLimitMiddleware``.
///
/// Chains that are given the same limiter share its places; their clock must be the same.
public final class ConcurrencyLimiter: Sendable {
    /// The rule by which the limit is found.
    public let algorithm: ConcurrencyAlgorithm
    /// The rule by which requests share a limit.
    public let group: RequestGroup
    /// The queue of calls that the limit holds back.
    public let queue: ConcurrencyQueue
    private let pools: GroupTable<PermitPool>

    /// Makes a limiter.
    ///
    /// - Parameters:
    ///   - algorithm: How the limit is found; adaptive by default.
    ///   - group: What has a limit of its own; each origin by default.
    ///   - queue: What becomes of calls for which there is no place; 100 wait up to a second by default.
    ///   - groupLimit: How many groups are remembered; 1,000 by default.
    public init(
        _ algorithm: ConcurrencyAlgorithm = .adaptive(),
        by group: RequestGroup = .origin,
        queue: ConcurrencyQueue = ConcurrencyQueue(),
        groupLimit: Int = 1000
    ) {
        self.algorithm = algorithm
        self.group = group
        self.queue = queue
        pools = GroupTable(group, limit: groupLimit) { PermitPool($0, algorithm, queue) }
    }

    func pool(for request: borrowing Request) -> PermitPool? { pools.entry(for: request) }

    /// The number of calls of a group that may be in flight now.
    ///
    /// - Parameter key: The origin, such as "https://api.example.com", or the key of another grouping.
    public func limit(of key: String) -> Int { pools.existing(key)?.limit ?? algorithm.rule().limit }

    /// The number of calls of a group that are in flight: sent, and their response's body not read to its end nor
    /// dropped.
    ///
    /// - Parameter key: The origin, or the key of another grouping.
    public func inFlight(in key: String) -> Int { pools.existing(key)?.counts.inFlight ?? 0 }

    /// The number of calls of a group that wait for a place.
    ///
    /// - Parameter key: The origin, or the key of another grouping.
    public func waiting(in key: String) -> Int { pools.existing(key)?.counts.waiting ?? 0 }
}
