public import HTTPChainCore

/// The conditions for opening and closing a circuit.
///
/// ```swift
/// CircuitBreakerPolicy(consecutiveFailures: 5)                            // for a client that sends little
/// CircuitBreakerPolicy(slowCalls: .init(over: .seconds(2), rate: 0.5))
/// ```
///
/// Values out of range are clamped to the nearest valid one.
public struct CircuitBreakerPolicy: Sendable {
    /// The set of calls that the rates are based on.
    public enum Window: Sendable, Hashable {
        /// The calls that ended within a period, which moves in ten steps and is at least a millisecond.
        case time(Duration)
        /// The last calls, at most 100,000.
        case calls(Int)
    }

    /// The rule by which slow calls open a circuit.
    public struct SlowCalls: Sendable, Hashable {
        /// The duration above which a call is slow, measured until the head of its response or its error.
        package var threshold: Duration
        /// The share of slow calls that opens the circuit, from 0 to 1.
        package var rate: Double

        /// Creates a rule.
        ///
        /// - Parameters:
        ///   - threshold: The duration above which a call is slow.
        ///   - rate: The share of slow calls that opens the circuit, from 0 to 1; 0.5 by default.
        public init(over threshold: Duration, rate: Double = 0.5) {
            self.threshold = threshold
            self.rate = rate
        }
    }

    /// The set of calls that the rates are based on.
    package var window: Window
    /// The minimum number of calls for a rate to apply.
    package var minimumCalls: Int
    /// The share of failures that opens the circuit, from 0 to 1, or `nil` for none.
    package var failureRate: Double?
    /// The number of failures in a row that opens the circuit, or `nil` for none.
    package var consecutiveFailures: Int?
    /// The rule by which slow calls open the circuit, or `nil` for none.
    package var slowCalls: SlowCalls?
    package var openTimes: CircuitOpenTime
    /// The number of concurrent probes in the half-open state.
    package var probes: Int
    /// The time after which a probe without a result counts as a failure.
    package var probeTimeout: Duration
    /// The maximum time for which `Retry-After` opens the circuit; zero to ignore it.
    package var retryAfterLimit: Duration
    /// The statuses that count as failures.
    package var failureStatuses: StatusSet
    /// A closure that can override the policy's rules.
    package var verdict: (@Sendable (CompletedAttempt) -> CircuitVerdict)?

    /// Creates a policy, by default of 10 % of failures among at least 100 calls in 30 seconds.
    ///
    /// - Parameters:
    ///   - window: The set of calls that the rates are based on; the calls of the last 30 seconds by default.
    ///   - minimumCalls: The minimum number of calls for a rate to apply; 100 by default. If the window has fewer
    ///     calls, a full window is enough.
    ///   - failureRate: The share of failures that opens the circuit, from 0 to 1, or `nil` for none; 0.1 by default.
    ///   - consecutiveFailures: The number of failures in a row that opens the circuit, regardless of the number of
    ///     calls; `nil`, the default, disables this rule.
    ///   - slowCalls: The rule by which slow calls open the circuit; none by default.
    ///   - openTime: The time for which the circuit stays open, which doubles with each failed probe; 5 seconds by
    ///     default. It has a jitter of a fifth, so that clients don't return at the same time.
    ///   - longestOpenTime: The longest time for which the circuit stays open, before jitter is applied; a minute by
    ///     default.
    ///   - probes: The number of concurrent probes in the half-open state; 1 by default, at most 1,000. All of them
    ///     must succeed to close the circuit.
    ///   - probeTimeout: The time after which a probe without a result counts as a failure; 30 seconds by default.
    ///   - retryAfterLimit: The maximum time for which `Retry-After` opens the circuit; 5 minutes by default, zero to
    ///     ignore it.
    ///   - failureStatuses: The statuses that count as failures; 5xx by default.
    ///   - verdict: A closure that can override the policy's rules; none by default.
    public init(
        window: Window = .time(.seconds(30)),
        minimumCalls: Int = 100,
        failureRate: Double? = 0.1,
        consecutiveFailures: Int? = nil,
        slowCalls: SlowCalls? = nil,
        openTime: Duration = .seconds(5),
        longestOpenTime: Duration = .seconds(60),
        probes: Int = 1,
        probeTimeout: Duration = .seconds(30),
        retryAfterLimit: Duration = .seconds(300),
        failureStatuses: StatusSet = .serverError,
        verdict: (@Sendable (CompletedAttempt) -> CircuitVerdict)? = nil
    ) {
        self.window = window
        self.minimumCalls = minimumCalls
        self.failureRate = failureRate
        self.consecutiveFailures = consecutiveFailures
        self.slowCalls = slowCalls
        openTimes = CircuitOpenTime(base: openTime, cap: longestOpenTime)
        self.probes = probes
        self.probeTimeout = probeTimeout
        self.retryAfterLimit = retryAfterLimit
        self.failureStatuses = failureStatuses
        self.verdict = verdict
    }

