import Foundation
import HTTPChainCore
import HTTPChainRemoteLogging

/// The implementation of a ``LogShipper``: the locked state, and the worker that sends.
///
/// It owns one task, the worker. This is the only task here that isn't a child of a call. The first record starts it.
/// It sleeps when there is nothing to do, and ends when the shipper is shut down or released. The worker retains the
/// core but not the shipper, so that a shipper without references is released and cancels the worker.
final class ShipperCore: Sendable {
    private struct Worker: Sendable {
        var task: Task<Void, Never>?
        var isDismissed = false
    }

    let destination: LogDestination
    let settings: LogShipper.Settings
    let environment: ChainEnvironment
    let observer: (@Sendable (LogShipper.Event) -> Void)?
    let state: Locked<ShipperState>
    private let metrics: ShipperMetrics
    /// Separate threads for a spool, so that a stalled disk delays only the shipping.
    private let fileWork = FileExecutor(limit: 2)
    private let signal = WakeSignal()
    private let worker = Locked(Worker())

    init(
        _ destination: LogDestination,
        queue: any LogQueue,
        settings: LogShipper.Settings,
        environment: ChainEnvironment,
        metrics: ShipperMetrics,
        observer: (@Sendable (LogShipper.Event) -> Void)?
    ) {
        self.destination = destination
        self.settings = settings
        self.environment = environment
        self.metrics = metrics
        self.observer = observer
        state = Locked(ShipperState(queue: queue, settings: settings))
    }

    /// Queues a record.
    func add(_ record: LogRecord) {
        let size = record.estimatedSize
        let addition = state.withLock { $0.add(record, size: size) }
        wake(addition.wake)
        if addition.startsWork { work() }
    }

    func wake(_ wake: ShipperState.Wake) {
        switch wake {
        case .nobody: break
        case .worker: signal.wake()
        case .newWorker: startWorker()
        }
    }

    /// Starts the worker without a new record, for records from an earlier process.
    func start() {
        let (wake, startsWork) = state.withLock { ($0.wakeWorker(), $0.beginsWork()) }
        self.wake(wake)
        if startsWork { work() }
    }

    // MARK: The queue's work

    /// Performs the queue's work, such as writing records, on a thread that may wait for a disk.
    ///
    /// This keeps the core alive until the last record is written, even if there are no other references to it.
    private func work() {
        fileWork.submit {
            while let work = self.nextWork() {
                let result = work()
                let (wake, signals) = self.state.withLock { $0.finishWork(result) }
                self.wake(wake)
                for signal in signals { signal.wake() }
            }
        }
    }

    private func nextWork() -> (@Sendable () -> any Sendable)? {
        let (work, signals) = state.withLock { $0.nextWork() }
        for signal in signals { signal.wake() }
        return work
    }

    /// Waits until the queue's work is done.
    ///
    /// - Returns: Whether it was done in time.
    func waitForWork(until instant: Duration) async -> Bool {
        let signal = WakeSignal()
        guard state.withLock({ $0.waitsForWork(signal) }) else { return true }
        await signal.wait(until: instant, on: environment.time)
        return state.withLock { !$0.isWorking }
    }

    /// Releases the queue's resources.
    func closeQueue() async {
        guard let close = state.withLock({ $0.queue.close() }) else { return }
        await fileWork.runToEnd { close() }
    }

    /// Updates the metrics.
    func publish() {
        metrics.publish(state.withLock { $0.statistics })
    }

    // MARK: The worker

    private func startWorker() {
        worker.withLock { worker in
            guard !worker.isDismissed else { return }
            // The task is detached, so that it doesn't inherit the task-local values of the task that logged first.
            worker.task = Task.detached { await self.run() }
        }
    }

    /// Ends the worker, and interrupts batches in flight.
    func dismissWorker() {
        worker.withLock { worker in
            worker.isDismissed = true
            worker.task?.cancel()
        }
    }

    /// Waits until the worker has ended.
    func waitForWorker() async {
        await worker.withLock { $0.task }?.value
    }

    private func run() async {
        // Everything in this closure is shipping, so records that it logs aren't shipped.
        await LogShipping.$isUnderWay.withValue(true) {
            await withDiscardingTaskGroup { group in
                while let batch = await self.nextBatch() {
                    group.addTask { await self.deliver(batch) }
                }
            }
        }
    }

    private func nextBatch() async -> OutgoingBatch? {
        while !Task.isCancelled {
            let now = environment.time.elapsed
            switch state.withLock({ $0.step(now: now) }) {
            case .export(let batch): return batch
            case .wait(let instant): await signal.wait(until: instant, on: environment.time)
            case .read(let read): if let batch = await self.read(read) { return batch }
            }
        }
        return nil
    }

    /// Reads records without blocking the queue.
    private func read(_ read: @escaping @Sendable () -> LogQueueReading) async -> OutgoingBatch? {
        let reading = await fileWork.runToEnd { read() }
        let now = environment.time.elapsed
        switch state.withLock({ $0.resume(reading, now: now) }) {
        case .export(let batch): return batch
        case .nothing(let signals, let pause):
            for signal in signals { signal.wake() }
            await environment.time.wait(until: now + pause)
            return nil
        }
    }

    /// Ends a batch, notifies the observer, and wakes tasks that are waiting for the batch.
    func settle(_ batch: OutgoingBatch, _ outcome: ShipperState.Outcome, _ event: LogShipper.Event? = nil) async {
        let aftermath = state.withLock { $0.settle(batch.id, outcome) }
        // The statistics are updated first, so that they already include the event when the observer is called.
        if let event { observer?(event) }
        if let forget = aftermath.forget { await fileWork.runToEnd { forget() } }
        // The metrics are published before the waiting tasks continue, because those may read them.
        publish()
        wake(aftermath.wake)
        for signal in aftermath.signals { signal.wake() }
    }
}
