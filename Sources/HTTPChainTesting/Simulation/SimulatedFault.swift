/// A fault of the network or a server that affects one request.
enum SimulatedFault: String, Sendable, CaseIterable {
    /// No connection could be made.
    case refused
    /// A reused connection was closed; the request didn't arrive, but the client can't know that.
    case staleConnection
    /// The connection ended after the server had acted.
    case lostAfterActing
    /// The connection ends within the head of the response; the server has acted.
    case cutHead
    /// The connection ends within the content.
    case cut
    /// The content is truncated, so that its coding is incomplete, but its framing isn't.
    case truncatedCoding
    /// The head arrives after minutes.
    case slowHead
    /// The content stalls for minutes.
    case slowContent
    /// The server is unavailable for some seconds.
    case unavailable
    /// The server responds that there were too many requests.
    case tooManyRequests
    /// A gateway timed out waiting for a server that has acted.
    case gatewayTimeout
    /// A proxy resends an idempotent request on its own.
    case duplicate
    /// The user's token and the nonces are revoked just before the request arrives.
    case revokedToken
    /// A proxy requests authentication, though no proxy was configured.
    case proxyChallenge
}
