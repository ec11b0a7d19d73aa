public import HTTPChainCore
public import HTTPChainLogShipper
public import HTTPChainRemoteLogging
import Logging
public import Metrics

/// A queue in files, which survives the process.
///
/// All disk access is returned as a closure, to be run without blocking the queue: writing records in groups, reading
/// batches, acknowledging, and counting the records left by an earlier process.
///
/// Records of this process are numbered from 1. All records of earlier processes have the number 0.
struct SpoolLogQueue: LogQueue {
    /// A batch that was taken out.
    ///
    /// Batches are kept in order, because an acknowledgement covers everything before it.
    private struct Outstanding: Sendable {
        let serial: Int
        /// The position in the spool after the batch.
        let end: LogSpoolPosition
        var isSettled = false
    }

    /// The result of disk work.
    private enum Result: Sendable {
        case written([(size: Int, level: Logger.Level, failure: LogSpoolError?)], end: LogSpoolPosition)
        case counted(UInt64, Int)
    }

    /// The end of a reading, and the number of its records that an earlier process left.
    private struct Mark: Sendable {
        let position: LogSpoolPosition
        let recovered: Int
    }

    /// The maximum number of records written at once.
    private static let groupRecords = 512
    private static let groupBytes = 1 << 20

    private let spool: LogSpool
    /// The records that haven't been written yet.
    private var staged: MemoryLogQueue
    /// The number of records that are being written.
    private var writing = 0
    /// The number of this process's records in the files, including those taken out.
    private var written = 0
    /// The number of those that haven't been taken out.
    private var waiting = 0
    /// The position up to which files may be read.
    ///
    /// Records after it aren't counted yet.
    private var readable: LogSpoolPosition
    private(set) var bytes: Int

    /// The number of records from earlier processes that were taken out.
    private var taken = 0
    /// The number of records from earlier processes in each segment that has been counted.
    private var counts: [UInt64: Int]
    /// The segments that haven't been counted, oldest first.
    private var uncounted: [UInt64]
    /// Whether all records of earlier processes have been taken out.
    private var isBacklogOver: Bool
    /// The number of remaining records of earlier processes, as far as they have been counted.
    private var backlog = 0

    /// The position up to which records were taken out.
    private var front: LogSpoolPosition?
    private var outstanding: [Outstanding] = []
    private var lastSerial = 0
    /// The number of records that were taken out and remain for the next process.
    private var returned = 0

    init(_ spool: LogSpool, _ settings: LogShipper.Settings) {
        self.spool = spool
        staged = MemoryLogQueue(settings)
        let pending = spool.report.pendingBytes
        let findings = spool.findings
        readable = findings.end
        bytes = Int(clamping: pending)
        isBacklogOver = pending == 0
        uncounted = isBacklogOver ? [] : findings.segments
        counts = [:]
        if let last = uncounted.popLast() { counts[last] = findings.recordsInLast }
        countBacklog()
    }

    var count: Int { isBacklogOver ? queued : max(1, queued) }

    var queued: Int { waiting + backlog + returned }

    var unwritten: Int { staged.count + writing }

    var recovered: Int { taken + backlog }

    var latest: Int { written + unwritten }

    var oldest: Int? {
        if !isBacklogOver { return 0 }
        if waiting > 0 { return written - waiting + 1 }
        return unwritten > 0 ? written + 1 : nil
    }

    /// An acknowledgement covers everything before it.
    ///
    /// Later batches would therefore be sent twice after a `kill -9`.
    var letsPass: Bool { false }

    var displacement: LogShipper.DropReason { .full }

    mutating func add(_ record: LogRecord, size: Int, displaced: inout LogLevelCounts) -> LogQueueAddition {
        switch staged.add(record, size: size, displaced: &displaced) {
        case .refused(let reason): .refused(reason)
        case .queued, .unwritten: .unwritten
        }
    }

    // MARK: Work on the disk

    mutating func nextWork() -> (@Sendable () -> any Sendable)? {
        if writing == 0, case .batch(let batch) = staged.next(Self.groupRecords, bytes: Self.groupBytes) {
            writing = batch.records.count
            return { [spool] in
                let failures = spool.append(contentsOf: batch.records)
                let written = zip(batch.records, failures).map { ($0.estimatedSize, $0.level, $1) }
                return Result.written(written, end: spool.end)
            }
        }
        // The newest segments are counted first, because the records in the oldest will soon be taken out.
        guard !isBacklogOver, let segment = uncounted.popLast() else { return nil }
        return { [spool] in Result.counted(segment, spool.countRecovered(in: segment)) }
    }

    mutating func finish(_ result: any Sendable) -> LogQueueProgress {
        var progress = LogQueueProgress()
        switch result as? Result {
        case .written(let records, let end):
            for (index, (size, level, failure)) in records.enumerated() {
                guard let failure else {
                    progress.accepted += 1
                    bytes += size
                    continue
                }
                progress.refused.append(written + index + 1)
                if case .system = failure.problem {
                    progress.lost[.unwritable][level] += 1
                } else {
                    progress.lost[.full][level] += 1
                }
            }
            writing = 0
            written += progress.accepted
            waiting += progress.accepted
            readable = end
        case .counted(let segment, let count):
            counts[segment] = count
            countBacklog()
        case nil: break
        }
        return progress
    }

