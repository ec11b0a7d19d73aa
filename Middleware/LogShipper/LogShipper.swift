public import HTTPChainCore
public import HTTPChainRemoteLogging
public import Logging
public import Metrics

/// Sends log records to a server, many at a time, without ever making the program wait.
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
/// ``log(_:)`` puts a record into a queue and returns; a worker task sends what waits, in batches: when there are
/// enough records, when they are large enough, or when the first has waited long enough (``Settings``). The transport is
/// any chain: compression, credentials and redirects are its stages. Stages for retries are not needed.
///
/// **Bounds.** The queue keeps to a number of records and of bytes. When it is full, a record displaces the oldest of
/// the least severe records that wait, provided that they are less severe than itself; else it is dropped. Nothing is
/// lost silently: ``statistics`` count what became of every record, and the next batch brings the receiver a record of
/// its own, from the component `HTTPChain.LogShipper`, with the number of the dropped (`log.dropped.count`), by level
/// (`log.dropped.level.info`) and reason (`log.dropped.reason.full`); among spans it is a span
/// (``OTLPTraceFormat``). A loss is reported once: with a batch that the receiver takes.
///
/// **Failures.** A batch that the receiver may take later (``LogReceipt/later``), and one that did not reach it or was
/// not answered, is sent again, after a pause that grows and is drawn by chance, or that `Retry-After` asks for; others
/// are sent meanwhile. Where the receiver does not know who sends (401, 403), sending pauses and everything is kept. A
/// batch that is too large (413) is sent in halves. One that it refuses is dropped and counted. One that it has acknowledged is never sent again; of one that it had and
/// did not answer it may get a second copy.
///
/// **With a spool** (the product `HTTPChainLogSpool`) records wait in files, and survive the end of the process.
///
/// **Metrics.** Counters `httpchain.logs.accepted`, `.sent`, `.acknowledged`, `.rejected`, `.retries`, `.own_traffic`
/// and `.dropped` (with the dimensions `reason` and `level`), gauges `httpchain.logs.queued.records` and
/// `.queued.bytes`, all with the dimension `service`. They are brought up to date with each batch and each retry.
///
/// **Its own traffic.** Requests are marked (`request.isLogTraffic`), and while anything runs on behalf of an export
/// ``isShipping`` is true in its task and its child tasks: what is logged there is not taken, so that shipping a log
/// makes no log.
///
/// **Ending.** ``shutdown(deadline:)`` sends what waits and ends the worker. A shipper that is dropped without it loses
/// what waits. There is one worker for each shipper, from the first record on.
public final class LogShipper: LogSink, Sendable {
    private struct Gate: Sendable {
        var levels: LogLevels
        var isShutDown = false
    }

    let core: ShipperCore
    private let gate: Locked<Gate>
    private let filter: (@Sendable (LogRecord) -> Bool)?

    /// Makes a shipper whose records wait in memory; it does nothing before the first record.
    ///
    /// - Parameters:
    ///   - url: Where batches are sent with POST; a reference will do where the chain completes it.
    ///   - format: What they look like.
    ///   - resource: Who sends them.
    ///   - transport: What carries them: a chain, or a bare transport.
    ///   - settings: Bounds, batches and retries.
    ///   - levels: The least severe level taken, for each component; `info` by default. See ``levels``.
    ///   - environment: Clock and random numbers, also for the requests; the system's by default.
    ///   - metrics: Where the metrics go; to the system that the program set up by default.
    ///   - filter: Whether a record is taken; it runs in the task that logs and must be quick. All are by default.
    ///   - observer: Told what becomes of each batch; it runs in the worker and must be quick. What it logs is not
    ///     shipped.
    public convenience init(
        to url: String,
        format: any LogWireFormat,
        resource: LogResource,
        over transport: any Transport,
        settings: Settings = .standard,
        levels: LogLevels = LogLevels(),
        environment: ChainEnvironment = .live,
        metrics: (any MetricsFactory)? = nil,
        filter: (@Sendable (LogRecord) -> Bool)? = nil,
        observer: (@Sendable (Event) -> Void)? = nil
    ) {
        let settings = settings.bounded
        self.init(
            to: url,
            format: format,
            resource: resource,
            over: transport,
            settings: settings,
            queue: MemoryLogQueue(
                maxCount: settings.queueRecords,
                maxBytes: Int(clamping: settings.queueBytes.bytes)
            ),
            levels: levels,
            environment: environment,
            metrics: metrics,
            filter: filter,
            observer: observer
        )
    }

    /// Makes a shipper whose records wait elsewhere than in memory.
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

    /// Whether this task runs on behalf of a shipper, which takes nothing that is logged here.
    public static var isShipping: Bool { LogShipping.isUnderWay }

    /// The least severe level that is taken, for each component; may be changed at any time.
    public var levels: LogLevels {
        get { gate.withLock { $0.levels } }
        set { gate.withLock { $0.levels = newValue } }
    }

    /// The numbers of records so far, by what became of them.
    public var statistics: Statistics { core.state.withLock { $0.statistics } }

    /// Whether records of this level from this component are taken: by ``levels``, before the shutdown, and outside of
    /// shipping.
    public func isEnabled(_ level: Logger.Level, for component: String) -> Bool {
        gate.withLock { !$0.isShutDown && $0.levels.includes(level, from: component) } && !Self.isShipping
    }

    /// Queues a record and returns: it neither waits nor fails.
    ///
    /// Levels are not asked again, which is up to ``isEnabled(_:for:)``; the filter is. After the shutdown, and while
    /// shipping, records are only counted.
    public func log(_ record: consuming LogRecord) {
        let record = record
        if Self.isShipping { return core.state.withLock { $0.countOwnTraffic() } }
        if let filter, !filter(record) { return }
        core.add(record)
    }

    /// Takes no more records from now on.
    func close() {
        gate.withLock { $0.isShutDown = true }
        core.state.withLock { $0.isShutDown = true }
    }
}
