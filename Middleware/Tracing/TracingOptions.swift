#if Tracing
public import HTTPChainCore
public import Instrumentation

/// The tracing settings of one call; ``HTTPChainCore/Request/tracing(_:)`` is the short way to it.
public enum CallTracingOption: RequestOption {
    /// As the stage is set.
    public static var defaultValue: CallTracing { .on }
}

/// The tracing settings of one call.
public struct CallTracing: Sendable {
    /// Whether spans are made of the call's attempts, and its trace is passed on.
    public var isOn: Bool
    /// The context that the spans are children of; `nil` for that of the task.
    public var context: InstrumentationContext?

    /// As the stage is set.
    public static let on = CallTracing(isOn: true, context: nil)

    /// Not at all: no span, and no field for the server.
    public static let off = CallTracing(isOn: false, context: nil)

    /// As a child of a context, for a call whose task does not carry it.
    public static func child(of context: InstrumentationContext) -> CallTracing {
        CallTracing(isOn: true, context: context)
    }
}

extension Request {
    /// The request, traced in another way than others.
    ///
    /// ```swift
    /// let response = try await chain.send(.get("https://api.example.com/health").tracing(.off))
    /// ```
    public consuming func tracing(_ tracing: CallTracing) -> Request {
        options[CallTracingOption.self] = tracing
        return self
    }
}
#endif
