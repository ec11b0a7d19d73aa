public import HTTPChainCore
import HTTPChainSupport
import HTTPTypes
public import Logging

/// A filter that says which exchanges are logged.
///
/// ```swift
/// let filter: LogFilter = .status([.clientError, .serverError])
///     .or(.duration(over: .seconds(2)))
///     .or(.sampled(oneIn: 100))
/// ```
///
/// It decides as early as it can: a call that ``sampled(oneIn:)`` leaves out, and that nothing else can keep, passes
/// untouched. What the end of an exchange decides (its level, status, outcome, time and host) is decided before anything
/// is redacted or put into words; only a closure of one's own is given the record.
public struct LogFilter: Sendable {
    /// The facts that are known of an exchange before its record is made.
    struct Facts {
        let callID: UInt64
        let component: String
        /// How it ended; `nil` while it goes on.
        var end: End?
    }

    /// How an exchange ended.
    struct End {
        let level: Logger.Level
        let status: HTTPResponse.Status?
        let outcome: ExchangeOutcome
        let duration: Duration
        /// Worked out for those who ask.
        let origin: () -> Origin?
    }

    private indirect enum Rule: Sendable {
        case beginning(@Sendable (Facts) -> Bool)
        case end(@Sendable (End) -> Bool)
        case record(@Sendable (ExchangeLog) -> Bool)
        case and(Rule, Rule)
        case or(Rule, Rule)
        case not(Rule)

        /// Whether it holds; `nil` where that is not known yet.
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
            case .or(let one, let other):
                let first = one.holds(facts, exchange)
                if first == true { return true }
                let second = other.holds(facts, exchange)
                return second == true ? true : first == nil ? nil : second
            }
        }
    }

    private let rule: Rule

    private init(_ rule: Rule) {
        self.rule = rule
    }

    private static func end(_ condition: @escaping @Sendable (End) -> Bool) -> LogFilter { LogFilter(.end(condition)) }

    /// Makes a filter of a closure, which is asked when an exchange is over and its record is made.
    ///
    /// - Parameter condition: Whether an exchange is logged.
    public init(_ condition: @escaping @Sendable (ExchangeLog) -> Bool) {
        rule = .record(condition)
    }

    /// Whether an exchange is logged.
    public func includes(_ exchange: ExchangeLog) -> Bool {
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

    /// Whether an exchange of which so much is known is logged; `nil` where more must be known.
    func decision(_ facts: Facts) -> Bool? { rule.holds(facts, nil) }

    // MARK: Conditions

    /// Lets exchanges pass whose level is this, or more severe.
    public static func level(atLeast level: Logger.Level) -> LogFilter { .end { $0.level >= level } }

    /// Lets exchanges pass that a component logs, or one under it: `http` stands for `http.client` too.
    public static func component(_ component: String) -> LogFilter {
        LogFilter(.beginning { $0.component == component || $0.component.begins(with: component + ".") })
    }

    /// Lets exchanges pass that went to one of these hosts; `*.example.com` stands for every host under `example.com`.
    public static func host(_ hosts: String...) -> LogFilter {
        let patterns = hosts.compactMap { HostPattern($0) }
        return .end { exchange in
            guard let host = exchange.origin()?.server else { return false }
            return patterns.contains { $0.matches(host) }
        }
    }

    /// Lets exchanges pass that were answered with one of these statuses.
    public static func status(_ statuses: StatusSet) -> LogFilter {
        .end { $0.status.map(statuses.contains) ?? false }
    }

    /// Lets exchanges pass that ended in one of these ways.
    public static func outcome(_ outcomes: ExchangeOutcome...) -> LogFilter {
        .end { outcomes.contains($0.outcome) }
    }

    /// Lets exchanges pass that failed: with an error, with a body that broke, with 4xx or with 5xx.
    ///
    /// ```swift
    /// let filter: LogFilter = .sampled(oneIn: 100).or(.errors).or(.duration(over: .seconds(1)))
    /// ```
    public static let errors: LogFilter = .outcome(.clientError, .serverError, .failure)

    /// Lets exchanges pass that took longer than this.
    public static func duration(over limit: Duration) -> LogFilter { .end { $0.duration > limit } }

    /// One call in so many, by chance: all of its attempts, or none.
    ///
    /// It is decided as the call begins: one that is left out costs no more than the draw.
    ///
    /// - Parameter count: How many calls one is taken of; all are for 1 and less.
    public static func sampled(oneIn count: Int) -> LogFilter {
        // The name of a call was drawn from `environment.random`, and is the same for each attempt.
        LogFilter(.beginning { count <= 1 || $0.callID % UInt64(count) == 0 })
    }

    // MARK: Combinations

    /// Returns a filter for exchanges that pass both filters.
    public func and(_ other: LogFilter) -> LogFilter { LogFilter(.and(rule, other.rule)) }

    /// Returns a filter for exchanges that pass this filter, or the other, or both.
    public func or(_ other: LogFilter) -> LogFilter { LogFilter(.or(rule, other.rule)) }

    /// Returns a filter for exchanges that do not pass a filter.
    public static func not(_ filter: LogFilter) -> LogFilter { LogFilter(.not(filter.rule)) }
}