    /// Returns a policy that opens only after failures in a row, for a client that sends few requests.
    ///
    /// - Parameter count: The number of failures in a row.
    public static func consecutive(failures count: Int) -> CircuitBreakerPolicy {
        CircuitBreakerPolicy(failureRate: nil, consecutiveFailures: count)
    }
}

extension CircuitBreakerPolicy {
    /// Returns the policy with each number clamped to its range.
    ///
    /// A rate that is NaN becomes the default.
    package var bounded: CircuitBreakerPolicy {
        var policy = self
        policy.window = window.bounded
        policy.minimumCalls = max(1, minimumCalls)
        if case .calls(let count) = policy.window { policy.minimumCalls = min(policy.minimumCalls, count) }
        policy.failureRate = failureRate.flatMap { Self.share($0) ?? CircuitBreakerPolicy().failureRate }
        policy.consecutiveFailures = consecutiveFailures.map { max(1, $0) }
        policy.slowCalls = slowCalls.map { rule in
            Self.share(rule.rate).map { SlowCalls(over: rule.threshold, rate: $0) } ?? SlowCalls(over: rule.threshold)
        }
        policy.probes = min(max(1, probes), 1000)
        return policy
    }

    private static func share(_ rate: Double) -> Double? { rate.isNaN ? nil : min(max(0, rate), 1) }
}

extension CircuitBreakerPolicy.Window {
    /// The window with its length clamped to its range.
    var bounded: Self {
        switch self {
        case .time(let time): .time(max(.milliseconds(1), time.bounded))
        case .calls(let count): .calls(min(max(1, count), 100_000))
        }
    }
}

/// The time for which a circuit stays open.
///
/// It grows with each failed probe, and has jitter.
package struct CircuitOpenTime: Sendable, Hashable {
    /// The initial time.
    package var base: Duration
    /// The longest time, before jitter is applied.
    package var cap: Duration
    /// The share by which jitter shortens or lengthens the time, from 0 to 1.
    package var jitter: Double

    /// Creates the times.
    ///
    /// - Parameters:
    ///   - base: The initial time, which doubles with each failed probe; 5 seconds by default.
    ///   - cap: The longest time, before jitter is applied; a minute by default.
    ///   - jitter: The share by which jitter shortens or lengthens the time; 0.2 by default.
    package init(base: Duration = .seconds(5), cap: Duration = .seconds(60), jitter: Double = 0.2) {
        self.base = base
        self.cap = cap
        self.jitter = jitter
    }

    /// Returns the time for which a circuit stays open.
    ///
    /// - Parameters:
    ///   - opening: The number of consecutive openings, including this one.
    ///   - random: The source of randomness.
    package func duration(ofOpening opening: Int, random: some RandomSource) -> Duration {
        let jitter = jitter.isFinite ? min(1, max(0, jitter)) : 0
        return Backoff(base: base, cap: cap)
            .wait(beforeRetry: opening, times: (1 - jitter)...(1 + jitter), random: random)
    }
}

/// A closure's verdict on what a call shows about the server.
public enum CircuitVerdict: Sendable, Hashable {
    /// The policy's other rules apply.
    case standard
    /// The server is healthy.
    case success
    /// The server is failing.
    case failure
    /// The call shows nothing about the server.
    case neither
}
