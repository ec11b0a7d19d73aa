public import HTTPChainCore

/// The limit of calls in flight: a fixed number, or a rule that learns from latencies and failures.
public struct ConcurrencyAlgorithm: CustomStringConvertible, DescribedValue, Sendable {
    /// A closure that creates the rule for a new group.
    package let rule: @Sendable () -> any ConcurrencyRule
    /// The rule and its bounds, for display.
    package let words: String

    /// Returns a limit to a fixed number of calls, also known as a bulkhead.
    ///
    /// - Parameter count: The number of calls, at least 1.
    public static func fixed(_ count: Int) -> ConcurrencyAlgorithm {
        let count = max(1, count)
        return ConcurrencyAlgorithm(rule: { FixedConcurrency(limit: count) }, words: "\(count)")
    }

    /// Returns a limit to the number of calls that the server can process at once, plus a margin.
    ///
    /// The number is the server's throughput times its latency without a queue.
    ///
    /// - Parameters:
    ///   - range: The minimum and maximum limit; 1 to 1,000 by default.
    ///   - initial: The initial limit; 10 by default.
    public static func adaptive(in range: ClosedRange<Int> = 1...1000, initial: Int = 10) -> ConcurrencyAlgorithm {
        ConcurrencyAlgorithm(
            rule: { ThroughputConcurrency(in: range, initial: initial) },
            words: "adaptive, \(range.lowerBound) to \(range.upperBound)"
        )
    }

    /// Returns a limit that is set by a custom rule.
    ///
    /// - Parameters:
    ///   - name: The name of the rule, for display.
    ///   - rule: A closure that creates the rule for a group.
    public static func custom(
        _ name: String,
        rule: @escaping @Sendable () -> any ConcurrencyRule
    ) -> ConcurrencyAlgorithm {
        ConcurrencyAlgorithm(rule: rule, words: name)
    }
}

/// A rule that limits the calls in flight, and learns from each call that ends.
public protocol ConcurrencyRule: Sendable {
    /// The current maximum number of calls in flight; at least 1.
    var limit: Int { get }
    /// Learns from a call that ended.
    mutating func learn(_ sample: ConcurrencySample)
}

/// A fixed limit.
struct FixedConcurrency: ConcurrencyRule {
    let limit: Int
    mutating func learn(_: ConcurrencySample) {}
}

/// A completed call.
public struct ConcurrencySample: Sendable, Hashable {
    /// The outcome of a call, as a sign of the server's load.
    public enum Outcome: Sendable, Hashable {
        /// The server responded.
        case success
        /// The call was dropped: a timeout, a failed or lost connection, 429, 503 or 504.
        case dropped
    }

    /// The time until the response began, or until the call was dropped.
    public var latency: Duration
    /// The number of calls in flight when the call began, including itself.
    public var inFlight: Int
    /// The outcome of the call.
    public var outcome: Outcome
    /// The time at which the call ended, on the scale of `environment.time.elapsed`.
    public var time: Duration

    /// Creates a sample.
    ///
    /// - Parameters:
    ///   - latency: The time until the response began, or until the call was dropped.
    ///   - inFlight: The number of calls in flight when the call began, including itself.
    ///   - outcome: The outcome of the call.
    ///   - time: The time at which the call ended.
    package init(latency: Duration, inFlight: Int, outcome: Outcome, time: Duration) {
        self.latency = latency
        self.inFlight = inFlight
        self.outcome = outcome
        self.time = time
    }
}
