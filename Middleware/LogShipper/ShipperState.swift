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

    /// What the worker sleeps for.
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
    }

    /// Somebody who waits for everything up to a record to be settled.
    struct Flush: Sendable {
        let target: Int
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
        counts.recovered = queue.count
    }

    var statistics: LogShipper.Statistics {
        var result = counts
        result.queuedRecords = queue.count
        result.queuedBytes = queue.bytes
        result.inFlight = recordsInFlight
        return result
    }

    var recordsInFlight: Int { flights.values.reduce(0) { $0 + $1.levels.total } }

    /// Takes a record, or counts it among the lost.
    mutating func add(_ record: LogRecord, size: Int) -> Wake {
        if isShutDown {
            counts.dropped[.shutDown][record.level] += 1
            return .nobody
        }
        var displaced = LogLevelCounts()
        if let reason = queue.add(record, size: size, displaced: &displaced) {
            counts.dropped[reason][record.level] += 1
            unreported[reason][record.level] += 1
        } else {
            counts.accepted += 1
            if !displaced.isEmpty { lose(displaced, .displaced) }
        }
        switch sleep {
        case _ where !hasWorker, .untilRecords: return wakeWorker()
        case .untilFullBatch: return rule.isFull(records: queue.count, bytes: queue.bytes) ? wakeWorker() : .nobody
        case .awake, .untilSettled: return .nobody
        }
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
