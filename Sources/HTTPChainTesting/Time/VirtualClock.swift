public import Foundation
public import HTTPChainCore

/// A clock that a test advances, so that tests of stages that wait are fast and reliable.
///
/// ```swift
/// let clock = VirtualClock()
/// async let slept: Void = clock.sleep(for: .seconds(30))
/// try await clock.waitForSleepers()
/// clock.advance(by: .seconds(30))
/// try await slept
/// ```
///
/// It has two kinds of waits. A *sleep* waits for time to pass, such as a retry's backoff or a scripted delay. A
/// *deadline* limits a call; most calls end before it, and nothing waits for it. ``waitForSleepers(count:patience:)``
/// and ``waitForDeadline(_:patience:)`` return when the code under test has reached that point. If it never does, they
/// throw an error that lists the pending waits and the times when they end.
///
/// Time advances in a single step: a task that wakes sees the new time, and its next sleep starts there. To advance
/// from sleep to sleep, use ``advanceToNextSleep()``.
///
/// An automatic clock doesn't have to be advanced: a sleep advances the time itself and returns, and ``sleeps`` lists
/// the durations. Only sleeps advance the clock. A deadline is reached only if a sleep would go past it; the sleep then
/// ends there.
public final class VirtualClock: AlarmingTimeSource {
    private struct Sleeper: Sendable {
        let id: Int
        let deadline: Duration
        let continuation: CheckedContinuation<Void, any Error>

        var wait: Wait { Wait(kind: .sleep, until: deadline, purpose: "") }
    }

    private struct Alarm: Sendable {
        let id: Int
        var deadline: Duration
        let purpose: String
        let action: @Sendable () -> Void

        var wait: Wait { Wait(kind: .deadline, until: deadline, purpose: purpose) }
    }

    /// A callback that is due.
    private struct Due: Sendable {
        let deadline: Duration
        let wake: @Sendable () -> Void
    }

    /// A wait on a clock.
    package struct Wait: Sendable, Hashable, CustomStringConvertible {
        /// A kind of wait.
        package enum Kind: Sendable, Hashable {
            /// A task sleeps.
            case sleep
            /// Work runs under a deadline.
            case deadline
        }

        /// The kind of the wait.
        package let kind: Kind
        /// The time at which it ends, on the scale of ``VirtualClock/elapsed``.
        package let until: Duration
        /// The purpose of the work with the deadline, if given; empty for a sleep.
        package let purpose: String

        /// The wait in words, such as "sleeps until 5.0 seconds" or "GET https://example.com/ runs under a deadline at
        /// 30.0 seconds".
        package var description: String {
            switch kind {
            case .sleep: "a task sleeps until \(until)"
            case .deadline: "\(purpose.isEmpty ? "something" : purpose) runs under a deadline at \(until)"
            }
        }
    }

    private struct State: Sendable {
        var elapsed = Duration.zero
        var start: Date
        var sleepers: [Sleeper] = []
        var alarms: [Alarm] = []
        /// The durations of all sleeps so far.
        var sleeps: [Duration] = []
        var nextID = 0

        /// Advances the time, never backwards, and removes the waits that are due, soonest first.
        mutating func advance(to time: Duration) -> [Due] {
            elapsed = max(elapsed, min(time, VirtualClock.furthest))
            let woken = sleepers.prefix { $0.deadline <= elapsed }
            sleepers.removeFirst(woken.count)
            let rung = alarms.filter { $0.deadline <= elapsed }
            alarms.removeAll { $0.deadline <= elapsed }
            let due =
                woken.map { sleeper in Due(deadline: sleeper.deadline) { sleeper.continuation.resume() } }
                + rung.map { Due(deadline: $0.deadline, wake: $0.action) }
            return due.sorted { $0.deadline < $1.deadline }
        }

        var waits: [Wait] {
            (sleepers.map(\.wait) + alarms.map(\.wait)).sorted { $0.until < $1.until }
        }

        mutating func insert(_ sleeper: Sleeper) {
            let index = sleepers.firstIndex { sleeper.deadline < $0.deadline } ?? sleepers.endIndex
            sleepers.insert(sleeper, at: index)
        }
    }

    /// A time that is far enough in the future for any test, and small enough for the sum of two.
    private static let furthest = Duration.seconds(Int64.max)

    private let state: Watched<State>

