public import HTTPChainCore
public import HTTPTypes

/// The changes to the header fields of one call, applied after the shared ones of ``HeadersMiddleware``.
///
/// If a chain has several ``HeadersMiddleware``, the outermost one applies the changes, and the inner ones don't change
/// these fields.
package enum HeadersOption: RequestOption {
    /// No changes.
    package static var defaultValue: [HeaderOperation] { [] }
    /// The values may be secrets.
    package static var isCredential: Bool { true }
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(".headers(_:)", reader: "HeadersMiddleware()", phase: .build)
    }
    /// Returns whether a chain without the stage may ignore the value.
    package static func isHarmless(_ value: Value) -> Bool {
        value.isEmpty
    }
}

extension Request {
    /// Returns the request with additional changes to its header fields, applied by ``HeadersMiddleware``.
    ///
    /// ```swift
    /// try await chain.send(.get("users/42").headers(.set(.acceptLanguage, to: "de"), .remove("X-Beta")))
    /// ```
    public consuming func headers(_ operations: HeaderOperation...) -> Request {
        options[HeadersOption.self] += operations
        noteOwnTemplates()
        return self
    }

    /// Unavailable: use operations to set a call's fields.
    @available(*, unavailable, message: "write .headers(.set(\"X-Name\", to: \"value\"))")
    public consuming func headers(_ fields: KeyValuePairs<String, String>) -> Request { self }

    /// Unavailable: use operations to set a call's fields.
    @available(*, unavailable, message: "write .headers(.set(.accept, to: \"value\"))")
    public consuming func headers(_ fields: HTTPFields) -> Request { self }

    /// Records whether the call's own operations have a template.
    mutating func noteOwnTemplates() {
        guard options.contains(HeaderParametersOption.self) else { return }
        options[HeaderParametersOption.self].haveOwnTemplate =
            options[HeadersOption.self].contains(where: \.readsParameters)
    }
}

/// Whether an outer stage has applied the call's operations.
enum HeadersDoneNote: RequestNote {
    static var defaultValue: Bool { false }
}
