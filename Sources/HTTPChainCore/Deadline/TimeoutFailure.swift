/// A time limit of a call, named by what it limits.
public struct TimeoutScope: Sendable, Hashable, CustomStringConvertible {
    /// The name, as in "call".
    package let name: String

    private init(_ name: String) {
        self.name = name
    }

    /// The whole call, including retries, redirects, waits and the response's body.
    public static let call = TimeoutScope("call")
    /// One attempt to get a response.
    public static let attempt = TimeoutScope("attempt")
    /// Connecting to the server.
    public static let connect = TimeoutScope("connect")
    /// The wait until the network accepts the next part of the request's body.
    public static let write = TimeoutScope("write")
    /// The wait for the response's head, once the request has been sent.
    public static let response = TimeoutScope("response")
    /// The wait for the next part of the response's body.
    public static let read = TimeoutScope("read")

    /// The name.
    public var description: String { name }
}

/// An error thrown when a time limit is exceeded.
///
/// It lets stages recognize timeouts without knowing which stage set the limit.
///
/// After a timeout of the scope ``TimeoutScope/call`` there is no time left. After one of another scope, another
/// attempt may be made if ``sent`` says that retrying is safe.
package protocol TimeoutFailure: HTTPChainError {
    /// The exceeded limit.
    var scope: TimeoutScope { get }

    /// Whether the server may have seen the request; defaults to ``TransportError/Sent/maybe``.
    var sent: TransportError.Sent { get }
}

extension TimeoutFailure {
    /// The default value: the server may have seen the request.
    package var sent: TransportError.Sent { .maybe }
}
