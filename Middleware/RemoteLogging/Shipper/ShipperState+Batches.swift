import HTTPChainCore
import HTTPChainRemoteLogging

/// A batch that is being sent.
struct OutgoingBatch: Sendable {
    let id: Int
    let records: [LogRecord]
    /// The losses reported by an additional record at the end of the batch.
    let reported: LogShipper.Drops?
    /// The signal to deliver the batch immediately.
    let signal: WakeSignal
}

extension ShipperState {
    /// The next step of the worker.
    enum Step: Sendable {
        case export(OutgoingBatch)
        /// Read the next records and pass them to `resume`.
        case read(@Sendable () -> LogQueueReading)
        /// Sleep, but at most until this time.
        case wait(until: Duration?)
    }

    /// The step after reading records.
    enum Resumption: Sendable {
        case export(OutgoingBatch)
        /// There is nothing to send.
        ///
        /// Contains the signals to wake, and the pause before the next step.
        case nothing([WakeSignal], pause: Duration)
    }

    private static let pauseAfterFailedReading = Duration.seconds(1)

    /// The outcome of a batch.
    enum Outcome: Sendable, Hashable {
        case acknowledged(rejected: Int)
        case lost(LogShipper.DropReason)
        /// The shipper ended before the batch was settled.
        case interrupted
    }

    /// Returns the next step of the worker at a point in time.
    mutating func step(now: Duration) -> Step {
        guard hasRoom else {
            sleep = .untilSettled
            return .wait(until: nil)
        }
        let since = since ?? now
        self.since = since
        let decision = rule.decision(
            records: queue.count,
            bytes: queue.bytes,
            since: since,
            now: now,
            isUrgent: isUrgent(queue.oldest)
        )
        switch decision {
        case .send:
            // A report of losses counts as a record.
            let count = unreported.isEmpty ? rule.records : max(1, rule.records - 1)
            sleep = .awake
            switch queue.next(count, bytes: rule.bytes) {
            case .batch(let batch):
                if queue.count == 0 { self.since = now }
                return .export(depart(batch))
            case .reading(let read): return .read(read)
            case .nothing: return .wait(until: now)
            }
        case .wait(let instant):
            sleep = .untilFullBatch
            return .wait(until: instant)
        case .idle:
            if mayReportAlone, !unreported.isEmpty {
                sleep = .awake
                return .export(depart(nil))
            }
            self.since = nil
            sleep = .untilRecords
            return .wait(until: nil)
        }
    }

    /// Whether another batch can be sent.
    ///
    /// Batches waiting to be retried don't count, up to the same limit, so that memory and the load on a failing
    /// receiver stay limited.
    private var hasRoom: Bool {
        flights.count < (queue.letsPass ? 2 : 1) * maxFlights && flights.values.count { !$0.isWaiting } < maxFlights
    }

    /// Records that a batch is waiting to be retried.
    ///
    /// - Returns: Whether to wake the worker because another batch can be sent.
    mutating func pause(_ id: Int) -> Wake {
        flights[id]?.isWaiting = true
        return sleep == .untilSettled ? wakeWorker() : .nobody
    }

    /// Continues with the records that were read for the queue.
    mutating func resume(_ reading: LogQueueReading, now: Duration) -> Resumption {
        let batch = queue.take(reading)
        if queue.count == 0 { since = now }
        if let batch { return .export(depart(batch)) }
        // Fewer records than the flushes expected could be read.
        let hasFailed = if case .failed = reading { true } else { false }
        return .nothing(settledSignals, pause: hasFailed ? Self.pauseAfterFailedReading : .zero)
    }

    private mutating func depart(_ batch: LogQueueBatch?) -> OutgoingBatch {
        lastID += 1
        let reported = unreported.isEmpty ? nil : unreported
        let signal = WakeSignal()
        flights[lastID] = Flight(
            position: batch?.position,
            first: batch?.position.first ?? queue.latest,
            levels: batch?.levels ?? LogLevelCounts(),
            reported: reported,
            signal: signal
        )
        unreported = LogShipper.Drops()
        mayReportAlone = false
        return OutgoingBatch(id: lastID, records: batch?.records ?? [], reported: reported, signal: signal)
    }

    /// Records that this many records of a batch are being sent.
    mutating func attempt(_ id: Int, records: Int, isRetry: Bool) {
        counts.sent += records
        if isRetry { counts.retries += 1 }
        flights[id]?.isWaiting = false
    }

    /// Removes lost records from a batch in flight.
    ///
    /// The other records of the batch are still sent.
    ///
    /// - Parameter reports: Whether the lost records include the report of losses.
    mutating func lose(_ levels: LogLevelCounts, _ reason: LogShipper.DropReason, reports: Bool, of id: Int) {
        guard var flight = flights[id] else { return }
        flight.levels = flight.levels - levels
        lose(levels, reason)
        if reports, let reported = flight.reported {
            unreported += reported
            flight.reported = nil
        }
        flights[id] = flight
    }

    /// Removes acknowledged records from a batch in flight.
    ///
    /// The other records of the batch still have to be sent.
    mutating func acknowledge(_ levels: LogLevelCounts, rejected: Int, reports: Bool, of id: Int) {
        guard var flight = flights[id] else { return }
        flight.levels = flight.levels - levels
        if reports { flight.reported = nil }
        flights[id] = flight
        counts.acknowledged += levels.total - min(rejected, levels.total)
        counts.rejected += min(rejected, levels.total)
    }

    /// Ends a batch.
    ///
    /// - Returns: The work to do next.
    mutating func settle(_ id: Int, _ outcome: Outcome) -> Aftermath {
        guard let flight = flights.removeValue(forKey: id) else { return Aftermath() }
        var aftermath = Aftermath()
        switch outcome {
        case .acknowledged(let rejected):
            let rejected = min(rejected, flight.levels.total)
            counts.acknowledged += flight.levels.total - rejected
            counts.rejected += rejected
        case .lost(let reason):
            lose(flight.levels, reason)
            // This isn't done after a batch that contains only a report. If the receiver always refused the report, it
            // would be sent endlessly.
            if !flight.levels.isEmpty, !flushes.isEmpty { mayReportAlone = true }
        case .interrupted:
            if !queue.giveBack(flight.levels.total) { lose(flight.levels, .abandoned) }
        }
        let isDelivered = if case .acknowledged = outcome { true } else { false }
        if let reported = flight.reported, !isDelivered { unreported += reported }
        if let position = flight.position, outcome != .interrupted { aftermath.forget = queue.settle(position) }
        aftermath.signals = settledSignals
        if sleep == .untilSettled { aftermath.wake = wakeWorker() }
        return aftermath
    }

    /// The work to do after a change, without blocking the state.
    struct Aftermath: Sendable {
        /// Work to do first, which records on disk that log records are settled.
        var forget: (@Sendable () -> Void)?
        var wake = Wake.nobody
        var signals: [WakeSignal] = []
    }

    /// The signals of flushes that no longer have to wait.
    private var settledSignals: [WakeSignal] {
        flushes.values.filter { isSettled($0.target) }.map(\.signal)
    }
}
