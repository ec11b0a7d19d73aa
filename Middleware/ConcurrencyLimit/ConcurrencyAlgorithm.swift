import HTTPChainCore

/// The number of calls that may be in flight at once: a number, or what a rule finds out from latencies and failures.
public struct ConcurrencyAlgorithm: Sendable, CustomStringConvertible {
    let makeRule: @Sendable () -> any ConcurrencyRule
    /// The rule and its bounds, for people to read.
    public let description: String

    /// So many calls, whatever happens: a bulkhead.
    ///
    /// - Parameter count: How many, at least 1.
    public static func fixed(_ count: Int) -> ConcurrencyAlgorithm {
        let count = max(1, count)
        return ConcurrencyAlgorithm(makeRule: { FixedConcurrency(limit: count) }, description: "\(count)")
    }

    /// As many as the server works on at once, with a little more: throughput times the latency without a queue.
    ///
    /// See ``ThroughputConcurrency`` for how it is found out.
    ///
    /// - Parameters:
    ///   - range: The smallest and the largest limit; 1 to 1,000 by default.
    ///   - initial: The limit at first; 10 by default.
    public static func adaptive(in range: ClosedRange<Int> = 1...1000, initial: Int = 10) -> ConcurrencyAlgorithm {
        ConcurrencyAlgorithm(
            makeRule: { ThroughputConcurrency(in: range, initial: initial) },
            description: "adaptive, \(range.lowerBound) to \(range.upperBound)"
        )
    }

    /// One more after a success at the limit, a tenth less after a drop.
    ///
    /// - Parameters:
    ///   - range: The smallest and the largest limit; 1 to 1,000 by default.
    ///   - initial: The limit at first; 10 by default.
    public static func aimd(in range: ClosedRange<Int> = 1...1000, initial: Int = 10) -> ConcurrencyAlgorithm {
        ConcurrencyAlgorithm(
            makeRule: { AIMDConcurrency(in: range, initial: initial) },
            description: "AIMD, \(range.lowerBound) to \(range.upperBound)"
        )
    }

    /// The queue at the server, estimated from the shortest latency, is kept between two bounds, as in TCP Vegas.
    ///
    /// - Parameters:
    ///   - range: The smallest and the largest limit; 1 to 1,000 by default.
    ///   - initial: The limit at first; 10 by default.
    public static func vegas(in range: ClosedRange<Int> = 1...1000, initial: Int = 10) -> ConcurrencyAlgorithm {
        ConcurrencyAlgorithm(
            makeRule: { VegasConcurrency(in: range, initial: initial) },
            description: "Vegas, \(range.lowerBound) to \(range.upperBound)"
        )
    }

    /// The latency now beside its average over a long time, as in the Gradient2 rule of Netflix.
    ///
    /// - Parameters:
    ///   - range: The smallest and the largest limit; 1 to 1,000 by default.
    ///   - initial: The limit at first; 10 by default.
    public static func gradient2(in range: ClosedRange<Int> = 1...1000, initial: Int = 10) -> ConcurrencyAlgorithm {
        ConcurrencyAlgorithm(
            makeRule: { Gradient2Concurrency(in: range, initial: initial) },
            description: "Gradient2, \(range.lowerBound) to \(range.upperBound)"
        )
    }

    /// A rule of yours.
    ///
    /// - Parameters:
    ///   - name: What it is called, for people to read.
    ///   - rule: Makes the rule of a group.
    public static func custom(
        _ name: String,
        rule: @escaping @Sendable () -> any ConcurrencyRule
    ) -> ConcurrencyAlgorithm {
        ConcurrencyAlgorithm(makeRule: rule, description: name)
    }

    /// The rule of a new group.
    package func rule() -> any ConcurrencyRule { makeRule() }
}

/// A rule that says how many calls may be in flight, and learns from each call that ends.
public protocol ConcurrencyRule: Sendable {
    /// The number of calls that may be in flight now; at least 1.
    var limit: Int { get }
    /// Learns from a call that ended.
    mutating func learn(_ sample: ConcurrencySample)
}

/// A call that ended.
public struct ConcurrencySample: Sendable, Hashable {
    /// A judgement on what a call says about the load of the server.
    public enum Outcome: Sendable, Hashable {
        /// It was answered.
        case success
        /// It was dropped: a timeout, a lost connection, 429, 503 or 504.
        case dropped
    }

    /// The time until its response began, or until it was dropped.
    public var latency: Duration
    /// The number of calls that were in flight when it began, itself included.
    public var inFlight: Int
    /// The outcome of the call.
    public var outcome: Outcome
    /// The time at which it ended, on the scale of `environment.time.elapsed`.
    public var time: Duration

    /// Makes a sample.
    ///
    /// - Parameters:
    ///   - latency: How long it took.
    ///   - inFlight: How many calls were in flight when it began, itself included.
    ///   - outcome: How it ended.
    ///   - time: When it ended.
    public init(latency: Duration, inFlight: Int, outcome: Outcome, time: Duration) {
        self.latency = latency
        self.inFlight = inFlight
        self.outcome = outcome
        self.time = time
    }
}
