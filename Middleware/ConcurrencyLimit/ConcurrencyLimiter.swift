public import HTTPChainCore

/// The queue of waiting calls: its maximum length, and the longest wait.
public struct ConcurrencyQueue: Sendable, Hashable {
    /// The maximum number of waiting calls; with 0, calls are refused immediately.
    package var length: Int
    /// The longest wait of a call.
    package var longestWait: Duration

    /// Creates a queue.
    ///
    /// - Parameters:
    ///   - length: The maximum number of waiting calls; 100 by default, 0 to refuse them immediately.
    ///   - longestWait: The longest wait of a call; a second by default.
    public init(length: Int = 100, longestWait: Duration = .seconds(1)) {
        self.length = min(max(0, length), 1_000_000)
        self.longestWait = longestWait
    }

    /// A queue in which no calls can wait.
    public static let none = ConcurrencyQueue(length: 0)
}

/// The permits of all origins, or of another grouping: the state that one or more ``ConcurrencyLimitMiddleware`` share.
///
/// Chains with the same limiter share its permits, and must use the same clock.
public final class ConcurrencyLimiter: Sendable {
    /// The rule for the limit.
    package let algorithm: ConcurrencyAlgorithm
    /// The rule by which requests share a limit.
    package let group: RequestGroup
    /// The queue of waiting calls.
    package let queue: ConcurrencyQueue
    private let pools: GroupTable<PermitPool>

    /// Creates a limiter.
    ///
    /// - Parameters:
    ///   - algorithm: The rule for the limit; adaptive by default.
    ///   - group: The rule by which requests share a limit; by origin by default.
    ///   - queue: The queue of waiting calls; 100 calls for up to a second by default.
    ///   - groupLimit: The maximum number of groups; 1,000 by default.
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

    /// Returns the current maximum number of calls of a group in flight.
    ///
    /// - Parameter key: The origin, such as "https://api.example.com", or the key of another grouping.
    public func limit(of key: String) -> Int { pools.existing(key)?.limit ?? algorithm.rule().limit }

    /// Returns the number of a group's calls in flight.
    ///
    /// A call is in flight from the time it is sent until its response's body was read to its end or dropped.
    ///
    /// - Parameter key: The origin, or the key of another grouping.
    public func inFlight(in key: String) -> Int { pools.existing(key)?.counts.inFlight ?? 0 }

    /// Returns the number of a group's waiting calls.
    ///
    /// - Parameter key: The origin, or the key of another grouping.
    package func waiting(in key: String) -> Int { pools.existing(key)?.counts.waiting ?? 0 }
}
