public import HTTPChainCore
public import HTTPChainLogShipper
public import HTTPChainRemoteLogging
public import Metrics

/// A queue in files, which survives the process.
///
/// Whatever asks the disk is handed out as a closure, to be run where nobody waits for the queue: the writing of records
/// in groups, the reading of batches, acknowledgements, the counting of what an earlier process has left.
///
/// Records of this process are numbered from 1 as they come; those that were left are 0, however many there are.
struct SpoolLogQueue: LogQueue {
    /// A batch that was taken out, in order: an acknowledgement covers all that is before it.
    private struct Outstanding: Sendable {
        let serial: Int
        /// Where the spool goes on after it.
        let end: LogSpoolPosition
        var isSettled = false
    }

    /// The result of a work on the disk.
    private enum Result: Sendable {
        case written(levels: [LogLevelCounts?], failures: [LogSpoolError?], bytes: Int, end: LogSpoolPosition)
        case counted(UInt64, Int)
    }

    /// Where a reading ended, and how many of its records an earlier process has left.
    private struct Mark: Sendable {
        let position: LogSpoolPosition
        let recovered: Int
    }

    /// How much is written at once.
    private static let groupRecords = 512
    private static let groupBytes = 1 << 20

    private let spool: LogSpool
    /// The records that are not written yet.
    private var staged: MemoryLogQueue
    /// The number of records that are being written.
    private var writing = 0
    /// The number of records of this process that are in the files, those that were taken out included.
    private var written = 0
    /// How many of them were not taken out.
    private var waiting = 0
    /// Up to where the files may be read: what was written after is not accounted for yet.
    private var readable: LogSpoolPosition
    private(set) var bytes: Int

    /// How many records of an earlier process were taken out.
    private var taken = 0
    /// How many of them each segment has, as far as they were counted.
    private var counts: [UInt64: Int]
    /// The segments that were not counted, the oldest first.
    private var uncounted: [UInt64]
    /// Whether everything that an earlier process has left was taken out.
    private var isBacklogOver: Bool
    /// How many records of an earlier process are left, as far as they were counted.
    private var backlog = 0

    /// Up to where records were taken out.
    private var front: LogSpoolPosition?
    private var outstanding: [Outstanding] = []
    private var lastSerial = 0
    /// Records that were taken out and stay for the next process.
    private var returned = 0

    init(_ spool: LogSpool, _ settings: LogShipper.Settings) {
        self.spool = spool
        let settings = settings.bounded
        staged = MemoryLogQueue(
            maxCount: settings.queueRecords,
            maxBytes: Int(clamping: settings.queueBytes.bytes)
        )
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

    /// An acknowledgement covers all that is before it: what passed would come twice after a `kill -9`.
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
                var bytes = 0
                let levels = zip(batch.records, failures).map { record, failure -> LogLevelCounts? in
                    if failure == nil {
                        bytes += record.estimatedSize
                        return nil
                    }
                    var lost = LogLevelCounts()
                    lost[record.level] = 1
                    return lost
                }
                return Result.written(levels: levels, failures: failures, bytes: bytes, end: spool.end)
            }
        }
        // The newest first, for the oldest are soon taken out.
        guard !isBacklogOver, let segment = uncounted.popLast() else { return nil }
        return { [spool] in Result.counted(segment, spool.countRecovered(in: segment)) }
    }

    mutating func finish(_ result: any Sendable) -> LogQueueProgress {
        var progress = LogQueueProgress()
        switch result as? Result {
        case .written(let levels, let failures, let size, let end):
            for (index, failure) in failures.enumerated() {
                guard let failure else {
                    progress.accepted += 1
                    continue
                }
                progress.refused.append(written + index + 1)
                guard let levels = levels[index] else { continue }
                if case .system = failure.problem {
                    progress.lost[.unwritable] += levels
                } else {
                    progress.lost[.full] += levels
                }
            }
            writing = 0
            written += progress.accepted
            waiting += progress.accepted
            bytes += size
            readable = end
        case .counted(let segment, let count):
            counts[segment] = count
            countBacklog()
        case nil: break
        }
        return progress
    }

    /// The number of records that are left of an earlier process, after where records were taken out.
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
                    // Nothing but damage, which the next batch's acknowledgement covers.
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
        // Where it cannot be written down, the next process sends the records again.
        return { [spool] in try? spool.acknowledge(end) }
    }

    // MARK: Ending

    mutating func giveBack(_ count: Int) -> Bool {
        returned += count
        return true
    }

    /// What is in files stays for the next process; what the disk did not take in time is lost.
    mutating func abandon() -> (LogLevelCounts, LogShipper.DropReason) { (staged.abandon().0, .unwritable) }

    func close() -> (@Sendable () -> Void)? { { [spool] in spool.close() } }
}

extension LogShipper {
    /// Makes a shipper whose records wait in files; it begins with what an earlier process has left.
    ///
    /// `log(_:)` never touches the disk: it puts the record into memory, and threads of the shipper write what is there,
    /// in groups. A record is accepted when the system has it, which is soon after: from then on it survives the end of
    /// the process, `kill -9` included. Until then it counts as `unwritten` in the statistics. While the disk stalls, as
    /// many wait in memory as `queueRecords` and `queueBytes` of the settings allow, the severe ones longest.
    ///
    /// A new shipper sends by itself what an earlier one left, before its own. The bounds on the disk are those of the
    /// spool, which keeps its last tenth for what is severe and displaces nothing; what is left at a shutdown, which
    /// closes the spool, stays for the next process. A batch whose answer the process did not live to see comes again.
    /// Counts of losses are in memory alone: those that were not reported end with the process.
    ///
    /// - Parameters:
    ///   - url: Where batches are sent with POST; a reference will do where the chain completes it.
    ///   - format: What they look like.
    ///   - resource: Who sends them.
    ///   - transport: What carries them: a chain, or a bare transport.
    ///   - settings: Batches and retries, and how much waits in memory to be written.
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
                queue: SpoolLogQueue(spool, settings),
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
