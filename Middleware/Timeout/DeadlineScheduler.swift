import HTTPChainCore

/// Keeps the deadlines of any number of waits on one clock with a single task that sleeps until the next of them.
///
/// It owns that task, the only one here that is not the child of a call. On most clocks the task ends with the last
/// wait. The system's clock keeps a sleep that was cancelled in its queue until it is due, so that one for each call
/// would pile up there; on it the task sleeps on, serves the waits that begin in the meantime, and ends when it wakes
/// to find none. It holds nothing of a call, and it is cancelled when the stage and its last call are gone.
final class DeadlineScheduler: Sendable {
    /// How a wait ended.
    enum Verdict: Sendable, Hashable {
        /// The work ended.
        case ended
        /// Time was up first, at this point.
        case expired(Duration)
    }

    typealias Table = DeadlineTable<CheckedContinuation<Verdict, Never>>

    private struct State: Sendable {
        var table = Table()
        var sleeper: Task<Void, Never>?
        /// When the sleeper wakes; `nil` when there is none.
        var wakes: Duration?
        /// Tells the sleeper from one that it replaced.
        var sleeperNumber = 0

        mutating func dismissSleeper() {
            sleeper?.cancel()
            sleeper = nil
            wakes = nil
            sleeperNumber += 1
        }
    }

    /// Clocks may reckon with nanoseconds in 64 bits: a longer sleep is made of several.
    private static let longestSleep = Duration.seconds(86_400)

    let time: any TimeSource
    private let lingers: Bool
    private let state = Locked(State())

    /// Makes a scheduler without waits.
    ///
    /// - Parameters:
    ///   - time: The clock.
    ///   - lingers: Whether the sleeping task goes on sleeping when the last wait is over.
    init(time: any TimeSource, lingers: Bool) {
        self.time = time
        self.lingers = lingers
    }

    deinit {
        state.withLock { $0.dismissSleeper() }
    }

    /// Begins a wait.
    func open() -> Table.Ticket {
        state.withLock { $0.table.open() }
    }

    /// Ends a wait because its work has ended.
    func end(_ ticket: Table.Ticket) {
        let waiter = state.withLock { state in
            let waiter = state.table.end(ticket)
            dismissIdleSleeper(&state)
            return waiter
        }
        waiter?.resume(returning: .ended)
    }

    /// Puts the deadline of a wait off.
    func putOff(_ ticket: Table.Ticket, until deadline: Duration) {
        state.withLock { $0.table.putOff(ticket, until: deadline) }
    }

    /// Waits until the work has ended or time is up, and closes the wait.
    nonisolated(nonsending) func verdict(on ticket: Table.Ticket, until deadline: Duration) async -> Verdict {
        if closeIfEnded(ticket) { return .ended }
        return await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                if state.table.closeIfEnded(ticket) {
                    dismissIdleSleeper(&state)
                    return true
                }
                state.table.arm(ticket, until: deadline, waiter: continuation)
                rouse(&state)
                return false
            }
            if hasEnded { continuation.resume(returning: .ended) }
        }
    }

    private func closeIfEnded(_ ticket: Table.Ticket) -> Bool {
        state.withLock { state in
            let hasEnded = state.table.closeIfEnded(ticket)
            if hasEnded { dismissIdleSleeper(&state) }
            return hasEnded
        }
    }

    private func dismissIdleSleeper(_ state: inout State) {
        if !lingers, state.sleeper != nil, state.table.count == 0 { state.dismissSleeper() }
    }

    /// Sees to it that somebody wakes in time for the next deadline.
    private func rouse(_ state: inout State) {
        guard let next = state.table.next else { return }
        if let wakes = state.wakes, wakes <= next { return }
        state.dismissSleeper()
        state.wakes = next
        // Detached, so as not to keep the task-local values of the call that happened to come first.
        state.sleeper = Task.detached(priority: .high) { [weak self, time, number = state.sleeperNumber] in
            var pause = next - time.elapsed
            while true {
                // A sleep throws when the sleeper is dismissed, and for nothing else.
                guard (try? await time.sleep(for: min(pause, Self.longestSleep))) != nil,
                    let rest = self?.wake(number)
                else { return }
                pause = rest
            }
        }
    }

    /// Ends the waits whose time is up.
    ///
    /// - Returns: How long to sleep from now; `nil` when the sleeper is not needed any more.
    private func wake(_ number: Int) -> Duration? {
        let now = time.elapsed
        let (expired, next) = state.withLock { state -> ([Table.Expired], Duration?) in
            guard state.sleeperNumber == number else { return ([], nil) }
            let expired = state.table.expire(at: now)
            state.wakes = state.table.next
            if state.wakes == nil { state.sleeper = nil }
            return (expired, state.wakes)
        }
        for wait in expired { wait.waiter.resume(returning: .expired(wait.deadline)) }
        return next.map { $0 - now }
    }
}

extension DeadlineScheduler {
    /// Runs work in a child task, and gives it up when time is up.
    ///
    /// The child is cancelled and awaited: structured concurrency has no other way, and so work that ignores its
    /// cancellation ends late, and with it this function.
    ///
    /// - Parameters:
    ///   - ticket: A wait that was opened for it.
    ///   - deadline: When time is up.
    ///   - error: What to throw then, given the deadline that was missed.
    ///   - work: The work.
    /// - Throws: `error`, or `CancellationError` when this task was cancelled as well; what the work throws.
    nonisolated(nonsending) func run<Value: Sendable>(
        _ ticket: Table.Ticket,
        until deadline: Duration,
        orThrow error: (Duration) -> any Error,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let value = try await withThrowingTaskGroup(of: Value.self) { group -> Result<Value, Missed> in
            group.addChild {
                defer { self.end(ticket) }
                return try await work()
            }
            if case .expired(let instant) = await verdict(on: ticket, until: deadline) {
                group.cancelAll()
                return .failure(Missed(instant: instant))
            }
            guard let value = try await group.next() else { throw CancellationError() }
            return .success(value)
        }
        switch value {
        case .success(let value): return value
        case .failure(let missed):
            try Task.checkCancellation()
            throw error(missed.instant)
        }
    }

    private struct Missed: Error {
        let instant: Duration
    }
}

extension ThrowingTaskGroup {
    /// Adds a child that begins on this thread where the system can do that: what has its answer at hand then never
    /// changes threads.
    fileprivate mutating func addChild(
        _ work: @escaping @Sendable () async throws -> ChildTaskResult
    ) where Failure == any Error {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            addImmediateTask(operation: work)
        } else {
            addTask(operation: work)
        }
    }
}
