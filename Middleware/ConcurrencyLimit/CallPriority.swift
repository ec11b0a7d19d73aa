public import HTTPChainCore

/// The priority of a call beside others; ``HTTPChainCore/Request/priority(_:)`` is the short way to it.
public enum CallPriority: Int, Sendable, Hashable, Comparable, CaseIterable, RequestOption {
    /// Nobody waits for it: prefetching, synchronization.
    case background
    /// It can be done later, such as statistics.
    case low
    /// Somebody waits.
    case normal
    /// It must not fail for lack of room: a payment, a health check.
    case critical

    /// Normal.
    public static var defaultValue: CallPriority { .normal }

    /// Orders by importance.
    public static func < (lhs: CallPriority, rhs: CallPriority) -> Bool { lhs.rawValue < rhs.rawValue }

    /// The share of the queue that calls of this priority and those below may fill.
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
    /// The request with a priority: where calls wait, the more important go first, and the less important are refused
    /// first.
    public consuming func priority(_ priority: CallPriority) -> Request {
        options[CallPriority.self] = priority
        return self
    }
}
