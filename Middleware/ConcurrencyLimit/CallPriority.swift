public import HTTPChainCore

/// The priority of a call relative to others; see also ``HTTPChainCore/Request/priority(_:)``.
public enum CallPriority: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// A call that nobody waits for, such as prefetching or synchronization.
    case background
    /// A call that can be delayed, such as statistics.
    case low
    /// A call that somebody waits for.
    case normal
    /// A call that must not fail for lack of capacity, such as a payment or a health check.
    case critical

    /// Compares the importance.
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

/// The priority of one call.
package enum PriorityOption: RequestOption {
    package static var defaultValue: CallPriority { .normal }

    package static var usage: OptionUsage {
        OptionUsage(".priority(_:)", reader: "ConcurrencyLimitMiddleware(…)", phase: .concurrencyLimit)
    }

    package static func isHarmless(_ value: Value) -> Bool { value == .normal }
}

extension Request {
    /// Returns the request with a priority.
    ///
    /// Waiting calls with higher priorities are sent first, and those with lower ones are refused first.
    public consuming func priority(_ priority: CallPriority) -> Request {
        options[PriorityOption.self] = priority
        return self
    }
}
