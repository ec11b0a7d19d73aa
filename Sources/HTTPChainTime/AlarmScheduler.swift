import HTTPChainSupport

/// Schedules any number of alarms on one clock, with a single task that sleeps until the next one.
///
/// The task isn't a child of any call's task. The system's clock keeps cancelled sleeps in its queue until they are
/// due, so a sleep for each call would pile up. The task therefore keeps sleeping, serves the alarms added in the
/// meantime, and ends when it wakes and finds none. It retains nothing of a call.
///
/// For a clock that can only sleep, each alarm has a separate scheduler, whose task is cancelled with the alarm.
final class AlarmScheduler: Sendable {
    typealias Table = DeadlineTable<@Sendable () -> Void>

    private struct State: Sendable {
        var table = Table()
        var sleeper: Task<Void, Never>?
        /// The time at which the sleeping task wakes, or `nil` if there is none.
        var wakes: Duration?
        /// The number of the current sleeping task, by which a task that was replaced recognizes that.
        var sleeperNumber = 0

        mutating func dismissSleeper() {
            sleeper?.cancel()
            sleeper = nil
            wakes = nil
            sleeperNumber += 1
        }
    }

    /// The scheduler for all calls of the process that use the system's clock.
    static let system = AlarmScheduler(time: SystemTime())

    /// The maximum length of one sleep.
    ///
    /// Clocks may count nanoseconds in 64 bits, so longer sleeps are split.
    static let longestSleep = Duration.seconds(86_400)

    private let time: any TimeSource
    private let isShared: Bool
    private let state = Locked(State())

    /// Makes a scheduler without alarms.
    ///
    /// - Parameters:
    ///   - time: The clock.
    ///   - isShared: Whether the task keeps sleeping for later alarms when the last one is cancelled; `true` by default.
    init(time: any TimeSource, isShared: Bool = true) {
        self.time = time
        self.isShared = isShared
    }

    deinit {
        state.withLock { $0.dismissSleeper() }
    }

    /// The number of scheduled alarms.
    var count: Int { state.withLock { $0.table.count } }

    /// Sets an alarm.
    func alarm(at instant: Duration, perform action: @escaping @Sendable () -> Void) -> any TimeAlarm {
        let id = state.withLock { state in
            let id = state.table.add(action, at: instant)
            rouse(&state)
            return id
        }
        return ScheduledAlarm(scheduler: self, id: id)
    }

    fileprivate func move(_ id: Table.AlarmID, to instant: Duration) {
        state.withLock { state in
            state.table.move(id, to: instant)
            if let wakes = state.wakes, wakes <= instant { return }
            rouse(&state)
        }
    }

    fileprivate func remove(_ id: Table.AlarmID) {
        state.withLock { state in
            state.table.remove(id)
            if !isShared, state.table.count == 0 { state.dismissSleeper() }
        }
    }

    /// Ensures that the task wakes up in time for the next alarm.
    private func rouse(_ state: inout State) {
        guard let next = state.table.next else { return }
        if let wakes = state.wakes, wakes <= next { return }
        state.dismissSleeper()
        state.wakes = next
        // Detached, so as not to retain the task-local values of the first call.
        state.sleeper = Task.detached(priority: .high) { [weak self, time, number = state.sleeperNumber] in
            var pause = next - time.elapsed
            while true {
                // The sleep only throws if the task is cancelled.
                guard (try? await time.sleep(for: min(pause, Self.longestSleep))) != nil,
                    let rest = self?.wake(number)
                else { return }
                pause = rest
            }
        }
    }

    /// Calls the actions of alarms that are due.
    ///
    /// - Returns: The time to sleep from now, or `nil` if the task is no longer needed.
    private func wake(_ number: Int) -> Duration? {
        let now = time.elapsed
        let (due, next) = state.withLock { state -> ([@Sendable () -> Void], Duration?) in
            guard state.sleeperNumber == number else { return ([], nil) }
            let due = state.table.expire(at: now)
            state.wakes = state.table.next
            if state.wakes == nil { state.sleeper = nil }
            return (due, state.wakes)
        }
        for action in due { action() }
        return next.map { $0 - now }
    }
}

private final class ScheduledAlarm: TimeAlarm {
    private let scheduler: AlarmScheduler
    private let id: AlarmScheduler.Table.AlarmID

    init(scheduler: AlarmScheduler, id: AlarmScheduler.Table.AlarmID) {
        self.scheduler = scheduler
        self.id = id
    }

    deinit {
        cancel()
    }

    func move(to instant: Duration) { scheduler.move(id, to: instant) }
    func cancel() { scheduler.remove(id) }
}
