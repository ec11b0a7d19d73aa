public import HTTPChainCore

/// The handlers of one call, instead of those of ``ErrorHandlerMiddleware``; if it is off, none.
package enum CallErrorHandlers: RequestOption {
    /// The stage's own handlers.
    package static var defaultValue: CallSetting<[ErrorHandler]> { .standard }
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(".handlingErrors(_:)", reader: "ErrorHandlerMiddleware()", phase: .failure)
    }
    /// Returns whether a chain without the stage may ignore the value.
    package static func isHarmless(_ value: Value) -> Bool {
        if case .standard = value { true } else { false }
    }
}

/// The handlers of one call that are called before all others.
package enum AdditionalErrorHandlers: RequestOption {
    /// No handlers.
    package static var defaultValue: [ErrorHandler] { [] }
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage { CallErrorHandlers.usage }
    /// Returns whether a chain without the stage may ignore the value.
    package static func isHarmless(_ value: Value) -> Bool { value.isEmpty }
}

extension Request {
    /// Returns the request with handlers that are called before the stage's.
    ///
    /// ```swift
    /// let plants = try await chain.send(.get("plants").handlingErrors(.fallback([Plant](), for: [404])), as: [Plant].self)
    /// ```
    public consuming func handlingErrors(_ handlers: ErrorHandler...) -> Request {
        options[AdditionalErrorHandlers.self] = handlers + options[AdditionalErrorHandlers.self]
        return self
    }

    /// Returns the request with only these handlers; with none, errors are rethrown unchanged.
    public consuming func handlingErrorsOnly(_ handlers: ErrorHandler...) -> Request {
        options[CallErrorHandlers.self] = .value(handlers)
        options.remove(AdditionalErrorHandlers.self)
        return self
    }
}
