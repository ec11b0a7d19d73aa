public import HTTPChainCore

/// A cookie of one call cannot be sent as it is.
public struct CookieError: HTTPChainError, Hashable {
    /// The cookie's name.
    public let name: String

    /// Always "CookieMiddleware".
    public var stage: String { "CookieMiddleware" }

    /// The sentence that names the cookie and what is wrong with it.
    public var reason: String {
        "the cookie \(name.debugDescription.printable()) of this call cannot be sent: its name or value has a "
            + "semicolon, a control character or, in the name, an equals sign, or both are empty"
    }

    /// To encode it.
    public var recoverySuggestion: String? { "encode name and value first, for example as Base64url" }
}
