public import HTTPChainCore
public import HTTPChainLogShipper
public import HTTPChainRemoteLogging
public import Metrics

/// A queue in files, which survives the process.
///
/// Reading and acknowledging may take long, and are done where nobody waits for the queue; adding is one call of the
/// system. How many records an earlier process has left is an estimate where files were damaged: until the end was seen
/// once, there may always be one more.
struct SpoolLogQueue: LogQueue {
    private struct Outstanding: Sendable {
        let position: LogQueueBatch.Position
        /// Where the spool goes on after it.
        let end: LogSpoolPosition
        var isSettled = false
    }

    private let spool: LogSpool
    private(set) var latest: Int
    private var waiting: Int
    private(set) var bytes: Int
    private var hasSeenEnd: Bool
    /// Up to where records were taken out.
    private var front: LogSpoolPosition?
    /// What was taken out, in order: an acknowledgement covers all that is before it.
    private var outstanding: [Outstanding] = []

    init(_ spool: LogSpool) {
        self.spool = spool
        let report = spool.report
        waiting = report.pendingRecords
        latest = waiting
        bytes = Int(clamping: report.pendingBytes)
        hasSeenEnd = waiting == 0
    }

    var count: Int { hasSeenEnd ? waiting : max(1, waiting) }

    var oldest: Int? { count == 0 ? nil : min(latest, latest - waiting + 1) }

    mutating func add(
        _ record: LogRecord,
        size: Int,
        displaced: inout LogLevelCounts
    ) -> LogShipper.DropReason? {
        do throws(LogSpoolError) {
            try spool.append(record)
        } catch {
            if case .system = error.problem { return .unwritable }
            return .full
        }
        latest += 1
        waiting += 1
        bytes += size
        return nil
    }

    mutating func next(_ count: Int, bytes: Int) -> LogQueueNext {
        .reading { [spool, front, latest] in
            var front = front
            do throws(LogSpoolError) {
                while let batch = try spool.nextBatch(
                    after: front,
                    maximumRecords: count,
                    maximumBytes: ByteCount(Int64(bytes))
                ) {
                    if !batch.records.isEmpty { return .records(batch.records, end: batch.position) }
                    // Nothing but damage, which the next batch's acknowledgement covers.
                    front = batch.position
                }
                return .end(after: latest)
            } catch {
                return .failed
            }
        }
    }

    mutating func take(_ reading: LogQueueReading) -> LogQueueBatch? {
        switch reading {
        case .failed: return nil
        case .end(let number):
            hasSeenEnd = true
            waiting = min(waiting, latest - number)
            if waiting == 0 { bytes = 0 }
            return nil
        case .records(let records, let end):
            guard let end = end as? LogSpoolPosition else { return nil }
            var levels = LogLevelCounts()
            for record in records {
                levels[record.level] += 1
                bytes -= record.estimatedSize
            }
            let first = min(latest, latest - waiting + 1)
            waiting = max(0, waiting - records.count)
            bytes = waiting == 0 ? 0 : max(0, bytes)
            front = end
            let position = LogQueueBatch.Position(
                first: first,
                last: min(latest, first + records.count - 1)
            )
            outstanding.append(Outstanding(position: position, end: end))
            return LogQueueBatch(records: records, levels: levels, position: position)
        }
    }

    mutating func settle(_ batch: LogQueueBatch.Position) -> (@Sendable () -> Void)? {
        if let index = outstanding.firstIndex(where: { $0.position == batch }) { outstanding[index].isSettled = true }
        let settled = outstanding.prefix { $0.isSettled }
        guard let end = settled.last?.end else { return nil }
        outstanding.removeFirst(settled.count)
        // Where it cannot be written down, the next process sends the records again.
        return { [spool] in try? spool.acknowledge(end) }
    }

    mutating func giveBack(_ count: Int) -> Bool {
        waiting += count
        return true
    }

    mutating func abandon() -> LogLevelCounts { LogLevelCounts() }
}

extension LogShipper {
    /// Makes a shipper whose records wait in files; it begins with what an earlier process has left.
    ///
    /// A record is accepted when the system has it, before ``/HTTPChainLogShipper/LogShipper/log(_:)`` returns: it
    /// survives the end of the process, `kill -9` included. A new shipper sends by itself what an earlier one left,
    /// before its own. Bounds are those of the spool, which keeps its last tenth for what is severe and displaces
    /// nothing; what is left at a shutdown stays for the next process. A batch whose answer the process did not live to
    /// see comes again. Counts of losses are in memory alone: those that were not reported end with the process.
    ///
    /// - Parameters:
    ///   - url: Where batches are sent with POST; a reference will do where the chain completes it.
    ///   - format: What they look like.
    ///   - resource: Who sends them.
    ///   - transport: What carries them: a chain, or a bare transport.
    ///   - settings: Batches and retries; the bounds of the queue are those of the spool.
    ///   - spool: Where records wait; in memory with `nil`. It belongs to this shipper alone.
    ///   - levels: The least severe level taken, for each component; `info` by default.
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
        spool: LogSpool?,
        levels: LogLevels = LogLevels(),
        environment: ChainEnvironment = .live,
        metrics: (any MetricsFactory)? = nil,
        filter: (@Sendable (LogRecord) -> Bool)? = nil,
        observer: (@Sendable (Event) -> Void)? = nil
    ) {
        if let spool {
            self.init(
                to: url,
                format: format,
                resource: resource,
                over: transport,
                settings: settings,
                queue: SpoolLogQueue(spool),
                levels: levels,
                environment: environment,
                metrics: metrics,
                filter: filter,
                observer: observer
            )
        } else {
            self.init(
                to: url,
                format: format,
                resource: resource,
                over: transport,
                settings: settings,
                levels: levels,
                environment: environment,
                metrics: metrics,
                filter: filter,
                observer: observer
            )
        }
    }
}
