public import HTTPChainCore
public import HTTPTypes

/// A policy that says when a circuit opens, for how long, and what closes it again.
///
/// ```swift
/// var policy = CircuitBreakerPolicy()
/// policy.consecutiveFailures = 5                        // for a client that sends little
/// policy.slowCalls = .init(over: .seconds(2), rate: 0.5)
/// ```
///
/// Numbers out of range count as the nearest that makes sense.
public struct CircuitBreakerPolicy: Sendable {
    /// Over which calls the rates are counted.
    public enum Window: Sendable, Hashable {
        /// The calls that ended in the time before, in ten steps: at least a millisecond.
        case time(Duration)
        /// The last calls, up to 100,000.
        case calls(Int)
    }

    /// A rule that says when slowness opens a circuit.
    public struct SlowCalls: Sendable, Hashable {
        /// From when on a call is slow: the time until the head of its response, or its error.
        public var threshold: Duration
        /// The share of slow calls that opens the circuit, from 0 to 1.
        public var rate: Double

        /// Makes a rule.
        ///
        /// - Parameters:
        ///   - threshold: From when on a call is slow.
        ///   - rate: Which share of slow calls opens the circuit, from 0 to 1; a half by default.
        public init(over threshold: Duration, rate: Double = 0.5) {
            self.threshold = threshold
            self.rate = rate
        }
    }

    /// Over which calls the rates are counted; those of the last 30 seconds by default.
    public var window = Window.time(.seconds(30))
    /// The number of calls that a rate needs to mean something; 100 by default.
    public var minimumCalls = 100
    /// The share of failures that opens the circuit, from 0 to 1, or `nil` for none; 0.1 by default.
    public var failureRate: Double? = 0.1
    /// The number of failures in a row that open the circuit, however few calls there are; `nil`, the default, for no
    /// number.
    public var consecutiveFailures: Int?
    /// The rule that says when slowness opens the circuit; by default it does not.
    public var slowCalls: SlowCalls?
    /// The time for which the circuit stays open.
    public var openTime = CircuitOpenTime()
    /// The number of probes that may be in flight at once when that time is over, and must succeed to close the
    /// circuit; 1 by default, at most 1,000.
    public var probes = 1
    /// The time that a probe may go without a result before it counts as a failure; 30 seconds by default.
    public var probeTimeout = Duration.seconds(30)
    /// For how long a `Retry-After` may open the circuit; 5 minutes by default, zero to disregard it.
    public var retryAfterLimit = Duration.seconds(300)
    /// The statuses that are failures; 5xx by default.
    public var failureStatuses = StatusSet.serverError
    /// Decides before the policy's own rules do.
    public var verdict: (@Sendable (CircuitCandidate) -> CircuitVerdict)?

    /// Makes the policy with the defaults: 10 % of failures among at least 100 calls in 30 seconds.
    public init() {}

    /// A policy that opens after failures in a row alone: for a client that sends little.
    ///
    /// - Parameter count: How many.
    public static func consecutive(failures count: Int) -> CircuitBreakerPolicy {
        var policy = CircuitBreakerPolicy()
        policy.failureRate = nil
        policy.consecutiveFailures = count
        return policy
    }
}

/// The time for which a circuit stays open: longer each time that the probes fail, and by chance, so that clients do
/// not come back together.
public struct CircuitOpenTime: Sendable, Hashable {
    /// The first time.
    public var base: Duration
    /// The longest time, before jitter is applied.
    public var cap: Duration
    /// By which share of it chance shortens or lengthens a time, from 0 to 1.
    public var jitter: Double

    /// Makes the times.
    ///
    /// - Parameters:
    ///   - base: The first time, which doubles with each failed probe; 5 seconds by default.
    ///   - cap: What no time is longer than, before chance; a minute by default.
    ///   - jitter: By which share of it chance shortens or lengthens a time; 0.2 by default.
    public init(base: Duration = .seconds(5), cap: Duration = .seconds(60), jitter: Double = 0.2) {
        self.base = base
        self.cap = cap
        self.jitter = jitter
    }

    /// The time of an opening.
    ///
    /// - Parameters:
    ///   - opening: Which opening in a row it is; 1 is the first.
    ///   - random: Where chance comes from.
    package func duration(ofOpening opening: Int, random: some RandomSource) -> Duration {
        let jitter = jitter.isFinite ? min(1, max(0, jitter)) : 0
        return Backoff(base: base, cap: cap)
            .wait(beforeRetry: opening, times: (1 - jitter)...(1 + jitter), random: random)
    }
}

/// A call that ended, for a policy's closure to judge.
public struct CircuitCandidate: Sendable {
    /// A result of a call.
    public enum Outcome: Sendable {
        /// The head of the response.
        case response(HTTPResponse)
        /// The error, of the call or of its body.
        case failure(any Error)
    }

    /// The head of the request as it came to the stage.
    public let request: HTTPRequest
    /// The result of the call.
    public let outcome: Outcome
}

/// A judgement of a policy's closure on what a call says about the server.
public enum CircuitVerdict: Sendable, Hashable {
    /// As the rest of the policy says.
    case standard
    /// The server is well.
    case success
    /// The server fails.
    case failure
    /// Nothing.
    case neither
}
