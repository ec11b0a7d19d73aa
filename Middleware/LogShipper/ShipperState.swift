import HTTPChainCore
import HTTPChainRemoteLogging

/// All that a shipper knows: the queue, the batches in flight, who waits, and the counts.
struct ShipperState: Sendable {
    /// Who has to be woken after a change.
    enum Wake: Sendable, Hashable {
        case nobody
        /// The worker, which sleeps.
        case worker
        /// The worker, which there is not yet.
        case newWorker
    }

    /// The reason why the worker sleeps.
    enum Sleep: Sendable, Hashable {
        /// It does not.
        case awake
        /// The first record.
        case untilRecords
        /// The rest of a batch, or the time to send what there is.
        case untilFullBatch
        /// The end of a batch in flight.
        case untilSettled
    }

    /// A batch in flight.
    struct Flight: Sendable {
        /// Where its records stood; `nil` when it only reports losses.
        let position: LogQueueBatch.Position?
        /// The number of its first record, up to which a flush waits for it.
        let first: Int
        var levels: LogLevelCounts
        /// The losses it tells of.
        var reported: LogShipper.Drops?
        /// Rings when somebody wants it delivered at once.
        let signal: WakeSignal
        /// Whether it waits before a retry, so that another may be sent meanwhile.
        var isWaiting = false
    }

    /// Somebody who waits for everything up to a record to be settled.
    struct Flush: Sendable {
        var target: Int
        let signal: WakeSignal
    }

    let rule: BatchRule
    let maxFlights: Int
    var queue: any LogQueue
    var counts = LogShipper.Statistics()
    /// Losses of which no batch in flight tells.
    var unreported = LogShipper.Drops()
    /// Whether a batch may be made of a report alone: when somebody flushes.
    var mayReportAlone = false
    var flights: [Int: Flight] = [:]
    var flushes: [Int: Flush] = [:]
    var lastID = 0
    var hasWorker = false
    var isShutDown = false
    /// Whether the worker is gone for good.
    var hasEnded = false
    var sleep = Sleep.awake
    /// Whether work of the queue is being done.
    var isWorking = false
    /// Those who wait for it to be over.
    var workSignals: [WakeSignal] = []
    /// A point in time before which none of the waiting records came; `nil` when they come to an empty queue.
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

    /// The work that is to be done for a record that was added.
    struct Addition: Sendable {
        var wake = Wake.nobody
        /// Whether the queue has work, and nobody does it.
        var startsWork = false
    }

    /// Takes a record, or counts it among the lost.
    mutating func add(_ record: LogRecord, size: Int) -> Addition {
        if isShutDown {
            counts.dropped[.shutDown][record.level] += 1
            return Addition()
        }
        var displaced = LogLevelCounts()
        let addition = queue.add(record, size: size, displaced: &displaced)
        if !displaced.isEmpty { lose(displaced, queue.displacement) }
        switch addition {
        case .refused(let reason):
            counts.dropped[reason][record.level] += 1
            unreported[reason][record.level] += 1
            return Addition()
        case .queued:
            counts.accepted += 1
            return Addition(wake: wakeForRecords())
        case .unwritten: return Addition(startsWork: beginsWork())
        }
    }

    /// Who is to be woken for records that were added.
    private mutating func wakeForRecords() -> Wake {
        switch sleep {
        case _ where !hasWorker, .untilRecords: return wakeWorker()
        case .untilFullBatch: return rule.isFull(records: queue.count, bytes: queue.bytes) ? wakeWorker() : .nobody
        case .awake, .untilSettled: return .nobody
        }
    }

    // MARK: Work

    /// Whether somebody is to begin with the queue's work, because nobody does it.
    mutating func beginsWork() -> Bool {
        if isWorking { return false }
        isWorking = true
        return true
    }

    /// Returns the next work for the queue.
    ///
    /// - Returns: `nil` when there is nothing more, and who waited for that.
    mutating func nextWork() -> (work: (@Sendable () -> any Sendable)?, signals: [WakeSignal]) {
        if let work = queue.nextWork() { return (work, []) }
        isWorking = false
        defer { workSignals = [] }
        return (nil, workSignals)
    }

    /// Takes note of what came of a work.
    ///
    /// - Returns: Who is to be woken.
    mutating func finishWork(_ result: any Sendable) -> (wake: Wake, signals: [WakeSignal]) {
        let progress = queue.finish(result)
        counts.accepted += progress.accepted
        if !progress.lost.isEmpty {
            for reason in LogShipper.DropReason.allCases { lose(progress.lost[reason], reason) }
            if !flushes.isEmpty { mayReportAlone = true }
            // Whoever flushes waits for as many records less.
            for (id, flush) in flushes {
                let lost = progress.refused.count { $0 <= flush.target }
                flushes[id]?.target -= lost
            }
        }
        var wake = progress.accepted > 0 ? wakeForRecords() : .nobody
        if wake == .nobody, !flushes.isEmpty, sleep == .untilFullBatch || sleep == .untilRecords { wake = wakeWorker() }
        return (wake, flushes.values.filter { isSettled($0.target) }.map(\.signal))
    }

    /// Begins to wait for the work to be over.
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
        counts.dropped[reason] += levels
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
