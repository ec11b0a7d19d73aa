import HTTPChainCore

extension ShipperState {
    /// A flush that has begun.
    struct BegunFlush: Sendable {
        let id: Int
        let wake: Wake
        /// Batches that wait before a retry, and are to be sent now.
        let signals: [WakeSignal]
    }

    /// Whether somebody waits for a record to be delivered.
    func isUrgent(_ number: Int?) -> Bool {
        guard let number, !flushes.isEmpty else { return false }
        return flushes.values.contains { $0.target >= number }
    }

    /// Whether somebody waits for a batch in flight.
    func isUrgent(batch id: Int) -> Bool { isUrgent(flights[id]?.first) }

    /// Whether all records up to one are settled, and the losses reported.
    func isSettled(_ target: Int) -> Bool {
        if hasEnded { return true }
        if mayReportAlone, !unreported.isEmpty { return false }
        if let oldest = queue.oldest, oldest <= target { return false }
        return flights.values.allSatisfy { $0.first > target }
    }

    /// Begins to wait for all that is there.
    ///
    /// - Parameter signal: Wakes the caller when it is settled.
    /// - Returns: `nil` when nothing is left to wait for.
    mutating func beginFlush(_ signal: WakeSignal) -> BegunFlush? {
        if !unreported.isEmpty { mayReportAlone = true }
        let target = queue.latest
        if isSettled(target) { return nil }
        lastID += 1
        flushes[lastID] = Flush(target: target, signal: signal)
        return BegunFlush(
            id: lastID,
            wake: sleep == .untilSettled ? .nobody : wakeWorker(),
            signals: flights.values.map(\.signal)
        )
    }

    /// The result of a flush that has nothing to wait for.
    var settledFlush: LogShipper.FlushResult {
        LogShipper.FlushResult(isComplete: true, left: 0, lastFailure: failureOfLosses)
    }

    /// Notes why a batch failed.
    mutating func note(_ failure: any Error) {
        let text = (failure as? any HTTPChainError).map { "\($0.stage): \($0.reason)" } ?? "\(failure)"
        counts.lastFailure = text.onOneLine(joinedBy: "; ").printable()
    }

    /// Ends the wait.
    mutating func endFlush(_ id: Int) -> LogShipper.FlushResult {
        guard let flush = flushes.removeValue(forKey: id), !isSettled(flush.target) else {
            return settledFlush
        }
        return LogShipper.FlushResult(
            isComplete: false,
            left: queue.count + queue.unwritten + recordsInFlight,
            lastFailure: counts.lastFailure
        )
    }

    /// Gives up what is left, once the worker is gone.
    ///
    /// - Returns: What a shutdown came to, and who is to be woken.
    mutating func end() -> (result: LogShipper.FlushResult, signals: [WakeSignal]) {
        hasEnded = true
        let (lost, reason) = queue.abandon()
        lose(lost, reason)
        let left = counts.dropped[.abandoned].total + (reason == .abandoned ? 0 : lost.total) + queue.count
        let failure = left == 0 ? failureOfLosses : counts.lastFailure
        return (
            LogShipper.FlushResult(isComplete: left == 0, left: left, lastFailure: failure),
            flushes.values.map(\.signal)
        )
    }

    /// Why records are lost that the receiver would not have; `nil` where none are.
    private var failureOfLosses: String? { counts.dropped.total > 0 ? counts.lastFailure : nil }
}
