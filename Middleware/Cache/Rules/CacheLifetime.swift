/// The time for which a response is fresh, as set by the client, the server or both.
public enum CacheLifetime: Sendable, Hashable {
    /// The lifetime of RFC 9111 §4.2.
    case server
    /// The server's lifetime, but at most this long after the response was generated.
    case atMost(Duration)
    /// This long after the response was generated if the server gives no lifetime, instead of a heuristic lifetime.
    case whenUnspecified(Duration)
    /// This long after the response was received, regardless of the server.
    ///
    /// This overrides `no-store`, `no-cache`, `private` and `must-revalidate`, and also the status and `Expires`. Use
    /// it for servers that send such fields without reason.
    case exactly(Duration)

    /// Whether the client overrides the server.
    var isExact: Bool { if case .exactly = self { true } else { false } }
}
