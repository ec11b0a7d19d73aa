/// The closure to which the transport reports the connection; see ``Request/connectionReport``.
package enum ConnectionReportNote: RequestOption, RequestNote {
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
        get { options[ConnectionReportNote.self] }
        set { options[ConnectionReportNote.self] = newValue }
    }
}
