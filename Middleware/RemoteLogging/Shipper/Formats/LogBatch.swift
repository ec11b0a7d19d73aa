public import HTTPChainRemoteLogging

/// Records that are sent together, and the program that logged them.
public struct LogBatch: Sendable, Hashable {
    /// The program that logged the records.
    public var resource: LogResource
    /// The records, in the order in which they were logged.
    public var records: [LogRecord]

    /// Makes a batch.
    public init(resource: LogResource, records: [LogRecord]) {
        self.resource = resource
        self.records = records
    }
}

/// The program that logs: the *resource* of OpenTelemetry.
public struct LogResource: Sendable, Hashable {
    /// The logical name of the service (`service.name`).
    public var serviceName: String
    /// The version of the service (`service.version`).
    public var serviceVersion: String?
    /// Additional attributes, such as `service.instance.id`, `deployment.environment.name` and `host.name`.
    public var attributes: LogAttributes

    /// Makes a resource.
    public init(serviceName: String, serviceVersion: String? = nil, attributes: LogAttributes = [:]) {
        self.serviceName = serviceName
        self.serviceVersion = serviceVersion
        self.attributes = attributes
    }
}
