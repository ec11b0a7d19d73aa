import Foundation
import HTTPChainCore
import HTTPChainSupport

/// Runs all asynchronous jobs that are started on a thread on that same thread, one by one, in an order determined by a
/// seed.
///
/// The Swift runtime has a hook for custom scheduling of its tasks. The hook that is set here keeps the jobs enqueued
/// on a simulation's thread for that simulation, including unstructured tasks. All other threads are unaffected. Runs
/// are therefore deterministic, and the scheduler can detect that nothing is left to do.
final class SimulatedScheduler: SerialExecutor {
    private struct State: Sendable {
        var jobs: [UnownedJob] = []
        var steps = 0
        /// The actions to perform after a number of steps.
        var interrupts: [(step: Int, perform: @Sendable () -> Void)] = []
    }

    /// The end of a run.
    enum Ending {
        /// The run is done.
        case done
        /// There are no jobs left, and no wait that advancing the time could end.
        case stuck
        /// The run exceeded the maximum number of steps.
        case endless
    }

    private let state = Locked(State())
    private let random: SeededRandom
    private let clock: VirtualClock
    private let maximumSteps: Int

    init(seed: UInt64, clock: VirtualClock, maximumSteps: Int) {
        random = SeededRandom(seed: seed)
        self.clock = clock
        self.maximumSteps = maximumSteps
    }

    /// The number of steps so far.
    var steps: Int { state.withLock { $0.steps } }

    func enqueue(_ job: consuming ExecutorJob) { add(UnownedJob(job)) }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    private func add(_ job: UnownedJob) { state.withLock { $0.jobs.append(job) } }

    /// Performs an action between two steps, after this number of further steps.
    func interrupt(after steps: Int, _ perform: @escaping @Sendable () -> Void) {
        state.withLock { $0.interrupts.append((step: $0.steps + steps, perform: perform)) }
    }

    /// Runs until a condition holds, advancing the time when no jobs are left.
    func run(until isDone: () -> Bool) -> Ending {
        while !isDone() {
            if runOne() {
                if steps > maximumSteps { return .endless }
            } else if clock.advanceToNextDeadline() == nil {
                return .stuck
            }
        }
        return .done
    }

    /// Runs all ready jobs without advancing the time.
    func settle() {
        while steps <= maximumSteps, runOne() {}
    }

    private func runOne() -> Bool {
        let (job, due) = state.withLock { state -> (UnownedJob?, [@Sendable () -> Void]) in
            guard !state.jobs.isEmpty else { return (nil, []) }
            state.steps += 1
            let now = state.steps
            let due = state.interrupts.filter { $0.step <= now }.map(\.perform)
            if !due.isEmpty { state.interrupts.removeAll { $0.step <= now } }
            return (state.jobs.remove(at: Int(random.next() % UInt64(state.jobs.count))), due)
        }
        for perform in due { perform() }
        job?.runSynchronously(on: asUnownedSerialExecutor())
        return job != nil
    }
}

extension SimulatedScheduler {
    private typealias Enqueue = @convention(thin) (UnownedJob) -> Void
    private typealias Hook = @convention(thin) (UnownedJob, Enqueue) -> Void

    /// The key of the thread-specific data for the current thread's scheduler.
    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        return pthread_key_create(&key, nil) == 0 ? key : nil
    }()

    private static var ofThisThread: SimulatedScheduler? {
        guard let key, let pointer = pthread_getspecific(key) else { return nil }
        return Unmanaged<SimulatedScheduler>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Whether the runtime has the hook; the first access sets the hook.
    static let isSupported: Bool = {
        guard key != nil, let symbol = dlsym(dlopen(nil, RTLD_LAZY), "swift_task_enqueueGlobal_hook") else {
            return false
        }
        symbol.assumingMemoryBound(to: Hook?.self).pointee = { job, enqueue in
            if let scheduler = SimulatedScheduler.ofThisThread { scheduler.add(job) } else { enqueue(job) }
        }
        return true
    }()

    /// Makes the current thread belong to this simulation for the duration of `work`.
    func whileOwningThread<Result>(_ work: () -> Result) -> Result {
        guard let key = Self.key else { return work() }
        pthread_setspecific(key, Unmanaged.passUnretained(self).toOpaque())
        defer { pthread_setspecific(key, nil) }
        return work()
    }
}
