public import HTTPChainCore
public import Logging

/// Which exchanges are logged.
///
/// ```swift
/// let filter: LogFilter = .status([.clientError, .serverError])
///     .or(.duration(over: .seconds(2)))
///     .or(.sampled(oneIn: 100))
/// ```
///
/// It is asked when an exchange is over, after its level and before any words are made.
public struct LogFilter: Sendable {
    private let condition: @Sendable (ExchangeLog) -> Bool

    /// Makes a filter of a closure.
    ///
    /// - Parameter condition: Whether an exchange is logged.
    public init(_ condition: @escaping @Sendable (ExchangeLog) -> Bool) {
        self.condition = condition
    }

    /// Whether an exchange is logged.
    public func includes(_ exchange: ExchangeLog) -> Bool { condition(exchange) }

    // MARK: Conditions

    /// What is of this level, or more severe.
    public static func level(atLeast level: Logger.Level) -> LogFilter { LogFilter { $0.level >= level } }

    /// What a component logs, or one under it: `http` stands for `http.client` too.
    public static func component(_ component: String) -> LogFilter {
        LogFilter { $0.component == component || $0.component.hasPrefix(component + ".") }
    }

    /// What went to one of these hosts; `*.example.com` stands for every host under `example.com`.
    public static func host(_ hosts: String...) -> LogFilter {
        let names = Set(hosts.map { $0.lowercased() })
        let suffixes = names.filter { $0.hasPrefix("*.") }.map { String($0.dropFirst()) }
        return LogFilter { exchange in
            guard let host = exchange.origin?.host else { return false }
            return names.contains(host) || suffixes.contains { host.hasSuffix($0) && host.count > $0.count }
        }
    }

    /// What was answered with one of these statuses.
    public static func status(_ statuses: StatusSet) -> LogFilter {
        LogFilter { $0.status.map(statuses.contains) ?? false }
    }

    /// What ended in one of these ways.
    public static func outcome(_ outcomes: ExchangeOutcome...) -> LogFilter {
        LogFilter { outcomes.contains($0.outcome) }
    }

    /// What took longer than this.
    public static func duration(over limit: Duration) -> LogFilter { LogFilter { $0.duration > limit } }

    /// One call in so many, by chance: all of its attempts, or none.
    ///
    /// - Parameter count: How many calls one is taken of; all are for 1 and less.
    public static func sampled(oneIn count: Int) -> LogFilter {
        // The name of a call was drawn from `environment.random`, and is the same for each attempt.
        LogFilter { count <= 1 || $0.callID % UInt64(count) == 0 }
    }

    // MARK: Combinations

    /// What passes this filter and the other.
    public func and(_ other: LogFilter) -> LogFilter { LogFilter { condition($0) && other.condition($0) } }

    /// What passes this filter, or the other, or both.
    public func or(_ other: LogFilter) -> LogFilter { LogFilter { condition($0) || other.condition($0) } }

    /// What does not pass a filter.
    public static func not(_ filter: LogFilter) -> LogFilter { LogFilter { !filter.condition($0) } }
}