    /// Creates a clock.
    ///
    /// - Parameters:
    ///   - start: The initial wall clock time; Sun, 06 Nov 1994 08:49:37 GMT by default, the date of the examples in
    ///     RFC 9110 §5.6.7.
    ///   - isAutomatic: Whether a sleep advances the time instead of waiting for the test; `false` by default.
    public init(start: Date = Date(timeIntervalSince1970: 784_111_777), isAutomatic: Bool = false) {
        self.isAutomatic = isAutomatic
        state = Watched(State(start: start))
    }

    /// Returns a clock on which every sleep advances the time itself and returns.
    public static func automatic() -> VirtualClock { VirtualClock(isAutomatic: true) }

    /// The time since the clock was created.
    public var elapsed: Duration { state.value.elapsed }

    /// The wall clock time, which advances with ``elapsed``.
    ///
    /// Setting it doesn't advance ``elapsed``.
    public var date: Date {
        get {
            let state = state.value
            return state.start.addingTimeInterval(state.elapsed.inSeconds)
        }
        set {
            state.update { $0.start = newValue.addingTimeInterval(-$0.elapsed.inSeconds) }
        }
    }

    /// Whether a sleep advances the time itself.
    package let isAutomatic: Bool

    /// The durations of all sleeps so far, in the order the sleeps began, except those that are zero or negative.
    public var sleeps: [Duration] { state.value.sleeps }

    /// The pending waits, soonest first.
    package var waits: [Wait] { state.value.waits }

    /// The times at which the pending waits (sleeps and deadlines) end, soonest first, on the scale of ``elapsed``.
    package var pendingDeadlines: [Duration] { waits.map(\.until) }

