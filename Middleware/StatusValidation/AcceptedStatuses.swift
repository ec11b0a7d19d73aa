public import HTTPChainCore

/// The statuses that a single call accepts, instead of those of ``StatusValidationMiddleware``; if it is off, all.
package enum AcceptedStatuses: RequestOption {
    package typealias Value = CallSetting<StatusSet>
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(".acceptingOnly(_:)", reader: "StatusValidationMiddleware()", phase: .validate)
    }
}

/// The statuses that a single call accepts in addition.
package enum AdditionalStatuses: RequestOption, RequestNote {
    /// No statuses.
    package static var defaultValue: StatusSet { [] }
}

extension Request {
    /// Returns the request with additional accepted statuses.
    ///
    /// ```swift
    /// let response = try await chain.send(.get("users/42").alsoAccepting([404]))
    /// ```
    public consuming func alsoAccepting(_ statuses: StatusSet) -> Request {
        options[AdditionalStatuses.self] = options[AdditionalStatuses.self].union(statuses)
        return self
    }

    /// Returns the request with only these statuses accepted.
    public consuming func acceptingOnly(_ statuses: StatusSet) -> Request {
        options[AcceptedStatuses.self] = .value(statuses)
        options.remove(AdditionalStatuses.self)
        return self
    }
}
