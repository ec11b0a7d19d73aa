import HTTPChainCore

extension ShipperState {
    /// A flush that has begun.
    struct BegunFlush: Sendable {
        let id: Int
        let wake: Wake
        /// The signals of batches that are waiting to be retried and should be sent now.
        let signals: [WakeSignal]
    }

    /// Returns whether a flush is waiting for a record.
    func isUrgent(_ number: Int?) -> Bool {
        guard let number, !flushes.isEmpty else { return false }
        return flushes.values.contains { $0.target >= number }
    }

    /// Returns whether a flush is waiting for a batch in flight.
    func isUrgent(batch id: Int) -> Bool { isUrgent(flights[id]?.first) }

    /// Returns whether all records up to this number are settled, and the losses reported.
    func isSettled(_ target: Int) -> Bool {
        if hasEnded { return true }
        if mayReportAlone, !unreported.isEmpty { return false }
        if let oldest = queue.oldest, oldest <= target { return false }
        return flights.values.allSatisfy { $0.first > target }
    }

    /// Starts a flush of all current records.
    ///
    /// - Parameter signal: The signal that wakes the caller when the flush is settled.
    /// - Returns: `nil` if there is nothing to wait for.
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

    /// Records the failure of a batch.
    mutating func note(_ failure: any Error) {
        let text = (failure as? any HTTPChainError).map { "\($0.stage): \($0.reason)" } ?? "\(failure)"
        counts.lastFailure = text.onOneLine(joinedBy: "; ").printable()
    }

    /// Ends a flush.
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

    /// Abandons the remaining records after the worker has ended.
    ///
    /// - Returns: The result of the shutdown, and the signals to wake.
    mutating func end() -> (result: LogShipper.FlushResult, signals: [WakeSignal]) {
        hasEnded = true
        let (lost, reason) = queue.abandon()
        lose(lost, reason)
        let left = counts.drops[.abandoned].total + (reason == .abandoned ? 0 : lost.total) + queue.count
        let failure = left == 0 ? failureOfLosses : counts.lastFailure
        return (
            LogShipper.FlushResult(isComplete: left == 0, left: left, lastFailure: failure),
            flushes.values.map(\.signal)
        )
    }

    /// The reason for which records in failed batches were lost, or `nil` if none were.
    private var failureOfLosses: String? { counts.drops.total > 0 ? counts.lastFailure : nil }
}
