/// Measurements of the connection that carried an exchange; values that the transport can't provide are nil.
public struct ConnectionMetrics: Sendable, Hashable {
    /// The protocol, by its ALPN name (RFC 7301): "h2", "http/1.1".
    public var protocolName: String?
    /// Whether the connection had carried an exchange before.
    public var isReused: Bool?
    /// The time taken to resolve the host name.
    public var domainLookup: Duration?
    /// The time taken to connect, including the TLS handshake.
    public var connect: Duration?
    /// The time taken by the TLS handshake.
    public var secureConnection: Duration?
    /// Whether the connection went through a proxy.
    public var isProxied: Bool?
    /// Whether using the network costs money.
    public var isExpensive: Bool?
    /// Whether the user has enabled data saving for the network.
    public var isConstrained: Bool?

    /// Makes empty metrics.
    public init() {}
}
