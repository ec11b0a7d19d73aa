public import HTTPChainCore

/// The changes that one call makes to its header fields, after those that ``HeadersMiddleware`` makes for all.
///
/// Where a chain has several ``HeadersMiddleware``, the outermost carries these out, and those further in leave the
/// fields alone that are named here.
public enum CallHeaders: RequestOption {
    /// Nothing but what is done for all calls.
    public static var defaultValue: [HeaderOperation] { [] }
    /// The values may be secrets.
    public static var isCredential: Bool { true }
}

extension Request {
    /// The request with more to do to its header fields when it passes ``HeadersMiddleware``.
    ///
    /// ```swift
    /// try await chain.send(.get("users/42").headers(.set(.acceptLanguage, to: "de"), .remove("X-Beta")))
    /// ```
    public consuming func headers(_ operations: HeaderOperation...) -> Request {
        options[CallHeaders.self] += operations
        return self
    }
}

/// Set once an outer stage has carried out the call's operations.
enum CallHeadersAreDone: RequestOption {
    static var defaultValue: Bool { false }
}
