public import HTTPChainCore
import HTTPChainSupport
public import HTTPTypes

/// A policy that says when another attempt is made beside one that has no answer yet, and how many.
///
/// ```swift
/// HedgingPolicy(after: .quantile(0.95))                         // what 95 % of the calls take
/// HedgingPolicy(after: .fixed(.milliseconds(200)), attempts: 3)
/// ```
public struct HedgingPolicy: Sendable {
    /// The time that an attempt has before another one is made.
    public enum Delay: Sendable, Hashable, CustomStringConvertible {
        /// Always so long.
        case fixed(Duration)
        /// The time in which this share of the latest calls was answered, from 0.5 to 0.999, no shorter than `minimum`;
        /// with no hedging before 20 calls were seen.
        case quantile(Double, minimum: Duration = .milliseconds(1))

        /// The delay in a few words.
        public var description: String {
            switch self {
            case .fixed(let time): "\(time)"
            case .quantile(let share, _): "the time of \(share) of the calls"
            }
        }
    }

    /// The time that an attempt has before another one is made.
    public var delay: Delay
    /// The number of attempts that are made at most, the first included; at most 10.
    public var attempts: Int
    /// Statuses after which another attempt is made at once, and whose response is a result only when no attempt has a
    /// better one.
    public var nonFatalStatuses: StatusSet
    /// The kinds of ``/HTTPChainCore/TransportError`` after which another attempt is made at once.
    public var nonFatalErrors: Set<TransportError.Kind>
    /// The methods whose requests are hedged.
    public var methods: Set<HTTPRequest.Method>
    /// The origins that attempts go to: the first to the request's own origin, each further one to the next of these in
    /// turn, such as "https://replica.example.com"; empty for the request's own.
    ///
    /// Each is a scheme and a host, with a port if it is not the scheme's own. A chain is not built with any other text.
    /// An attempt that goes to another origin than the request's has none of the fields that a redirect removes:
    /// credentials (`Authorization`, `Cookie`, `X-Api-Key`, …) and `Host`. Stages inside this one may add those of its
    /// origin.
    public var origins: [String]

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - delay: How long an attempt has before another one is made; what 95 % of the calls take by default.
    ///   - attempts: How many attempts are made at most, the first included; 2 by default.
    ///   - origins: Where further attempts go; the request's own origin by default.
    public init(after delay: Delay = .quantile(0.95), attempts: Int = 2, origins: [String] = []) {
        self.delay = delay
        self.attempts = attempts
        self.origins = origins
        nonFatalStatuses = [500, 502, 503, 504]
        nonFatalErrors = [.hostNotFound, .cannotConnect, .connectionLost, .timedOut]
        methods = [.get, .head, .options]
    }

    /// The origin that a text names; `nil` for a text that is not an origin, or is more than one.
    static func origin(_ text: String) -> Origin? {
        let reference = URLReference(text)
        guard reference.path.isEmpty || reference.path == "/", reference.fragment == nil,
            reference.authority?.utf8.contains(UInt8(ascii: "@")) == false
        else { return nil }
        return Origin(scheme: reference.scheme, authority: reference.authority)
    }

    /// The text among ``origins`` that is not an origin; `nil` if all are.
    var invalidOrigin: String? { origins.first { Self.origin($0) == nil } }
}

/// The hedging policy of one call, in place of that of ``HedgingMiddleware``.
public enum CallHedging: RequestOption {
    /// The stage's.
    public static var defaultValue: HedgingPolicy? { nil }
}

extension Request {
    /// The request with a hedging policy of its own; `HedgingPolicy(attempts: 1)` for none.
    public consuming func hedging(_ policy: HedgingPolicy) -> Request {
        options[CallHedging.self] = policy
        return self
    }
}
