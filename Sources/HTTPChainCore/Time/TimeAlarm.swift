import HTTPChainSupport

/// A callback that a clock makes at a point in time, unless it is cancelled before.
///
/// ``TimeSource/alarm(at:for:perform:)`` sets one.
public protocol TimeAlarm: AnyObject, Sendable {
    /// Moves the alarm to another point on the scale of ``TimeSource/elapsed``; nothing happens when it has rung.
    func move(to instant: Duration)

    /// Cancels the alarm; nothing happens when it has rung.
    ///
    /// A callback that is already running on another thread goes on.
    func cancel()
}

extension TimeSource {
    /// Calls back at a point in time, from a task that sleeps until then.
    public func alarm(
        at instant: Duration,
        for purpose: @autoclosure () -> String,
        perform action: @escaping @Sendable () -> Void
    ) -> any TimeAlarm {
        SleepingAlarm(time: self, at: instant, perform: action)
    }
}

extension SystemTime {
    /// Calls back at a point in time; one task that sleeps serves all alarms of the process.
    public func alarm(
        at instant: Duration,
        for purpose: @autoclosure () -> String,
        perform action: @escaping @Sendable () -> Void
    ) -> any TimeAlarm {
        AlarmScheduler.system.alarm(at: instant, perform: action)
    }
}

/// An alarm with a task of its own, for clocks that can do no more than sleep.
///
/// The task ends with the alarm: it holds nothing of a call but the action, and it is cancelled with the alarm.
private final class SleepingAlarm: TimeAlarm {
    private struct State: Sendable {
        var instant: Duration
        var action: (@Sendable () -> Void)?
        var task: Task<Void, Never>?
        /// When the task wakes.
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
        // Detached, so as not to keep the task-local values of the call.
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

    /// Rings when it is time.
    ///
    /// - Returns: How long to sleep from now; `nil` when there is nothing left to do.
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
