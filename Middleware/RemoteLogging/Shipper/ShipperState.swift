import HTTPChainCore
import HTTPChainRemoteLogging

/// The state of a shipper: the queue, the batches in flight, the flushes, and the counts.
struct ShipperState: Sendable {
    /// The worker to wake after a change.
    enum Wake: Sendable, Hashable {
        case nobody
        /// Wake the sleeping worker.
        case worker
        /// Start a worker.
        case newWorker
    }

    /// The event that ends the worker's sleep.
    enum Sleep: Sendable, Hashable {
        /// The worker isn't sleeping.
        case awake
        /// The first record.
        case untilRecords
        /// A full batch, or the time to send.
        case untilFullBatch
        /// The end of a batch in flight.
        case untilSettled
    }

    /// A batch in flight.
    struct Flight: Sendable {
        /// The position of the batch's records, or `nil` if it only reports losses.
        let position: LogQueueBatch.Position?
        /// The number of the batch's first record.
        ///
        /// A flush for this record or a later one is also waiting for the batch.
        let first: Int
        var levels: LogLevelCounts
        /// The losses that the batch reports.
        var reported: LogShipper.Drops?
        /// The signal to deliver the batch immediately.
        let signal: WakeSignal
        /// Whether the batch is waiting to be retried, so that another one can be sent in the meantime.
        var isWaiting = false
    }

    /// A flush, which waits until all records up to a certain one are settled.
    struct Flush: Sendable {
        var target: Int
        let signal: WakeSignal
    }

    let rule: BatchRule
    let maxFlights: Int
    var queue: any LogQueue
    var counts = LogShipper.Statistics()
    /// Losses that aren't reported by any batch in flight.
    var unreported = LogShipper.Drops()
    /// Whether a batch may contain only a report of losses, for example during a flush.
    var mayReportAlone = false
    var flights: [Int: Flight] = [:]
    var flushes: [Int: Flush] = [:]
    var lastID = 0
    var hasWorker = false
    var isShutDown = false
    /// Whether the worker has ended permanently.
    var hasEnded = false
    var sleep = Sleep.awake
    /// Whether the queue's work is currently being done.
    var isWorking = false
    /// The signals of callers that are waiting for the end of that work.
    var workSignals: [WakeSignal] = []
    /// A time before which none of the waiting records were added, or `nil` if the queue was empty.
    var since: Duration?

    init(queue: any LogQueue, settings: LogShipper.Settings) {
        self.queue = queue
        rule = BatchRule(
            records: settings.batchRecords,
            bytes: Int(clamping: settings.batchBytes.bytes),
            age: settings.batchAge
        )
        maxFlights = settings.concurrentExports
    }

    var statistics: LogShipper.Statistics {
        var result = counts
        result.recovered = queue.recovered
        result.unwritten = queue.unwritten
        result.queuedRecords = queue.queued
        result.queuedBytes = queue.bytes
        result.inFlight = recordsInFlight
        return result
    }

    var recordsInFlight: Int { flights.values.reduce(0) { $0 + $1.levels.total } }

    /// The work to do after adding a record.
    struct Addition: Sendable {
        var wake = Wake.nobody
        /// Whether to start the queue's work.
        var startsWork = false
    }

    /// Adds a record, or counts it as lost.
    mutating func add(_ record: LogRecord, size: Int) -> Addition {
        if isShutDown {
            counts.drops[.shutDown][record.level] += 1
            return Addition()
        }
        var displaced = LogLevelCounts()
        let addition = queue.add(record, size: size, displaced: &displaced)
        if !displaced.isEmpty { lose(displaced, queue.displacement) }
        switch addition {
        case .refused(let reason):
            counts.drops[reason][record.level] += 1
            unreported[reason][record.level] += 1
            return Addition()
        case .queued:
            counts.accepted += 1
            return Addition(wake: wakeForRecords())
        case .unwritten: return Addition(startsWork: beginsWork())
        }
    }

    /// Returns the worker to wake after adding records.
    private mutating func wakeForRecords() -> Wake {
        switch sleep {
        case _ where !hasWorker, .untilRecords: return wakeWorker()
        case .untilFullBatch: return rule.isFull(records: queue.count, bytes: queue.bytes) ? wakeWorker() : .nobody
        case .awake, .untilSettled: return .nobody
        }
    }

    // MARK: Work

    /// Returns whether the caller must start the queue's work because nothing else is doing it.
    mutating func beginsWork() -> Bool {
        if isWorking { return false }
        isWorking = true
        return true
    }

    /// Returns the next work for the queue.
    ///
    /// - Returns: The work, or `nil` and the signals of those waiting for its end if there is no more work.
    mutating func nextWork() -> (work: (@Sendable () -> any Sendable)?, signals: [WakeSignal]) {
        if let work = queue.nextWork() { return (work, []) }
        isWorking = false
        defer { workSignals = [] }
        return (nil, workSignals)
    }

    /// Records the result of a piece of work.
    ///
    /// - Returns: The worker to wake, and the signals to send.
    mutating func finishWork(_ result: any Sendable) -> (wake: Wake, signals: [WakeSignal]) {
        let progress = queue.finish(result)
        counts.accepted += progress.accepted
        if !progress.lost.isEmpty {
            for reason in LogShipper.DropReason.allCases { lose(progress.lost[reason], reason) }
            if !flushes.isEmpty { mayReportAlone = true }
            // The flushes now have fewer records to wait for.
            for (id, flush) in flushes {
                let lost = progress.refused.count { $0 <= flush.target }
                flushes[id]?.target -= lost
            }
        }
        var wake = progress.accepted > 0 ? wakeForRecords() : .nobody
        if wake == .nobody, !flushes.isEmpty, sleep == .untilFullBatch || sleep == .untilRecords { wake = wakeWorker() }
        return (wake, flushes.values.filter { isSettled($0.target) }.map(\.signal))
    }

    /// Starts to wait for the end of the work.
    ///
    /// - Returns: Whether there is something to wait for.
    mutating func waitsForWork(_ signal: WakeSignal) -> Bool {
        if isWorking { workSignals.append(signal) }
        return isWorking
    }

    mutating func countOwnTraffic() {
        counts.ownTraffic += 1
    }

    mutating func lose(_ levels: LogLevelCounts, _ reason: LogShipper.DropReason) {
        counts.drops[reason] += levels
        if reason.isReported { unreported[reason] += levels }
    }

    mutating func wakeWorker() -> Wake {
        guard hasWorker else {
            hasWorker = true
            return .newWorker
        }
        if sleep == .awake { return .nobody }
        sleep = .awake
        return .worker
    }
}
