public import HTTPChainCore

/// The handlers of one call, in addition to or instead of those of ``ErrorHandlerMiddleware``.
public enum CallErrorHandlers: RequestOption {
    /// The rule of one call.
    public enum Rule: Sendable {
        /// These handlers, called before the stage's own.
        case adding([ErrorHandler])
        /// Only these handlers; with none, errors are rethrown unchanged.
        case replacing([ErrorHandler])
    }

    /// The stage's own handlers.
    public static var defaultValue: Rule { .adding([]) }
    /// The method that sets the option, and the stage that reads it.
    public static var usage: OptionUsage {
        OptionUsage(".handlingErrors(_:)", reader: "ErrorHandlerMiddleware()", phase: .failure)
    }
    /// Whether the value asks for nothing.
    public static func isHarmless(_ value: Value) -> Bool {
        if case .adding(let handlers) = value { handlers.isEmpty } else { false }
    }
}

extension Request {
    /// Returns the request with handlers that are called before the stage's.
    ///
    /// ```swift
    /// let plants = try await chain.send(.get("plants").handlingErrors(.fallback([Plant](), for: [404])), as: [Plant].self)
    /// ```
    public consuming func handlingErrors(_ handlers: ErrorHandler...) -> Request {
        switch options[CallErrorHandlers.self] {
        case .adding(let others): options[CallErrorHandlers.self] = .adding(handlers + others)
        case .replacing(let others): options[CallErrorHandlers.self] = .replacing(handlers + others)
        }
        return self
    }

    /// Returns the request with only these handlers; with none, errors are rethrown unchanged.
    public consuming func handlingErrorsOnly(_ handlers: ErrorHandler...) -> Request {
        options[CallErrorHandlers.self] = .replacing(handlers)
        return self
    }
}