    /// Waits until the time has advanced by `duration`; returns at once if it isn't positive.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        guard duration > .zero else { return }
        let (id, end) = state.update { state in
            state.nextID += 1
            state.sleeps.append(duration)
            return (state.nextID, state.elapsed + min(duration, Self.furthest))
        }
        if isAutomatic { return try await pass(until: end) }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                state.update { state -> Void in
                    if Task.isCancelled { return continuation.resume(throwing: CancellationError()) }
                    let deadline = state.elapsed + min(duration, Self.furthest)
                    state.insert(Sleeper(id: id, deadline: deadline, continuation: continuation))
                }
            }
        } onCancel: {
            let sleeper = state.update { state -> Sleeper? in
                state.sleepers.firstIndex { $0.id == id }.map { state.sleepers.remove(at: $0) }
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Advances the time from deadline to deadline, until one of them cancels the sleeping task.
    private func pass(until end: Duration) async throws {
        while let deadline = state.read({ $0.alarms.map(\.deadline).filter { $0 <= end }.min() }) {
            advance(to: deadline)
            await Task.yield()
            try Task.checkCancellation()
        }
        advance(to: end)
        await Task.yield()
        try Task.checkCancellation()
    }

    /// Performs an action when the time has advanced to a point.
    ///
    /// Nothing waits for it, so an automatic clock doesn't advance to it.
    package func alarm(
        at instant: Duration,
        for purpose: @autoclosure () -> String,
        perform action: @escaping @Sendable () -> Void
    ) -> any TimeAlarm {
        let purpose = purpose()
        let (id, isDue) = state.update { state in
            state.nextID += 1
            guard instant > state.elapsed else { return (state.nextID, true) }
            state.alarms.append(Alarm(id: state.nextID, deadline: instant, purpose: purpose, action: action))
            return (state.nextID, false)
        }
        // The action isn't called synchronously, because the caller may hold a lock that the action needs.
        if isDue { Task { action() } }
        return VirtualAlarm { [weak self] instant in self?.move(id, to: instant) }
    }

    private func move(_ id: Int, to instant: Duration?) {
        let due = state.update { state -> (@Sendable () -> Void)? in
            guard let index = state.alarms.firstIndex(where: { $0.id == id }) else { return nil }
            guard let instant else {
                state.alarms.remove(at: index)
                return nil
            }
            if instant <= state.elapsed { return state.alarms.remove(at: index).action }
            state.alarms[index].deadline = instant
            return nil
        }
        if let due { Task { due() } }
    }

    /// Advances the time, ending the sleeps and reaching the deadlines that are due, soonest first.
    ///
    /// - Parameter duration: The duration; negative values have no effect.
    public func advance(by duration: Duration) {
        advance { $0.elapsed + max(.zero, min(duration, Self.furthest)) }
    }

    /// Advances the time to a point on the scale of ``elapsed``, unless it is past.
    package func advance(to time: Duration) {
        advance { _ in time }
    }

    /// Advances the time to the end of the next wait, which may be a sleep or a deadline.
    ///
    /// - Returns: That time on the scale of ``elapsed``; `nil` if nothing waits.
    @discardableResult
    package func advanceToNextDeadline() -> Duration? {
        advance { $0.waits.first?.until }
    }

    /// Advances the time to the end of the next sleep; deadlines before that are reached, too.
    ///
    /// - Returns: That time on the scale of ``elapsed``; `nil` if no task sleeps.
    @discardableResult
    public func advanceToNextSleep() -> Duration? {
        advance { $0.sleepers.first?.deadline }
    }

    @discardableResult
    private func advance(to next: (State) -> Duration?) -> Duration? {
        let (due, time) = state.update { state -> ([Due], Duration?) in
            guard let time = next(state) else { return ([], nil) }
            return (state.advance(to: time), time)
        }
        for wait in due { wait.wake() }
        return time
    }

    /// Waits until this number of tasks are sleeping on this clock, which means that the code under test has reached
    /// its wait.
    ///
    /// - Parameters:
    ///   - count: The number of sleeping tasks; 1 by default. Deadlines don't count.
    ///   - patience: The time limit, in real time; 30 seconds by default, and longer if many tests share the machine.
    /// - Throws: An error if fewer tasks are sleeping; `CancellationError` as soon as the task is cancelled.
    public func waitForSleepers(count: Int = 1, patience: Duration = .seconds(30)) async throws {
        try await wait(for: "\(count) sleeping \(count == 1 ? "task" : "tasks")", patience) {
            $0.sleepers.count >= count
        }
    }

    /// Waits until something runs under a deadline on this clock.
    ///
    /// ```swift
    /// async let response = chain.send(.get(url).timeout(.seconds(30)))
    /// try await clock.waitForDeadline(.seconds(30))
    /// clock.advance(by: .seconds(30))
    /// ```
    ///
    /// - Parameters:
    ///   - instant: The deadline on the scale of ``elapsed``; any by default.
    ///   - patience: The time limit, in real time; 30 seconds by default, and longer if many tests share the machine.
    /// - Throws: An error if there is none; `CancellationError` as soon as the task is cancelled.
    public func waitForDeadline(_ instant: Duration? = nil, patience: Duration = .seconds(30)) async throws {
        try await wait(for: "a deadline\(instant.map { " at \($0)" } ?? "")", patience) { state in
            state.alarms.contains { instant == nil || $0.deadline == instant }
        }
    }

    private func wait(
        for what: String,
        _ patience: Duration,
        until condition: @escaping @Sendable (State) -> Bool
    ) async throws {
        let event: Void? = try await Patience(lasting: patience).wait { [state] in
            try await state.wait { condition($0) ? () : nil }
        }
        guard event == nil else { return }
        let now = state.value
        guard !condition(now) else { return }
        throw VirtualClockError(expected: what, patience: patience, elapsed: now.elapsed, waits: now.waits)
    }
}

private final class VirtualAlarm: TimeAlarm {
    /// A closure that moves the alarm, or removes it.
    private let change: @Sendable (Duration?) -> Void

    init(_ change: @escaping @Sendable (Duration?) -> Void) {
        self.change = change
    }

    deinit {
        change(nil)
    }

    func move(to instant: Duration) { change(instant) }
    func cancel() { change(nil) }
}

/// An error for a wait on a ``VirtualClock`` that a test expected and that didn't occur.
package struct VirtualClockError: HTTPChainError, Hashable {
    /// The expected wait.
    package let expected: String
    /// The time limit, in real time.
    package let patience: Duration
    /// The time on the clock.
    package let elapsed: Duration
    /// The pending waits, soonest first.
    package let waits: [VirtualClock.Wait]

    package var stage: String { "VirtualClock" }

    /// A sentence with the expected and the pending waits.
    package var reason: String {
        "there was no sign of \(expected) for \(patience) of real time; at \(elapsed) "
            + (waits.isEmpty
                ? "nothing waits on the clock" : "there are:\n  " + waits.map(\.description).joined(separator: "\n  "))
    }
}
