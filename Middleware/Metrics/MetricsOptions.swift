/// The unit that is measured: calls or attempts.
public enum MetricsUnit: Sendable, Hashable {
    /// Each call, including retries, redirects and cached responses.
    case call
    /// Each attempt to send a request.
    case attempt
}

/// The attributes that metrics have in addition to method, server, status and error.
public struct MetricsDetails: OptionSet, Sendable, Hashable {
    /// One bit for each detail.
    public let rawValue: UInt8

    /// Makes a set from its bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// `url.template`: the URL builder's, or that of ``/HTTPChainCore/Request/urlTemplate(_:)``.
    public static let urlTemplate = MetricsDetails(rawValue: 1)

    /// `network.protocol.version`, for attempts over a transport that reports its connections.
    public static let protocolVersion = MetricsDetails(rawValue: 2)
}

/// The limits on the number of series.
///
/// Each combination of attributes is a series, and backends keep them all.
public struct MetricsLimits: Sendable, Hashable {
    /// The number of servers that are distinguished; 100 by default.
    ///
    /// Later ones are `_OTHER`.
    package var servers: Int
    /// The number of templates that are distinguished; 200 by default.
    ///
    /// Later ones are `_OTHER`.
    package var templates: Int
    /// The number of outcomes (status, error, protocol) that are distinguished for one method, server and template; 50
    /// by default.
    ///
    /// Later ones have no status, and the error `_OTHER`.
    package var outcomes: Int

    /// Makes limits.
    public init(servers: Int = 100, templates: Int = 200, outcomes: Int = 50) {
        self.servers = servers
        self.templates = templates
        self.outcomes = outcomes
    }
}
