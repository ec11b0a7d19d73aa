public import HTTPChainCore
import HTTPChainSupport
import HTTPTypes
import Logging

/// A filter that decides which exchanges are logged.
///
/// ```swift
/// let filter: LogFilter = .status([.clientError, .serverError])
///     .or(.duration(over: .seconds(2)))
///     .or(.sampled(oneIn: 100))
/// ```
///
/// The filter decides as early as possible. A call that ``sampled(oneIn:)`` excludes is passed on unchanged, unless
/// another condition could still include it. Conditions on the result of an exchange (its level, status, outcome, time
/// and host) are evaluated before anything is redacted or formatted. Only a filter made from a closure needs the whole
/// record.
public struct LogFilter: Sendable {
    /// The facts known about an exchange before its record is made.
    struct Facts {
        let callID: UInt64
        let component: String
        /// The result of the exchange, or `nil` while it is in progress.
        var end: End?
    }

    /// The result of an exchange.
    struct End {
        let level: Logger.Level
        let status: HTTPResponse.Status?
        let outcome: ExchangeOutcome
        let duration: Duration
        /// The origin, computed on demand.
        let origin: () -> Origin?
    }

    private indirect enum Rule: Sendable {
        case beginning(@Sendable (Facts) -> Bool)
        case end(@Sendable (End) -> Bool)
        case record(@Sendable (ExchangeLog) -> Bool)
        case and(Rule, Rule)
        case not(Rule)

        /// Returns whether the rule matches, or `nil` if that isn't known yet.
        func holds(_ facts: Facts, _ exchange: ExchangeLog?) -> Bool? {
            switch self {
            case .beginning(let condition): return condition(facts)
            case .end(let condition): return facts.end.map { condition($0) }
            case .record(let condition): return exchange.map { condition($0) }
            case .not(let rule): return rule.holds(facts, exchange).map { !$0 }
            case .and(let one, let other):
                let first = one.holds(facts, exchange)
                if first == false { return false }
                let second = other.holds(facts, exchange)
                return second == false ? false : first == nil ? nil : second
            }
        }
    }

    private let rule: Rule

    private init(_ rule: Rule) {
        self.rule = rule
    }

    private static func end(_ condition: @escaping @Sendable (End) -> Bool) -> LogFilter { LogFilter(.end(condition)) }

    /// Makes a filter from a closure.
    ///
    /// It is called when an exchange has ended and its record has been made.
    ///
    /// - Parameter condition: Returns whether to log an exchange.
    public init(_ condition: @escaping @Sendable (ExchangeLog) -> Bool) {
        rule = .record(condition)
    }

    /// Returns whether an exchange is logged.
    package func includes(_ exchange: ExchangeLog) -> Bool {
        let end = End(
            level: exchange.level,
            status: exchange.status,
            outcome: exchange.outcome,
            duration: exchange.duration,
            origin: { exchange.origin }
        )
        let facts = Facts(callID: exchange.callID, component: exchange.component, end: end)
        return rule.holds(facts, exchange) ?? true
    }

    /// Returns whether an exchange with these facts is logged, or `nil` if more must be known.
    func decision(_ facts: Facts) -> Bool? { rule.holds(facts, nil) }

    // MARK: Conditions

    /// Includes exchanges logged by a component or one below it.
    ///
    /// For example, `http` includes `http.client`.
    package static func component(_ component: String) -> LogFilter {
        LogFilter(.beginning { $0.component == component || $0.component.begins(with: component + ".") })
    }

    /// Includes exchanges with one of these hosts.
    ///
    /// `*.example.com` matches every host under `example.com`.
    public static func host(_ hosts: String...) -> LogFilter {
        let patterns = hosts.compactMap { HostPattern($0) }
        return .end { exchange in
            guard let host = exchange.origin()?.server else { return false }
            return patterns.contains { $0.matches(host) }
        }
    }

    /// Includes exchanges whose response had one of these statuses.
    public static func status(_ statuses: StatusSet) -> LogFilter {
        .end { $0.status.map(statuses.contains) ?? false }
    }

    /// Includes exchanges with one of these outcomes.
    package static func outcome(_ outcomes: ExchangeOutcome...) -> LogFilter {
        .end { outcomes.contains($0.outcome) }
    }

    /// Includes exchanges that failed: with an error, an incomplete body, or a 4xx or 5xx status.
    ///
    /// ```swift
    /// let filter: LogFilter = .sampled(oneIn: 100).or(.errors).or(.duration(over: .seconds(1)))
    /// ```
    public static let errors: LogFilter = .outcome(.clientError, .serverError, .failure)

    /// Includes exchanges that took longer than a limit.
    public static func duration(over limit: Duration) -> LogFilter { .end { $0.duration > limit } }

    /// Includes a random sample of calls, with all attempts of each.
    ///
    /// The decision is made when the call begins, so a call that is excluded costs only a random number.
    ///
    /// - Parameter count: One call out of this number is included, on average. With 1 or less, all are included.
    public static func sampled(oneIn count: Int) -> LogFilter {
        // The call ID is taken from `environment.random`, and is the same for all attempts.
        LogFilter(.beginning { count <= 1 || $0.callID % UInt64(count) == 0 })
    }

    // MARK: Combinations

    /// Returns a filter for exchanges that pass both filters.
    public func and(_ other: LogFilter) -> LogFilter { LogFilter(.and(rule, other.rule)) }

    /// Returns a filter for exchanges that pass this filter, or the other, or both.
    public func or(_ other: LogFilter) -> LogFilter { LogFilter(.not(.and(.not(rule), .not(other.rule)))) }

    /// Returns a filter for exchanges that don't pass a filter.
    public static func not(_ filter: LogFilter) -> LogFilter { LogFilter(.not(filter.rule)) }
}
