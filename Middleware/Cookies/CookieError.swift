public import HTTPChainCore

/// Thrown if a cookie of a call can't be sent.
public struct CookieError: ExplainedError, Hashable {
    /// The cookie's name.
    public let name: String

    /// Always "CookieMiddleware".
    public var stage: String { "CookieMiddleware" }

    package var explanation: Explanation {
        Explanation(
            "the cookie \(name.debugDescription.printable()) of this call cannot be sent: its name or value has a "
                + "semicolon, a control character or, in the name, an equals sign, or both are empty",
            "encode name and value first, for example as Base64url"
        )
    }
}
