/// A callback at a point in time, which can be cancelled.
///
/// Created by ``TimeSource/alarm(at:for:perform:)``.
package protocol TimeAlarm: AnyObject, Sendable {
    /// Moves the alarm to another time on the scale of ``TimeSource/elapsed``; has no effect after it has fired.
    func move(to instant: Duration)

    /// Cancels the alarm; has no effect after it has fired.
    ///
    /// A callback that is already running on another thread continues.
    func cancel()
}

/// A clock with its own implementation of alarms.
///
/// A virtual clock, for example, distinguishes a sleep from a deadline, which most calls never reach.
package protocol AlarmingTimeSource: TimeSource {
    /// Whether a sleep advances the time itself; if two tasks sleep at once, either sleep may then end first.
    var isAutomatic: Bool { get }

    /// Calls an action at a point in time; see ``TimeSource/alarm(at:for:perform:)``.
    func alarm(
        at instant: Duration,
        for purpose: @autoclosure () -> String,
        perform action: @escaping @Sendable () -> Void
    ) -> any TimeAlarm
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
            return AlarmScheduler(time: self, isShared: false).alarm(at: instant, perform: action)
        }
        return clock.alarm(at: instant, for: purpose(), perform: action)
    }
}
