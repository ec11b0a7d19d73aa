/// The measurements of the connection that carried an exchange; nil stands for what the transport cannot tell.
public struct ConnectionMetrics: Sendable, Hashable {
    /// The protocol, by its ALPN name (RFC 7301): "h2", "http/1.1".
    public var protocolName: String?
    /// Whether the connection had carried an exchange before.
    public var isReused: Bool?
    /// The time that it took to resolve the host name.
    public var domainLookup: Duration?
    /// The time that it took to connect, with the TLS handshake.
    public var connect: Duration?
    /// The time that the TLS handshake took.
    public var secureConnection: Duration?
    /// Whether the connection led through a proxy.
    public var isProxied: Bool?
    /// Whether the network is one that costs money.
    public var isExpensive: Bool?
    /// Whether the network is one for which the user has asked to save data.
    public var isConstrained: Bool?

    /// Metrics of which nothing is known.
    public init() {}
}

/// Asks the transport for what it knows of the connection that carries a request.
///
/// ```swift
/// request.options[ConnectionReport.self] = { metrics in log(metrics.protocolName, metrics.isReused) }
/// ```
///
/// The closure is called at most once for each exchange, when the transport knows: with the head of the response, or at
/// the end of the transfer. It is called from the transport's own threads and must return quickly. A transport that
/// reports has the capability ``TransportCapabilities/reportsConnections``.
public enum ConnectionReport: RequestOption {
    /// No report.
    public static var defaultValue: (@Sendable (ConnectionMetrics) -> Void)? { nil }
}
