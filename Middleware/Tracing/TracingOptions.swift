#if Tracing
public import HTTPChainCore
public import Instrumentation

/// The tracing settings of a single call, set by ``HTTPChainCore/Request/tracing(_:childOf:)``.
package enum TracingOption: RequestOption {
    /// The stage's own settings.
    package static var defaultValue: CallTracing { CallTracing(isOn: true) }
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(".tracing(_:childOf:)", reader: "TracingMiddleware()", phase: .wire)
    }
    /// Returns whether a chain without the stage may ignore the value.
    package static func isHarmless(_ value: Value) -> Bool {
        !value.isOn
    }
    /// Always `false`: the option only affects traces.
    package static var affectsResponse: Bool { false }
}

/// The tracing settings of a single call.
package struct CallTracing: Sendable {
    /// Whether the call's attempts have spans, and its trace is passed on.
    package var isOn: Bool
    /// The parent context of the spans, or `nil` for the task's.
    package var context: InstrumentationContext?
}

extension Request {
    /// Returns the request with tracing enabled or disabled.
    ///
    /// If it is disabled, the request has no span, and no trace context is sent.
    ///
    /// ```swift
    /// let response = try await chain.send(.get("https://api.example.com/health").tracing(false))
    /// ```
    ///
    /// - Parameters:
    ///   - isOn: Whether the call is traced; `true` by default.
    ///   - context: The parent of the spans, for a call whose task doesn't have it; the task's by default.
    public consuming func tracing(_ isOn: Bool = true, childOf context: InstrumentationContext? = nil) -> Request {
        options[TracingOption.self] = CallTracing(isOn: isOn, context: context)
        return self
    }
}
#endif
