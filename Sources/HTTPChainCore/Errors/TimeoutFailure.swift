/// The limit of a call that was missed.
public struct TimeoutScope: Sendable, Hashable, CustomStringConvertible {
    /// The name, as in "call".
    public let name: String

    private init(_ name: String) {
        self.name = name
    }

    /// The whole call: retries, redirects, waits and the response's body included.
    public static let call = TimeoutScope("call")
    /// One attempt to get a response.
    public static let attempt = TimeoutScope("attempt")
    /// Getting a connection to the server.
    public static let connect = TimeoutScope("connect")
    /// The wait until the network takes the next part of the request's body.
    public static let write = TimeoutScope("write")
    /// The wait for the response's head, once the request has been sent.
    public static let response = TimeoutScope("response")
    /// The wait for the next part of the response's body.
    public static let read = TimeoutScope("read")

    /// All scopes.
    public static let all: [TimeoutScope] = [.call, .attempt, .connect, .write, .response, .read]

    /// The name.
    public var description: String { name }
}

/// An error that says that time ran out, and whose time: the way for a stage to tell without knowing who kept it.
///
/// After ``TimeoutScope/call`` there is no time for anything more. After the others another attempt may be made where
/// sending again is safe, which ``sent`` tells.
public protocol TimeoutFailure: HTTPChainError {
    /// The limit that was missed.
    var scope: TimeoutScope { get }

    /// Whether the server may have seen the request; ``TransportError/Sent/maybe`` unless the error knows better.
    var sent: TransportError.Sent { get }
}

extension TimeoutFailure {
    /// The server may have seen the request.
    public var sent: TransportError.Sent { .maybe }
}
