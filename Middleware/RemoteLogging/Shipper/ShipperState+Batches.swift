import HTTPChainCore

/// A batch on its way out.
struct OutgoingBatch: Sendable {
    let id: Int
    let records: [LogRecord]
    /// The losses of which a record of their own tells, at the end of the batch.
    let reported: LogShipper.Drops?
    /// Rings when somebody wants the batch delivered at once.
    let bell: Doorbell
}

extension ShipperState {
    /// What the worker does next.
    enum Step: Sendable {
        case export(OutgoingBatch)
        /// Sleep, at most until a point in time.
        case wait(until: Duration?)
    }

    /// How a batch ended.
    enum Outcome: Sendable, Hashable {
        case acknowledged(rejected: Int)
        case lost(LogShipper.DropReason)
        /// The shipper ended first.
        case interrupted
    }

    /// What the worker does next, at a point in time.
    mutating func step(now: Duration) -> Step {
        guard flights.count < maxFlights else {
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
            // A report of losses takes the place of a record.
            let count = unreported.isEmpty ? rule.records : max(1, rule.records - 1)
            let batch = queue.next(count, bytes: rule.bytes)
            if queue.count == 0 { self.since = now }
            sleep = .awake
            return .export(depart(batch))
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

    private mutating func depart(_ batch: LogQueueBatch?) -> OutgoingBatch {
        lastID += 1
        let reported = unreported.isEmpty ? nil : unreported
        let bell = Doorbell()
        flights[lastID] = Flight(
            position: batch?.position,
            first: batch?.position.first ?? queue.latest,
            levels: batch?.levels ?? LogLevelCounts(),
            reported: reported,
            bell: bell
        )
        unreported = LogShipper.Drops()
        mayReportAlone = false
        return OutgoingBatch(id: lastID, records: batch?.records ?? [], reported: reported, bell: bell)
    }

    /// Notes that a batch is sent, for the first time or again.
    mutating func attempt(_ id: Int, isRetry: Bool) {
        counts.sent += flights[id]?.levels.total ?? 0
        if isRetry { counts.retries += 1 }
    }

    /// Takes records out of a batch under way that cannot be sent.
    ///
    /// - Parameter reports: Whether the report of losses is among them.
    mutating func loseUnencodable(_ levels: LogLevelCounts, reports: Bool, of id: Int) {
        guard var flight = flights[id] else { return }
        flight.levels = flight.levels - levels
        lose(levels, .unencodable)
        if reports, let reported = flight.reported {
            unreported += reported
            flight.reported = nil
        }
        flights[id] = flight
    }

    /// Ends a batch.
    ///
    /// - Returns: Whether the worker is to be woken, and who else.
    mutating func settle(_ id: Int, _ outcome: Outcome) -> (wake: Wake, bells: [Doorbell]) {
        guard let flight = flights.removeValue(forKey: id) else { return (.nobody, []) }
        switch outcome {
        case .acknowledged(let rejected):
            let rejected = min(rejected, flight.levels.total)
            counts.acknowledged += flight.levels.total - rejected
            counts.rejected += rejected
        case .lost(let reason):
            lose(flight.levels, reason)
            // Not for a batch that only reported: refused each time, it would be sent without end.
            if !flight.levels.isEmpty, !flushes.isEmpty { mayReportAlone = true }
        case .interrupted:
            if !queue.isDurable { lose(flight.levels, .abandoned) }
        }
        if let reported = flight.reported, !outcome.isDelivered { unreported += reported }
        if let position = flight.position, outcome != .interrupted { queue.settle(position) }
        let bells = flushes.values.filter { isSettled($0.target) }.map(\.bell)
        return (sleep == .untilSettled ? wakeWorker() : .nobody, bells)
    }
}

extension ShipperState.Outcome {
    fileprivate var isDelivered: Bool {
        if case .acknowledged = self { true } else { false }
    }
}
