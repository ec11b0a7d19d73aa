public import HTTPChainCore

/// The state of a circuit.
public enum CircuitState: Sendable, Hashable {
    /// Calls pass, and their results are counted.
    case closed
    /// Calls are refused until a point on the scale of `environment.time.elapsed`.
    case open(until: Duration)
    /// A few calls pass as probes, whose results determine the next state.
    case halfOpen
    /// Calls are refused until the circuit is closed manually.
    case isolated
}

extension CircuitState: CustomStringConvertible, DescribedValue {
    /// The name of the state.
    package var words: String {
        switch self {
        case .closed: "closed"
        case .open: "open"
        case .halfOpen: "half-open"
        case .isolated: "isolated"
        }
    }
}

/// A change of the state of a circuit.
public struct CircuitChange: Sendable, Hashable, CustomStringConvertible, DescribedValue {
    /// A reason why a circuit changed.
    package enum Cause: Sendable, Hashable {
        /// The share of failures reached the policy's limit.
        case failureRate(failures: Int, calls: Int)
        /// The share of slow calls reached the policy's limit.
        case slowCalls(slow: Int, calls: Int)
        /// The number of failures in a row reached the policy's limit.
        case consecutiveFailures(Int)
        /// The server asked for a pause with `Retry-After` (RFC 9110 §10.2.3).
        case retryAfter
        /// The open time has passed.
        case timePassed
        /// The required number of probes succeeded.
        case probesSucceeded
        /// A probe failed.
        case probeFailed
        /// A probe had no result in time.
        case probeTimedOut
        /// The circuit was changed manually.
        case manual
    }

    /// A change, without the key of its circuit.
    package struct Step: Sendable, Hashable {
        package let from: CircuitState
        package let to: CircuitState
        package let cause: Cause
    }

    /// The key of the circuit: the origin, unless another group was chosen.
    public let key: String
    /// The state before.
    public let from: CircuitState
    /// The state after.
    public let to: CircuitState
    /// The reason for the change.
    package let cause: Cause

    init(_ key: String, _ step: Step) {
        self.key = key
        from = step.from
        to = step.to
        cause = step.cause
    }

    /// The key, states and cause on one line.
    package var words: String { "\(key): \(from) to \(to), \(cause)" }
}

extension CircuitChange.Cause: CustomStringConvertible {
    /// The cause in words.
    package var description: String {
        switch self {
        case .failureRate(let failures, let calls): "\(failures) of \(calls) calls failed"
        case .slowCalls(let slow, let calls): "\(slow) of \(calls) calls were slow"
        case .consecutiveFailures(let count): "\(count) failures in a row"
        case .retryAfter: "the server asked for a pause"
        case .timePassed: "the open time is over"
        case .probesSucceeded: "the probes succeeded"
        case .probeFailed: "a probe failed"
        case .probeTimedOut: "a probe had no result in time"
        case .manual: "changed by hand"
        }
    }
}
