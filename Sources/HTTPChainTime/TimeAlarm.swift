import HTTPChainSupport

/// A callback at a point in time, unless it is cancelled before.
///
/// Set with ``TimeSource/alarm(at:for:perform:)``.
package protocol TimeAlarm: AnyObject, Sendable {
    /// Moves the alarm to another time on the scale of ``TimeSource/elapsed``; has no effect after it has fired.
    func move(to instant: Duration)

    /// Cancels the alarm; has no effect after it has fired.
    ///
    /// A callback that is already running on another thread continues.
    func cancel()
}

/// A clock with its own alarms, such as a virtual clock that distinguishes a deadline, which most calls never reach,
/// from a sleep.
package protocol AlarmingTimeSource: TimeSource {
    /// Whether a sleep advances the time itself, so that of two sleeps at once either may end first; `false` by default.
    var isAutomatic: Bool { get }

    /// Calls an action at a point in time; see ``TimeSource/alarm(at:for:perform:)``.
    func alarm(
        at instant: Duration,
        for purpose: @autoclosure () -> String,
        perform action: @escaping @Sendable () -> Void
    ) -> any TimeAlarm
}

extension AlarmingTimeSource {
    package var isAutomatic: Bool { false }
}

extension TimeSource {
    /// Calls an action once ``elapsed`` has reached a point in time, so that a deadline doesn't need its own task.
    ///
    /// A single sleeping task serves all alarms of the system's clock. A clock that can only sleep needs a task for
    /// each alarm.
    ///
    /// - Parameters:
    ///   - instant: The point in time, on the scale of ``elapsed``. If it has passed, the action is called soon.
    ///   - purpose: The purpose of the alarm, in a few words, for clocks that show it.
    ///   - action: The action, called at most once, on any thread; it must return quickly.
    /// - Returns: The alarm. Dropping it cancels it.
    package func alarm(
        at instant: Duration,
        for purpose: @autoclosure () -> String,
        perform action: @escaping @Sendable () -> Void
    ) -> any TimeAlarm {
        if self is SystemTime { return AlarmScheduler.system.alarm(at: instant, perform: action) }
        guard let clock = self as? any AlarmingTimeSource else {
            return SleepingAlarm(time: self, at: instant, perform: action)
        }
        return clock.alarm(at: instant, for: purpose(), perform: action)
    }
}

/// An alarm with a separate task, for clocks that can only sleep.
///
/// The task is cancelled with the alarm, and retains nothing of a call except the action.
private final class SleepingAlarm: TimeAlarm {
    private struct State: Sendable {
        var instant: Duration
        var action: (@Sendable () -> Void)?
        var task: Task<Void, Never>?
        /// The time at which the task wakes.
        var wakes: Duration
    }

    private let time: any TimeSource
    private let state: Locked<State>

    init(time: any TimeSource, at instant: Duration, perform action: @escaping @Sendable () -> Void) {
        self.time = time
        state = Locked(State(instant: instant, action: action, wakes: instant))
        sleep(until: instant)
    }

    deinit {
        cancel()
    }

    func move(to instant: Duration) {
        let isSooner = state.withLock { state in
            state.instant = instant
            return state.action != nil && instant < state.wakes
        }
        if isSooner { sleep(until: instant) }
    }

    func cancel() {
        let task = state.withLock { state in
            state.action = nil
            let task = state.task
            state.task = nil
            return task
        }
        task?.cancel()
    }

    private func sleep(until instant: Duration) {
        // Detached, so as not to retain the task-local values of the call.
        let task = Task.detached(priority: .high) { [weak self, time] in
            var pause = instant - time.elapsed
            while (try? await time.sleep(for: min(pause, AlarmScheduler.longestSleep))) != nil {
                guard let rest = self?.wake(at: time.elapsed) else { return }
                pause = rest
            }
        }
        let previous = state.withLock { state in
            let previous = state.action == nil ? task : state.task
            if state.action != nil {
                state.task = task
                state.wakes = instant
            }
            return previous
        }
        previous?.cancel()
    }

    /// Calls the action when it is due.
    ///
    /// - Returns: The time to sleep from now, or `nil` if there is nothing left to do.
    private func wake(at now: Duration) -> Duration? {
        let (action, rest) = state.withLock { state -> ((@Sendable () -> Void)?, Duration?) in
            if state.action != nil, state.instant > now {
                state.wakes = state.instant
                return (nil, state.instant - now)
            }
            let action = state.action
            state.action = nil
            state.task = nil
            return (action, nil)
        }
        action?()
        return rest
    }
}
