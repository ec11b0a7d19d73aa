public import HTTPChainCore

/// The handlers of one call, used instead of those of ``ErrorHandlerMiddleware``; none if error handling is off.
package enum ErrorHandlersOption: RequestOption {
    /// The stage's own handlers.
    package static var defaultValue: CallSetting<[ErrorHandler]> { .standard }
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(".errorHandlers(_:)", reader: "ErrorHandlerMiddleware()", phase: .failure)
    }
    /// Returns whether a chain without the stage may ignore the value.
    package static func isHarmless(_ value: Value) -> Bool {
        if case .standard = value { true } else { false }
    }
}

/// The handlers of one call that run before all others.
package enum AdditionalErrorHandlersOption: RequestOption {
    /// No handlers.
    package static var defaultValue: [ErrorHandler] { [] }
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage { ErrorHandlersOption.usage }
    /// Returns whether a chain without the stage may ignore the value.
    package static func isHarmless(_ value: Value) -> Bool { value.isEmpty }
}

extension Request {
    /// Returns the request with handlers that run before the stage's own.
    ///
    /// ```swift
    /// let request = Request.get("plants").errorHandlers(.fallback([Plant](), for: [404]))
    /// let plants = try await chain.send(request, as: [Plant].self)
    /// ```
    public consuming func errorHandlers(_ handlers: ErrorHandler...) -> Request {
        options[AdditionalErrorHandlersOption.self] = handlers + options[AdditionalErrorHandlersOption.self]
        return self
    }

    /// Returns the request with only these handlers.
    ///
    /// If the list is empty, errors are rethrown unchanged.
    public consuming func errorHandlers(only handlers: [ErrorHandler]) -> Request {
        options[ErrorHandlersOption.self] = .value(handlers)
        options.remove(AdditionalErrorHandlersOption.self)
        return self
    }
}
