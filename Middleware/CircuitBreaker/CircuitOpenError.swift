public import HTTPChainCore

/// An error thrown if a call is refused because its circuit is open; nothing was sent.
public struct CircuitOpenError: RefusalError, AnnotatedError, ExplainedError {
    /// The reason why a circuit refuses calls.
    package enum Reason: Sendable, Hashable {
        /// Too many calls failed or were slow.
        case failures
        /// The server asked for a pause, with `Retry-After`.
        case serverAsked
        /// The circuit is being probed, and doesn't admit further probes.
        case probing
        /// The circuit was opened manually.
        case opened
        /// The circuit was opened manually, until it is closed manually.
        case isolated

        init(_ cause: CircuitChange.Cause) {
            switch cause {
            case .retryAfter: self = .serverAsked
            case .manual: self = .opened
            default: self = .failures
            }
        }
    }

    /// The key of the circuit: the origin, unless another group was chosen.
    public let key: String
    /// The reason why the circuit refuses calls.
    package let cause: Reason
    /// The time until the next probe is admitted.
    ///
    /// `nil` if that depends on a probe in flight, or on the circuit being closed manually.
    public let retryAfter: Duration?
    /// The redacted request.
    package let failedExchange: ExchangeSnapshot?
    /// The notes that stages added.
    package var notes = ErrorNotes()

    /// Always "CircuitBreakerMiddleware".
    package var failedStage: String { "CircuitBreakerMiddleware" }

    package var explanation: Explanation {
        let name = key.isEmpty ? "the circuit" : "the circuit of \(key)"
        let state =
            switch cause {
            case .failures: "is open because too many calls failed or were slow"
            case .serverAsked: "is open because the server asked for a pause"
            case .probing: "is half-open, and its probes have no result yet"
            case .opened: "was opened by hand"
            case .isolated: "was opened by hand"
            }
        let advice = retryAfter.map { "try again in \($0.label)" }
        let fallback = cause == .isolated ? "close it with close(_:)" : "try again when the probe has ended"
        return Explanation("\(name) \(state), and nothing was sent; \(advice ?? fallback)")
    }
}
