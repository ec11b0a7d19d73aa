public import HTTPChainCore

/// The changes to the header fields of one call, after the shared ones of ``HeadersMiddleware``.
///
/// If a chain has several ``HeadersMiddleware``, the outermost applies them, and the inner ones don't change these
/// fields.
public enum CallHeaders: RequestOption {
    /// No changes.
    public static var defaultValue: [HeaderOperation] { [] }
    /// The values may be secrets.
    public static var isCredential: Bool { true }
}

extension Request {
    /// Returns the request with additional changes to its header fields, applied by ``HeadersMiddleware``.
    ///
    /// ```swift
    /// try await chain.send(.get("users/42").headers(.set(.acceptLanguage, to: "de"), .remove("X-Beta")))
    /// ```
    public consuming func headers(_ operations: HeaderOperation...) -> Request {
        options[CallHeaders.self] += operations
        return self
    }
}

/// Whether an outer stage has applied the call's operations.
enum CallHeadersAreDone: RequestOption {
    static var defaultValue: Bool { false }
}
