/// Whether metrics are those of calls or those of attempts.
public enum MetricsUnit: Sendable, Hashable {
    /// Once for each call, retries, redirects and answers of caches included.
    case call
    /// Once for each time that a request is sent.
    case attempt
}

/// The attributes that metrics have beyond method, server, status and error.
public struct MetricsDetails: OptionSet, Sendable, Hashable {
    /// One bit for each detail.
    public let rawValue: UInt8

    /// Makes a set of bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// `url.template`: that of the URL builder, or of ``/HTTPChainCore/Request/urlTemplate(_:)``.
    public static let urlTemplate = MetricsDetails(rawValue: 1)

    /// `network.protocol.version`, for attempts over a transport that reports its connections.
    public static let protocolVersion = MetricsDetails(rawValue: 2)
}

/// The limits of the number of series: every combination of attributes is one, and backends keep each.
public struct MetricsLimits: Sendable, Hashable {
    /// The number of servers that are told apart; 100 by default.
    ///
    /// Those that come later are `_OTHER`.
    public var servers: Int
    /// The number of templates that are told apart; 200 by default.
    ///
    /// Those that come later are `_OTHER`.
    public var templates: Int
    /// The number of outcomes (status, error, protocol) of one method, server and template that are told apart; 50 by
    /// default.
    ///
    /// Those that come later have no status, and the error `_OTHER`.
    public var outcomes: Int

    /// Makes limits.
    public init(servers: Int = 100, templates: Int = 200, outcomes: Int = 50) {
        self.servers = servers
        self.templates = templates
        self.outcomes = outcomes
    }
}
