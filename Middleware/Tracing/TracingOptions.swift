#if Tracing
public import HTTPChainCore
public import Instrumentation

/// The tracing settings of a single call; see also ``HTTPChainCore/Request/tracing(_:)``.
package enum CallTracingOption: RequestOption {
    /// The stage's own settings.
    package static var defaultValue: CallTracing { .on }
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(".tracing(_:)", reader: "TracingMiddleware()", phase: .wire)
    }
    /// Returns whether a chain without the stage may ignore the value.
    package static func isHarmless(_ value: Value) -> Bool {
        !value.isOn
    }
    /// Always `false`: it only affects traces.
    package static var affectsResponse: Bool { false }
}

/// The tracing settings of a single call.
public struct CallTracing: Sendable {
    /// Whether the call's attempts get spans and its trace is passed on.
    package var isOn: Bool
    /// The parent context of the spans; `nil` for the task's.
    package var context: InstrumentationContext?

    /// The stage's own settings.
    public static let on = CallTracing(isOn: true, context: nil)

    /// No spans, and no fields for the server.
    public static let off = CallTracing(isOn: false, context: nil)

    /// Uses a context as the parent, for a call whose task doesn't carry it.
    public static func child(of context: InstrumentationContext) -> CallTracing {
        CallTracing(isOn: true, context: context)
    }
}

extension Request {
    /// Returns the request with its own tracing settings.
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
