/// The unit that is measured: calls or attempts.
public enum MetricsUnit: Sendable, Hashable {
    /// Each call, including retries, redirects and cached responses.
    case call
    /// Each attempt to send a request.
    case attempt
}

/// An attribute of metrics in addition to method, server, status and error.
public enum MetricsDetails: Sendable, Hashable {
    /// `url.template`, from the URL builder or from ``/HTTPChainCore/Request/urlTemplate(_:)``.
    case urlTemplate

    /// `network.protocol.version`, for attempts over a transport that reports its connections.
    case protocolVersion
}

/// The limits on the number of series.
///
/// Each combination of attributes is a series, and backends keep every series.
public struct MetricsLimits: Sendable, Hashable {
    /// The number of servers that are distinguished; 100 by default.
    ///
    /// Others are recorded as `_OTHER`.
    package var servers: Int
    /// The number of templates that are distinguished; 200 by default.
    ///
    /// Others are recorded as `_OTHER`.
    package var templates: Int
    /// The number of outcomes (status, error, protocol) that are distinguished for one method, server and template; 50
    /// by default.
    ///
    /// Others are recorded without a status, and with the error `_OTHER`.
    package var outcomes: Int

    /// Makes limits.
    public init(servers: Int = 100, templates: Int = 200, outcomes: Int = 50) {
        self.servers = servers
        self.templates = templates
        self.outcomes = outcomes
    }
}
