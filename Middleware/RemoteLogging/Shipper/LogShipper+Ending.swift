import HTTPChainCore

extension LogShipper {
    /// The time that a shutdown waits for a stalled disk.
    static let diskPatience = Duration.seconds(5)

    /// Sends the waiting records immediately.
    ///
    /// Pauses between retries end, and stay short during the flush, except for pauses that the receiver requested.
    /// Concurrent flushes share the work.
    ///
    /// - Parameter deadline: The time limit; 30 seconds by default.
    /// - Returns: Whether all records queued before are settled, and the number of records left.
    /// - Throws: `CancellationError` if the task is cancelled. No records are lost.
    @discardableResult
    public func flush(deadline: Duration = .seconds(30)) async throws(CancellationError) -> FlushResult {
        if Task.isCancelled { throw CancellationError() }
        return try await core.flush(deadline: deadline)
    }

    /// Stops accepting records, sends the pending ones, and ends the worker.
    ///
    /// At the deadline, batches in flight are interrupted: their tasks are cancelled and awaited, so a transport that
    /// ignores cancellation delays the return. The method may be called repeatedly and concurrently, with the same
    /// result.
    ///
    /// With a spool, records are first written to it. This happens regardless of the deadline, but a stalled disk is
    /// waited for at most 5 seconds. Then the spool is closed.
    ///
    /// - Parameter deadline: The time limit for sending; 30 seconds by default, and 3 seconds with
    ///   ``Settings/commandLine``.
    /// - Returns: Whether all records were settled, and the number of those that weren't because the deadline passed.
    ///   These are lost, or remain in the spool for the next process.
    /// - Throws: `CancellationError` if the task is cancelled. The shipper is shut down nevertheless, and
    ///   ``statistics`` show the losses.
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

    /// Abandons the remaining records after the worker has ended.
    func end() -> LogShipper.FlushResult {
        let (result, signals) = state.withLock { $0.end() }
        for signal in signals { signal.wake() }
        publish()
        return result
    }
}
