import Foundation
import HTTPChainCore
import HTTPChainSupport

/// Runs everything asynchronous that begins on one thread on that thread, piece by piece, in an order that a seed
/// chooses.
///
/// The runtime of Swift has a hook for whoever wants to run its tasks. The hook that is set here keeps what is enqueued
/// on the thread of a simulation for that simulation, unstructured tasks included; all other threads go on as before.
/// So nothing is left to chance, and it is certain when nothing is left to do.
final class SimulatedScheduler: SerialExecutor {
    private struct State: Sendable {
        var jobs: [UnownedJob] = []
        var steps = 0
        /// The actions that are performed after so many steps.
        var interrupts: [(step: Int, perform: @Sendable () -> Void)] = []
    }

    /// How a run ended.
    enum Ending {
        /// It is done.
        case done
        /// There is nothing left to run and no time to wait for.
        case stuck
        /// It goes on and on.
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

    /// How many pieces of work have run.
    var steps: Int { state.withLock { $0.steps } }

    func enqueue(_ job: consuming ExecutorJob) { add(UnownedJob(job)) }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    private func add(_ job: UnownedJob) { state.withLock { $0.jobs.append(job) } }

    /// Does something between two pieces of work, after so many more of them.
    func interrupt(after steps: Int, _ perform: @escaping @Sendable () -> Void) {
        state.withLock { $0.interrupts.append((step: $0.steps + steps, perform: perform)) }
    }

    /// Runs until something is so, moving the time on whenever nothing else is left to do.
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

    /// Runs what is ready, and leaves the time where it is.
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

    /// Where the scheduler of the current thread is kept.
    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        return pthread_key_create(&key, nil) == 0 ? key : nil
    }()

    private static var ofThisThread: SimulatedScheduler? {
        guard let key, let pointer = pthread_getspecific(key) else { return nil }
        return Unmanaged<SimulatedScheduler>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Whether the runtime has the hook; it is set by the first look.
    static let isSupported: Bool = {
        guard key != nil, let symbol = dlsym(dlopen(nil, RTLD_LAZY), "swift_task_enqueueGlobal_hook") else {
            return false
        }
        symbol.assumingMemoryBound(to: Hook?.self).pointee = { job, enqueue in
            if let scheduler = SimulatedScheduler.ofThisThread { scheduler.add(job) } else { enqueue(job) }
        }
        return true
    }()

    /// Makes the current thread one of this simulation for as long as `work` takes.
    func whileOwningThread<Result>(_ work: () -> Result) -> Result {
        guard let key = Self.key else { return work() }
        pthread_setspecific(key, Unmanaged.passUnretained(self).toOpaque())
        defer { pthread_setspecific(key, nil) }
        return work()
    }
}
