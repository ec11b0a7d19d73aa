public import HTTPChainCore
public import HTTPChainRemoteLogging
public import Logging
public import Metrics

/// Sends log records to a server in batches, without delaying the program.
///
/// ```swift
/// let shipper = LogShipper(
///     to: "https://logs.example.com/v1/logs",
///     format: format,
///     resource: LogResource(serviceName: "plants", serviceVersion: "2.1"),
///     over: try Chain(transport: transport) { GzipMiddleware(requests: .standard) }
/// )
/// shipper.log(LogRecord(date: Date(), level: .info, component: "garden", message: "watered"))
/// …
/// try await shipper.shutdown(deadline: .seconds(30))
/// ```
///
/// ``log(_:)`` puts a record into a queue and returns. A worker task sends the pending records in batches: when there
/// are enough of them, when they are large enough, or when the first has waited long enough (``Settings``). The
/// transport can be a chain with stages for compression, credentials and redirects. It doesn't need stages for retries.
///
/// **Limits.** The queue is limited in records and bytes. When it is full, a new record displaces the oldest of the
/// least severe waiting records if these are less severe than the new one. Otherwise, the new record is dropped.
/// Nothing is lost silently: ``statistics`` count the outcome of every record, and the next batch includes a separate
/// record from the component `HTTPChain.LogShipper` with the number of dropped records (`log.dropped.count`), by level
/// (`log.dropped.level.info`) and reason (`log.dropped.reason.full`). In a batch of spans, this is a span
/// (``LogWireFormat/otlpTraces(_:)``). A loss is reported only once, with a batch that the receiver accepts.
///
/// **Failures.** A batch is retried if the receiver may accept it later (``LogReceipt/later``), didn't get it, or
/// didn't respond. The retry follows after an increasing random pause, or as `Retry-After` requests. In the meantime,
/// other batches are sent. If the receiver rejects the credentials (401, 403), sending pauses and all records are kept.
/// A batch that is too large (413) is sent in halves. A refused batch is dropped and counted. An acknowledged batch is
/// never sent again, but a batch that the receiver got without responding may be sent twice.
///
/// **Spool.** With the product `HTTPChainLogSpool`, records wait in files and survive the end of the process.
///
/// **Metrics.** There are counters `httpchain.logs.accepted`, `.sent`, `.acknowledged`, `.rejected`, `.retries`,
/// `.own_traffic` and `.dropped` (with the dimensions `reason` and `level`), and gauges `httpchain.logs.queued.records`
/// and `.queued.bytes`. All of them have the dimension `service`. They are updated with each batch and each retry.
///
/// **Its own traffic.** Requests are marked (`request.isLogTraffic`). During an export, a mark is also set in its task
/// and child tasks, and records logged there are ignored. This prevents shipping from creating more records to ship.
///
/// **Ending.** ``shutdown(deadline:)`` sends the pending records and ends the worker. If a shipper is released without
/// it, the records are lost. Each shipper has one worker, which the first record starts.
public final class LogShipper: LogSink, Sendable {
    private struct Gate: Sendable {
        var levels: LogLevels
        var isShutDown = false
    }

    let core: ShipperCore
    private let gate: Locked<Gate>
    private let filter: (@Sendable (LogRecord) -> Bool)?

    /// Makes a shipper with a queue in memory.
    ///
    /// It does nothing before the first record.
    ///
    /// - Parameters:
    ///   - url: The URL to which batches are sent with POST. It may be a relative reference if the chain resolves it.
    ///   - format: The format of batches.
    ///   - resource: The program that logs.
    ///   - transport: The transport, such as a chain.
    ///   - settings: The limits of the queue and batches, and the retry settings.
    ///   - levels: The least severe level logged for each component; `info` by default. See ``levels``.
    ///   - environment: The clock and the random source, also used for requests; the system's by default.
    ///   - metrics: The destination of the metrics; the program's metrics system by default.
    ///   - filter: Returns whether a record is logged. It runs in the logging task and must be quick. By default, all
    ///     records are logged.
    ///   - observer: Receives events about batches. It runs in the worker and must be quick. Records that it logs
    ///     aren't shipped.
    public convenience init(
        to url: String,
        format: any LogWireFormat,
        resource: LogResource,
        over transport: any Transport,
        settings: Settings = Settings(),
        levels: LogLevels = LogLevels(),
        environment: ChainEnvironment = .live,
        metrics: (any MetricsFactory)? = nil,
        filter: (@Sendable (LogRecord) -> Bool)? = nil,
        observer: (@Sendable (Event) -> Void)? = nil
    ) {
        self.init(
            to: url,
            format: format,
            resource: resource,
            over: transport,
            settings: settings,
            queue: MemoryLogQueue(settings),
            levels: levels,
            environment: environment,
            metrics: metrics,
            filter: filter,
            observer: observer
        )
    }

    /// Makes a shipper with another queue.
    package init(
        to url: String,
        format: any LogWireFormat,
        resource: LogResource,
        over transport: any Transport,
        settings: Settings,
        queue: any LogQueue,
        levels: LogLevels,
        environment: ChainEnvironment,
        metrics: (any MetricsFactory)?,
        filter: (@Sendable (LogRecord) -> Bool)?,
        observer: (@Sendable (Event) -> Void)?
    ) {
        let settings = settings.bounded
        core = ShipperCore(
            LogDestination(url: url, format: format, resource: resource, transport: transport),
            queue: queue,
            settings: settings,
            environment: environment,
            metrics: ShipperMetrics(service: resource.serviceName, factory: metrics ?? MetricsSystem.factory),
            observer: observer
        )
        gate = Locked(Gate(levels: levels))
        self.filter = filter
        if core.state.withLock({ $0.queue.count > 0 }) { core.start() }
    }

    deinit {
        core.dismissWorker()
    }

    /// Whether the current task works for a shipper, so that its records are ignored.
    package static var isShipping: Bool { LogShipping.isUnderWay }

    /// The least severe level logged for each component.
    ///
    /// It can be changed at any time.
    public var levels: LogLevels {
        get { gate.withLock { $0.levels } }
        set { gate.withLock { $0.levels = newValue } }
    }

    /// The numbers of records so far, by outcome.
    public var statistics: Statistics { core.state.withLock { $0.statistics } }

    /// Returns whether records of this level from this component are logged: ``levels`` must include them, the shipper
    /// must not have been shut down, and the current task must not be shipping.
    public func isEnabled(_ level: Logger.Level, for component: String) -> Bool {
        gate.withLock { !$0.isShutDown && $0.levels.includes(level, from: component) } && !Self.isShipping
    }

    /// Queues a record and returns, without waiting or failing.
    ///
    /// Levels aren't checked here (see ``isEnabled(_:for:)``), but the filter is. After the shutdown and while
    /// shipping, records are only counted.
    public func log(_ record: consuming LogRecord) {
        let record = record
        if Self.isShipping { return core.state.withLock { $0.countOwnTraffic() } }
        if let filter, !filter(record) { return }
        core.add(record)
    }

    /// Stops accepting records.
    func close() {
        gate.withLock { $0.isShutDown = true }
        core.state.withLock { $0.isShutDown = true }
    }
}
