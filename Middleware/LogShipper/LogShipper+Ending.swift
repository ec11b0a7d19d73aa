import HTTPChainCore

extension LogShipper {
    /// How long a shutdown waits for a disk that stalls.
    static let diskPatience = Duration.seconds(5)

    /// Sends what waits now, without waiting for more.
    ///
    /// Pauses between retries end, and are short as long as somebody flushes; only a pause that the receiver asked for
    /// is kept. Flushes at the same time share the work.
    ///
    /// - Parameter deadline: How long it may take; 30 seconds by default.
    /// - Returns: Whether everything that was queued before is settled, and what is left.
    /// - Throws: `CancellationError` when the task is cancelled; nothing is lost by it.
    @discardableResult
    public func flush(deadline: Duration = .seconds(30)) async throws(CancellationError) -> FlushResult {
        if Task.isCancelled { throw CancellationError() }
        return try await core.flush(deadline: deadline)
    }

    /// Takes no more records, sends what waits, and ends the worker.
    ///
    /// Batches that are in flight at the deadline are interrupted: their tasks are cancelled and awaited, and so a
    /// transport that ignores its cancellation makes this late. It may be called again and at the same time, and
    /// comes to the same result.
    ///
    /// With a spool, what was logged is written to it first, deadline or not; only for a disk that stalls for longer than
    /// 5 seconds nobody waits. The spool is closed then.
    ///
    /// - Parameter deadline: How long sending may take; ``Settings/shutdownTimeout`` by default.
    /// - Returns: Whether everything was settled, and how many records were not because the deadline passed first: they
    ///   are lost, or stay in the spool for the next process.
    /// - Throws: `CancellationError` when the task is cancelled; the shipper is shut down nevertheless, and
    ///   ``statistics`` tell what is lost.
    @discardableResult
    public func shutdown(deadline: Duration? = nil) async throws(CancellationError) -> FlushResult {
        let deadline = deadline ?? core.settings.shutdownTimeout
        close()
        var isCancelled = Task.isCancelled
        do throws(CancellationError) {
            if !isCancelled { _ = try await core.flush(deadline: deadline) }
        } catch {
            isCancelled = true
        }
        core.dismissWorker()
        await core.waitForWorker()
        let isWritten = await core.waitForWork(until: core.environment.time.elapsed + Self.diskPatience)
        let result = core.end()
        if isWritten { await core.closeQueue() }
        if isCancelled { throw CancellationError() }
        return result
    }
}

extension ShipperCore {
    func flush(deadline: Duration) async throws(CancellationError) -> LogShipper.FlushResult {
        let instant = environment.time.elapsed + deadline.bounded
        let signal = WakeSignal()
        guard let flush = state.withLock({ $0.beginFlush(signal) }) else {
            return state.withLock { $0.settledFlush }
        }
        wake(flush.wake)
        for signal in flush.signals { signal.wake() }
        await signal.wait(until: instant, on: environment.time)
        let result = state.withLock { $0.endFlush(flush.id) }
        if !result.isComplete, Task.isCancelled { throw CancellationError() }
        return result
    }

    /// Gives up what is left, once the worker has ended.
    func end() -> LogShipper.FlushResult {
        let (result, signals) = state.withLock { $0.end() }
        for signal in signals { signal.wake() }
        publish()
        return result
    }
}
