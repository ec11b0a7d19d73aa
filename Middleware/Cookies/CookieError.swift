public import HTTPChainCore

/// Thrown if a cookie of a call can't be sent.
public struct CookieError: HTTPChainError, Hashable {
    /// The cookie's name.
    public let name: String

    /// Always "CookieMiddleware".
    public var stage: String { "CookieMiddleware" }

    /// A description of the cookie and what is wrong with it.
    public var reason: String {
        "the cookie \(name.debugDescription.printable()) of this call cannot be sent: its name or value has a "
            + "semicolon, a control character or, in the name, an equals sign, or both are empty"
    }

    /// Advice to encode the cookie.
    public var recoverySuggestion: String? { "encode name and value first, for example as Base64url" }
}
