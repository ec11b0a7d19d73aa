/// Which of its deadlines a call missed.
public enum TimeoutScope: String, Sendable, Hashable, CaseIterable {
    /// That of the whole call: retries, redirects, waits and the response's body included.
    case call
    /// That of one attempt to get a response.
    case attempt
    /// That between one sign of life from the server and the next.
    case idle
}

/// An error that says that time ran out, and whose time: the way for a stage to tell without knowing who kept it.
///
/// After ``TimeoutScope/call`` there is no time for anything more. After ``TimeoutScope/attempt`` and
/// ``TimeoutScope/idle`` another attempt may be made where sending again is safe: the server may have seen the
/// request, as with ``TransportError/Sent/maybe``.
public protocol TimeoutFailure: HTTPChainError {
    /// Which deadline ran out.
    var scope: TimeoutScope { get }
}
