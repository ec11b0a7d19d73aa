public import HTTPChainCore
import HTTPChainSupport
public import HTTPTypes

/// The conditions for making additional attempts, and their maximum number.
///
/// ```swift
/// HedgingPolicy(after: .quantile(0.95))                         // what 95 % of the calls take
/// HedgingPolicy(after: .fixed(.milliseconds(200)), attempts: 3)
/// ```
public struct HedgingPolicy: Sendable, Hashable {
    /// The time after which another attempt is made.
    public enum Delay: CustomStringConvertible, DescribedValue, Sendable, Hashable {
        /// A fixed time.
        case fixed(Duration)
        /// The time within which this share (0.5 to 0.999) of the latest calls got a response, but at least `minimum`.
        ///
        /// For the first 20 calls, only failures lead to another attempt.
        case quantile(Double, minimum: Duration = .milliseconds(1))

        /// A short description of the delay.
        package var words: String {
            switch self {
            case .fixed(let time): "\(time)"
            case .quantile(let share, _): "the time of \(share) of the calls"
            }
        }
    }

    /// The time after which another attempt is made.
    package var delay: Delay
    /// The maximum number of attempts, including the first; at most 10.
    package var attempts: Int
    /// The statuses after which another attempt is made immediately.
    ///
    /// A response with such a status is the result only if no attempt has a better one.
    package var nonFatalStatuses: StatusSet
    /// The kinds of ``/HTTPChainCore/TransportError`` after which another attempt is made immediately.
    package var nonFatalErrors: Set<TransportError.Kind>
    /// The methods whose requests are hedged.
    package var methods: Set<HTTPRequest.Method>
    /// The origins for further attempts, used in turn, such as "https://replica.example.com".
    ///
    /// The first attempt goes to the request's own origin. If this is empty, all attempts do.
    ///
    /// Each is a scheme and a host, with a port if it isn't the default; `Chain.init` throws for any other text. An
    /// attempt to another origin has none of the fields that a redirect removes: credentials (`Authorization`,
    /// `Cookie`, `X-Api-Key`, …) and `Host`. Inner stages may add credentials for its origin.
    package var origins: [String]

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - delay: The time after which another attempt is made. By default, the time in which 95 % of the calls get a
    ///     response.
    ///   - attempts: The maximum number of attempts, including the first; 2 by default, and at most 10.
    ///   - origins: The origins for further attempts; the request's own by default.
    ///   - methods: The methods whose requests are hedged; GET, HEAD and OPTIONS by default.
    ///   - nonFatalStatuses: The statuses after which another attempt is made immediately; 500, 502, 503 and 504 by
    ///     default. A response with such a status is the result only if no attempt has a better one.
    ///   - nonFatalErrors: The kinds of ``/HTTPChainCore/TransportError`` after which another attempt is made
    ///     immediately; by default host not found, no connection, lost connection and timeout.
    public init(
        after delay: Delay = .quantile(0.95),
        attempts: Int = 2,
        origins: [String] = [],
        methods: Set<HTTPRequest.Method> = [.get, .head, .options],
        nonFatalStatuses: StatusSet = [500, 502, 503, 504],
        nonFatalErrors: Set<TransportError.Kind> = [.hostNotFound, .cannotConnect, .connectionLost, .timedOut]
    ) {
        self.delay = delay
        self.attempts = attempts
        self.origins = origins
        self.methods = methods
        self.nonFatalStatuses = nonFatalStatuses
        self.nonFatalErrors = nonFatalErrors
    }

    /// Parses an origin, or returns `nil` if the text isn't an origin, or contains more than that.
    static func origin(_ text: String) -> Origin? {
        let reference = URLReference(text)
        guard reference.path.isEmpty || reference.path == "/", reference.fragment == nil,
            reference.authority?.utf8.contains(UInt8(ascii: "@")) == false
        else { return nil }
        return Origin(scheme: reference.scheme, authority: reference.authority)
    }

    /// The first of ``origins`` that is invalid; `nil` if all are valid.
    var invalidOrigin: String? { origins.first { Self.origin($0) == nil } }
}

/// The hedging policy of a call, used instead of that of ``HedgingMiddleware``.
///
/// If it is off, the call isn't hedged.
package enum HedgingOption: RequestOption {
    package typealias Value = CallSetting<HedgingPolicy>
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(".hedging(_:)", reader: "HedgingMiddleware()", phase: .hedge)
    }
    /// Returns whether a chain without the stage may ignore the value.
    package static func isHarmless(_ value: Value) -> Bool {
        if case .value(let policy) = value { policy.attempts <= 1 } else { true }
    }
}

extension Request {
    /// Returns the request with its own hedging policy.
    ///
    /// With `HedgingPolicy(attempts: 1)`, it isn't hedged.
    public consuming func hedging(_ policy: HedgingPolicy) -> Request {
        options[HedgingOption.self] = .value(policy)
        return self
    }
}
