/// A fault of a network or a server with one request.
enum SimulatedFault: String, Sendable, CaseIterable {
    /// No connection could be made.
    case refused
    /// A connection that was kept had died, and nothing tells whether the request arrived; it did not.
    case staleConnection
    /// The connection ended after the server had acted.
    case lostAfterActing
    /// The connection ends in the head of the answer; the server has acted.
    case cutHead
    /// The connection ends in the content.
    case cut
    /// The content ends too early, and its framing does not show it; its coding does.
    case truncatedCoding
    /// The head comes after minutes.
    case slowHead
    /// The content stands still for minutes.
    case slowContent
    /// The server is not to be bothered for some seconds.
    case unavailable
    /// There were too many requests.
    case tooManyRequests
    /// A gateway gave up waiting for a server that acted.
    case gatewayTimeout
    /// A proxy sends an idempotent request again by itself.
    case duplicate
    /// The user's token is revoked, and the nonces too, just before the request arrives.
    case revokedToken
    /// A proxy asks who is there, though none was configured.
    case proxyChallenge
}
