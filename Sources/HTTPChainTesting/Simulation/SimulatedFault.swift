/// A fault of a network or a server with one request.
enum SimulatedFault: String, Sendable, CaseIterable {
    /// No connection could be made.
    case refused
    /// A reused connection was dead, and it's unknown whether the request arrived; it did not.
    case staleConnection
    /// The connection ended after the server had acted.
    case lostAfterActing
    /// The connection ends within the head of the response; the server has acted.
    case cutHead
    /// The connection ends within the content.
    case cut
    /// The content is truncated, which its coding shows but its framing doesn't.
    case truncatedCoding
    /// The head arrives after minutes.
    case slowHead
    /// The content stalls for minutes.
    case slowContent
    /// The server is unavailable for some seconds.
    case unavailable
    /// There were too many requests.
    case tooManyRequests
    /// A gateway timed out waiting for a server that acted.
    case gatewayTimeout
    /// A proxy resends an idempotent request on its own.
    case duplicate
    /// The user's token and the nonces are revoked just before the request arrives.
    case revokedToken
    /// A proxy requests authentication, though no proxy was configured.
    case proxyChallenge
}
