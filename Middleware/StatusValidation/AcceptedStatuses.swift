public import HTTPChainCore

/// The statuses that one call accepts, beside or in place of those that ``StatusValidationMiddleware`` accepts.
public enum AcceptedStatuses: RequestOption {
    /// A rule of one call.
    public enum Rule: Sendable, Hashable {
        /// The statuses that the stage accepts, and these.
        case adding(StatusSet)
        /// These alone.
        case replacing(StatusSet)
    }

    /// The statuses that the stage accepts.
    public static var defaultValue: Rule { .adding(StatusSet()) }
}

extension Request {
    /// The request with more statuses accepted than for other calls.
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

    /// The request with these statuses accepted and no others.
    public consuming func acceptingOnly(_ statuses: StatusSet) -> Request {
        options[AcceptedStatuses.self] = .replacing(statuses)
        return self
    }
}
