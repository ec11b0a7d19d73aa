public import HTTPChainCore

/// The handlers of one call, beside or in place of those of ``ErrorHandlerMiddleware``.
public enum CallErrorHandlers: RequestOption {
    /// A rule of one call.
    public enum Rule: Sendable {
        /// These, asked before the stage's own.
        case adding([ErrorHandler])
        /// These alone; with none, errors go on as they come.
        case replacing([ErrorHandler])
    }

    /// The stage's own.
    public static var defaultValue: Rule { .adding([]) }
}

extension Request {
    /// The request with handlers that are asked before those of the stage.
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

    /// The request with these handlers and no others; with none, errors go on as they come.
    public consuming func handlingErrorsOnly(_ handlers: ErrorHandler...) -> Request {
        options[CallErrorHandlers.self] = .replacing(handlers)
        return self
    }
}
