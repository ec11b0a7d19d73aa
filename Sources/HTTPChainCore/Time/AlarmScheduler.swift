import HTTPChainSupport

/// Keeps any number of alarms on one clock with a single task that sleeps until the next of them.
///
/// It owns that task, the only one here that is not the child of a call. The system's clock keeps a sleep that was
/// cancelled in its queue until it is due, so that one for each call would pile up there. So the task sleeps on, serves
/// the alarms that are set in the meantime, and ends when it wakes to find none. It holds nothing of a call.
final class AlarmScheduler: Sendable {
    typealias Table = DeadlineTable<@Sendable () -> Void>

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

    /// Serves all calls of the process that are on the system's clock.
    static let system = AlarmScheduler(time: SystemTime())

    /// Clocks may count nanoseconds in 64 bits: a longer sleep is made of several.
    static let longestSleep = Duration.seconds(86_400)

    private let time: any TimeSource
    private let state = Locked(State())

    /// Makes a scheduler without alarms.
    init(time: any TimeSource) {
        self.time = time
    }

    deinit {
        state.withLock { $0.dismissSleeper() }
    }

    /// The number of alarms that are set.
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
        _ = state.withLock { $0.table.remove(id) }
    }

    /// Makes sure that the sleeper wakes in time for the next alarm.
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

    /// Rings the alarms that are due.
    ///
    /// - Returns: How long to sleep from now; `nil` when the sleeper is not needed any more.
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
