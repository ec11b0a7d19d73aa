/// Measurements of the connection that carried an exchange; nil for values that the transport can't provide.
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

/// The closure to which the transport reports the connection; see ``Request/connectionReport``.
package enum ConnectionReport: RequestOption, RequestNote {
    /// No report.
    package static var defaultValue: (@Sendable (ConnectionMetrics) -> Void)? { nil }
    /// Always `false`: it only observes the exchange.
    package static var affectsResponse: Bool { false }
}

extension Request {
    /// The closure to which the transport reports the connection that carries this request.
    ///
    /// ```swift
    /// request.connectionReport = { metrics in log(metrics.protocolName, metrics.isReused) }
    /// ```
    ///
    /// The closure is called at most once for each exchange, as soon as the transport has the metrics: with the head of
    /// the response, or at the end of the transfer. It is called from the transport's own threads and must return
    /// quickly. Transports that report have the capability ``TransportCapabilities/reportsConnections``.
    public var connectionReport: (@Sendable (ConnectionMetrics) -> Void)? {
        get { options[ConnectionReport.self] }
        set { options[ConnectionReport.self] = newValue }
    }
}