    /// Counts the remaining records of earlier processes after the position up to which records were taken out.
    private mutating func countBacklog() {
        guard !isBacklogOver else {
            backlog = 0
            counts = [:]
            uncounted = []
            return
        }
        let front = front ?? spool.findings.front
        uncounted.removeAll { $0 < front.segment }
        backlog = counts.reduce(0) { sum, segment in
            guard segment.key >= front.segment else { return sum }
            return sum + (segment.key == front.segment ? max(0, segment.value - front.index) : segment.value)
        }
    }

    // MARK: Taking out

    mutating func next(_ count: Int, bytes: Int) -> LogQueueNext {
        .reading { [spool, front, readable, written] in
            var front = front
            do throws(LogSpoolError) {
                while let batch = try spool.nextBatch(
                    after: front,
                    upTo: readable,
                    maximumRecords: count,
                    maximumBytes: ByteCount(Int64(bytes))
                ) {
                    if !batch.records.isEmpty {
                        return .records(
                            batch.records,
                            end: Mark(position: batch.position, recovered: batch.recovered)
                        )
                    }
                    // There were only unreadable parts. The acknowledgement of the next batch covers them.
                    front = batch.position
                }
                return .end(after: written)
            } catch {
                return .failed
            }
        }
    }

    mutating func take(_ reading: LogQueueReading) -> LogQueueBatch? {
        switch reading {
        case .failed: return nil
        case .end(let number):
            isBacklogOver = true
            countBacklog()
            waiting = min(waiting, written - number)
            if queued == 0 { bytes = 0 }
            return nil
        case .records(let records, let end):
            guard let mark = end as? Mark else { return nil }
            var levels = LogLevelCounts()
            for record in records {
                levels[record.level] += 1
                bytes -= record.estimatedSize
            }
            let own = records.count - mark.recovered
            let first = mark.recovered > 0 ? 0 : min(written, written - waiting + 1)
            waiting = max(0, waiting - own)
            taken += mark.recovered
            front = mark.position
            if mark.position >= spool.findings.end { isBacklogOver = true }
            countBacklog()
            bytes = queued == 0 ? 0 : max(0, bytes)
            lastSerial += 1
            outstanding.append(Outstanding(serial: lastSerial, end: mark.position))
            return LogQueueBatch(
                records: records,
                levels: levels,
                position: LogQueueBatch.Position(first: first, last: written - waiting, serial: lastSerial)
            )
        }
    }

    mutating func settle(_ batch: LogQueueBatch.Position) -> (@Sendable () -> Void)? {
        if let index = outstanding.firstIndex(where: { $0.serial == batch.serial }) {
            outstanding[index].isSettled = true
        }
        let settled = outstanding.prefix { $0.isSettled }
        guard let end = settled.last?.end else { return nil }
        outstanding.removeFirst(settled.count)
        // If this can't be saved, the next process sends the records again.
        return { [spool] in try? spool.acknowledge(end) }
    }

    // MARK: Ending

    mutating func giveBack(_ count: Int) -> Bool {
        returned += count
        return true
    }

    /// Abandons the records.
    ///
    /// Those in files remain for the next process, and those not yet written are lost.
    mutating func abandon() -> (LogLevelCounts, LogShipper.DropReason) { (staged.abandon().0, .unwritable) }

    func close() -> (@Sendable () -> Void)? { { [spool] in spool.close() } }
}

extension LogShipper {
    /// Makes a shipper with a queue in files, which begins with the records left by an earlier process.
    ///
    /// `log(_:)` never accesses the disk. It puts the record into memory, and the shipper's threads write records in
    /// groups. Shortly afterwards, the operating system has the record, and it counts as accepted. From then on, it
    /// survives the end of the process, including `kill -9`. Until then, the statistics count it as `unwritten`. While
    /// the disk stalls, records wait in memory, up to the settings' `queueRecords` and `queueBytes`, and severe records
    /// are kept longest.
    ///
    /// A new shipper first sends the records left by an earlier one. The limits on disk are those of the spool, which
    /// reserves its last tenth for severe records and doesn't displace any. A shutdown closes the spool, and the
    /// records left in it remain for the next process. If the process didn't receive the response to a batch, the batch
    /// is sent again. Counts of losses are kept only in memory, so those that weren't reported are lost with the
    /// process.
    ///
    /// - Parameters:
    ///   - url: The URL to which batches are sent with POST. It may be a relative reference if the chain resolves it.
    ///   - format: The format of batches.
    ///   - resource: The program that logs.
    ///   - transport: The transport, such as a chain.
    ///   - settings: The settings for batches, retries, and records in memory that are waiting to be written.
    ///   - spool: The spool, or `nil` to keep records in memory. It can't be shared with other shippers.
    ///   - levels: The least severe level logged for each component; `info` by default.
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
        spool: LogSpool?,
        levels: LogLevels = LogLevels(),
        environment: ChainEnvironment = .live,
        metrics: (any MetricsFactory)? = nil,
        filter: (@Sendable (LogRecord) -> Bool)? = nil,
        observer: (@Sendable (Event) -> Void)? = nil
    ) {
        let queue: any LogQueue = if let spool { SpoolLogQueue(spool, settings) } else { MemoryLogQueue(settings) }
        self.init(
            to: url,
            format: format,
            resource: resource,
            over: transport,
            settings: settings,
            queue: queue,
            levels: levels,
            environment: environment,
            metrics: metrics,
            filter: filter,
            observer: observer
        )
    }
}
