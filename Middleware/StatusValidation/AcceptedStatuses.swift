public import HTTPChainCore

/// The statuses that a single call accepts, used instead of those of ``StatusValidationMiddleware``.
///
/// If validation is off, all are accepted.
package enum StatusesOption: RequestOption {
    package typealias Value = CallSetting<StatusSet>
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(".statuses(only:)", reader: "StatusValidationMiddleware()", phase: .validate)
    }
}

/// The additional statuses that a single call accepts.
package enum AdditionalStatusesNote: RequestOption, RequestNote {
    /// No statuses.
    package static var defaultValue: StatusSet { [] }
}

extension Request {
    /// Returns the request with additional accepted statuses.
    ///
    /// ```swift
    /// let response = try await chain.send(.get("users/42").statuses(adding: [404]))
    /// ```
    public consuming func statuses(adding statuses: StatusSet) -> Request {
        options[AdditionalStatusesNote.self] = options[AdditionalStatusesNote.self].union(statuses)
        return self
    }

    /// Returns the request with only these statuses accepted.
    public consuming func statuses(only statuses: StatusSet) -> Request {
        options[StatusesOption.self] = .value(statuses)
        options.remove(AdditionalStatusesNote.self)
        return self
    }
}
