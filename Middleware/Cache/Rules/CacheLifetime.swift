/// The time for which a response is fresh, where the client has a say beside the server.
public enum CacheLifetime: Sendable, Hashable {
    /// As RFC 9111 §4.2 has it.
    case server
    /// As the server says, and this long at most after it was made.
    case atMost(Duration)
    /// This long after it was made, where the server says nothing; no heuristic freshness then.
    case whenUnspecified(Duration)
    /// This long after it was received, whatever the server says.
    ///
    /// The client sets itself above `no-store`, `no-cache`, `private` and `must-revalidate`, and above the status and
    /// `Expires`. It is meant for servers that send such fields without thought.
    case exactly(Duration)

    /// Whether the client overrules the server.
    var isExact: Bool { if case .exactly = self { true } else { false } }
}
