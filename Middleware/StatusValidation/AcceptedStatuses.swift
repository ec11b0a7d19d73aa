public import HTTPChainCore

/// The statuses that a single call accepts, in addition to or instead of those of ``StatusValidationMiddleware``.
public enum AcceptedStatuses: RequestOption {
    /// The rule of one call.
    public enum Rule: Sendable, Hashable {
        /// The stage's statuses and these.
        case adding(StatusSet)
        /// Only these.
        case replacing(StatusSet)
    }

    /// The stage's statuses.
    public static var defaultValue: Rule { .adding(StatusSet()) }
    /// The method that sets the option, and the stage that reads it.
    public static var usage: OptionUsage {
        OptionUsage(".acceptingOnly(_:)", reader: "StatusValidationMiddleware()", phase: .validate)
    }
    /// Whether the value asks for nothing.
    public static func isHarmless(_ value: Value) -> Bool {
        if case .adding = value { true } else { false }
    }
}

extension Request {
    /// Returns the request with additional accepted statuses.
    ///
    /// ```swift
    /// let response = try await chain.send(.get("users/42").alsoAccepting([404]))
    /// ```
    public consuming func alsoAccepting(_ statuses: StatusSet) -> Request {
        switch options[AcceptedStatuses.self] {
        case .adding(let others): options[AcceptedStatuses.self] = .adding(others.union(statuses))
        case .replacing(let others): options[AcceptedStatuses.self] = .replacing(others.union(statuses))
        }
        return self
    }

    /// Returns the request with only these statuses accepted.
    public consuming func acceptingOnly(_ statuses: StatusSet) -> Request {
        options[AcceptedStatuses.self] = .replacing(statuses)
        return self
    }
}
