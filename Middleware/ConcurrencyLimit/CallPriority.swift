public import HTTPChainCore

/// The priority of a call relative to others; see also ``HTTPChainCore/Request/priority(_:)``.
public enum CallPriority: Int, Sendable, Hashable, Comparable, CaseIterable, RequestOption {
    /// A call that nobody waits for, such as prefetching or synchronization.
    case background
    /// A call that can be delayed, such as statistics.
    case low
    /// A call that somebody waits for.
    case normal
    /// A call that must not fail for lack of capacity, such as a payment or a health check.
    case critical

    /// ``normal``.
    public static var defaultValue: CallPriority { .normal }
    /// The method that sets the option, and the stage that reads it.
    public static var usage: OptionUsage {
        OptionUsage(".priority(_:)", reader: "ConcurrencyLimitMiddleware(…)", phase: .concurrencyLimit)
    }
    /// Returns whether a chain without the stage may ignore the value.
    public static func isHarmless(_ value: Value) -> Bool {
        value == .normal
    }

    /// Orders by importance.
    public static func < (lhs: CallPriority, rhs: CallPriority) -> Bool { lhs.rawValue < rhs.rawValue }

    /// The share of the queue that calls of this and lower priorities may fill.
    package var queueShare: Double {
        switch self {
        case .background: 0.25
        case .low: 0.5
        case .normal: 0.9
        case .critical: 1
        }
    }
}

extension Request {
    /// Returns the request with a priority.
    ///
    /// Waiting calls with higher priorities are sent first, and those with lower ones are refused first.
    public consuming func priority(_ priority: CallPriority) -> Request {
        options[CallPriority.self] = priority
        return self
    }
}
