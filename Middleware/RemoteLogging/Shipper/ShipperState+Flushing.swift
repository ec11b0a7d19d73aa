extension ShipperState {
    /// A flush that has begun.
    struct BegunFlush: Sendable {
        let id: Int
        let wake: Wake
        /// Batches that wait before a retry, and are to be sent now.
        let bells: [Doorbell]
    }

    /// Whether somebody waits for a record to be delivered.
    func isUrgent(_ number: Int?) -> Bool {
        guard let number, !flushes.isEmpty else { return false }
        return flushes.values.contains { $0.target >= number }
    }

    /// Whether somebody waits for a batch under way.
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
    /// - Parameter bell: Rings when it is settled.
    /// - Returns: `nil` when nothing is left to wait for.
    mutating func beginFlush(_ bell: Doorbell) -> BegunFlush? {
        if !unreported.isEmpty { mayReportAlone = true }
        let target = queue.latest
        if isSettled(target) { return nil }
        lastID += 1
        flushes[lastID] = Flush(target: target, bell: bell)
        return BegunFlush(
            id: lastID,
            wake: sleep == .untilSettled ? .nobody : wakeWorker(),
            bells: flights.values.map(\.bell)
        )
    }

    /// Ends the wait.
    mutating func endFlush(_ id: Int) -> LogShipper.FlushResult {
        guard let flush = flushes.removeValue(forKey: id), !isSettled(flush.target) else {
            return LogShipper.FlushResult(isComplete: true, left: 0)
        }
        return LogShipper.FlushResult(isComplete: false, left: queue.count + recordsInFlight)
    }

    /// Gives up what is left, once the worker is gone.
    ///
    /// - Returns: What a shutdown came to, and who is to be woken.
    mutating func end() -> (result: LogShipper.FlushResult, bells: [Doorbell]) {
        hasEnded = true
        lose(queue.abandon(), .abandoned)
        let left = counts.dropped[.abandoned].total + queue.count
        return (LogShipper.FlushResult(isComplete: left == 0, left: left), flushes.values.map(\.bell))
    }
}
