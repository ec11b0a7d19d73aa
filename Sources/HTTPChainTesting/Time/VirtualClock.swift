public import Foundation
public import HTTPChainCore

/// A clock that stands still until a test moves it, so that stages which wait are tested at once and never flakily.
///
/// ```swift
/// let clock = VirtualClock()
/// async let slept: Void = clock.sleep(for: .seconds(30))
/// try await clock.waitForSleepers()
/// clock.advance(by: .seconds(30))
/// try await slept
/// ```
///
/// It knows two kinds of waits. A *sleep* is a wait for time to pass: a retry's backoff, a scripted delay. A *deadline*
/// is what a call runs under: most calls end before it, and nobody waits for it. ``waitForSleepers(count:patience:)``
/// and ``waitForDeadline(_:patience:)`` tell that the code under test has come that far; one that waits in vain throws
/// ``VirtualClockError``, which lists who waits until when.
///
/// Time moves in one step: a task that wakes sees the time that it was moved to, and the next sleep counts from there.
/// To go from wait to wait use ``advanceToNextDeadline()``.
///
/// An automatic clock needs no driver at all: a sleep moves the time on by itself and returns, and ``sleeps`` tells what
/// was slept for. It moves over sleeps alone: a deadline is reached only when a sleep leads past it, and is then the
/// time at which that sleep is cut short.
public final class VirtualClock: TimeSource {
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

    /// A callback of the clock for a time that has come.
    private struct Due: Sendable {
        let deadline: Duration
        let wake: @Sendable () -> Void
    }

    /// Something that waits on a clock.
    public struct Wait: Sendable, Hashable, CustomStringConvertible {
        /// A kind of wait.
        public enum Kind: Sendable, Hashable {
            /// A task sleeps.
            case sleep
            /// Something runs under a deadline.
            case deadline
        }

        /// The kind of the wait.
        public let kind: Kind
        /// The point at which it ends, on the scale of ``VirtualClock/elapsed``.
        public let until: Duration
        /// The purpose of the work that has the deadline, where it is told; empty for a sleep.
        public let purpose: String

        /// "sleeps until 5.0 seconds", "GET https://example.com/ runs under a deadline at 30.0 seconds".
        public var description: String {
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
        /// Who waited for others in vain.
        var sleeps: [Duration] = []
        var nextID = 0

        /// Moves the time, never backwards, and takes out what is due, soonest first.
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

    /// Far enough for any test, and small enough that two of it can be added.
    private static let furthest = Duration.seconds(Int64.max)

    private let state: Watched<State>

    /// Makes a clock.
    ///
    /// - Parameters:
    ///   - start: What the wall clock shows at first; Sun, 06 Nov 1994 08:49:37 GMT by default, the date of the
    ///     examples in RFC 9110 §5.6.7.
    ///   - isAutomatic: Whether a sleep moves the time itself instead of waiting for the test; `false` by default.
    public init(start: Date = Date(timeIntervalSince1970: 784_111_777), isAutomatic: Bool = false) {
        self.isAutomatic = isAutomatic
        state = Watched(State(start: start))
    }

    /// A clock on which every sleep moves the time itself and returns.
    public static func automatic() -> VirtualClock { VirtualClock(isAutomatic: true) }

    /// The time that has passed since the clock was made.
    public var elapsed: Duration { state.value.elapsed }

    /// The wall clock; it moves with the time, and setting it moves nothing else.
    public var date: Date {
        get {
            let state = state.value
            return state.start.addingTimeInterval(state.elapsed.inSeconds)
        }
        set {
            state.update { $0.start = newValue.addingTimeInterval(-$0.elapsed.inSeconds) }
        }
    }

    /// Whether a sleep moves the time itself.
    public let isAutomatic: Bool

    /// The lengths of all sleeps so far, in the order the sleeps began; those of no or negative length are left out.
    public var sleeps: [Duration] { state.value.sleeps }

    /// The waits that are pending, soonest first.
    public var waits: [Wait] { state.value.waits }

    /// The points at which the pending waits end, sleeps and deadlines, soonest first, on the scale of ``elapsed``.
    public var pendingDeadlines: [Duration] { waits.map(\.until) }

    /// Waits until the time has been moved on by `duration`; returns at once when it is not positive.
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

    /// Moves the time on from deadline to deadline, as long as none of them cancels the task that sleeps.
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

    /// Calls back when the time has been moved to a point; nothing waits for it, and an automatic clock does not go
    /// there by itself.
    public func alarm(
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
        // Not from here, where the caller may hold a lock that the action takes.
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

    /// Moves the time on, ends the sleeps and reaches the deadlines that are due, soonest first.
    ///
    /// - Parameter duration: How far; the time does not go back.
    public func advance(by duration: Duration) {
        let due = state.update { state in
            state.advance(to: state.elapsed + max(.zero, min(duration, Self.furthest)))
        }
        for wait in due { wait.wake() }
    }

    /// Moves the time on to a point on the scale of ``elapsed``, unless it is past.
    public func advance(to time: Duration) {
        for wait in state.update({ $0.advance(to: time) }) { wait.wake() }
    }

    /// Moves the time on to the next moment at which a sleep ends or a deadline comes.
    ///
    /// - Returns: That moment on the scale of ``elapsed``, or `nil` when nothing waits.
    @discardableResult
    public func advanceToNextDeadline() -> Duration? {
        advance { $0.waits.first?.until }
    }

    /// Moves the time on to the next moment at which a sleep ends; deadlines on the way come, too.
    ///
    /// - Returns: That moment on the scale of ``elapsed``, or `nil` when no task sleeps.
    @discardableResult
    public func advanceToNextSleep() -> Duration? {
        advance { $0.sleepers.first?.deadline }
    }

    private func advance(to next: (State) -> Duration?) -> Duration? {
        let (due, time) = state.update { state -> ([Due], Duration?) in
            guard let time = next(state) else { return ([], nil) }
            return (state.advance(to: time), time)
        }
        for wait in due { wait.wake() }
        return time
    }

    /// Waits until so many tasks sleep on this clock, which tells that the code under test has come to its wait.
    ///
    /// - Parameters:
    ///   - count: How many; 1 by default. Deadlines do not count.
    ///   - patience: How long to wait, in real time; 30 seconds by default, and longer where many tests share the
    ///     machine.
    /// - Throws: ``VirtualClockError`` when there are not so many; `CancellationError` as soon as the task is cancelled.
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
    ///   - patience: How long to wait, in real time; 30 seconds by default, and longer where many tests share the
    ///     machine.
    /// - Throws: ``VirtualClockError`` when there is none; `CancellationError` as soon as the task is cancelled.
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
        let hasCome = try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask { [state] in
                try await state.wait { condition($0) ? () : nil }
                return true
            }
            group.addTask {
                try await Patience(lasting: patience).runOut()
                return false
            }
            defer { group.cancelAll() }
            return try await group.next() ?? false
        }
        guard !hasCome else { return }
        let now = state.value
        guard !condition(now) else { return }
        throw VirtualClockError(expected: what, patience: patience, elapsed: now.elapsed, waits: now.waits)
    }
}

private final class VirtualAlarm: TimeAlarm {
    /// Moves the alarm, or removes it.
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

/// The error for a wait that a test expected on a ``VirtualClock`` and that did not come.
public struct VirtualClockError: HTTPChainError, Hashable {
    /// The wait that was expected.
    public let expected: String
    /// The time that was waited, in real time.
    public let patience: Duration
    /// The time on the clock.
    public let elapsed: Duration
    /// The waits that are pending instead, soonest first.
    public let waits: [VirtualClock.Wait]

    /// Always "VirtualClock".
    public var stage: String { "VirtualClock" }

    /// The sentence that says what was expected, and which waits are pending.
    public var reason: String {
        "there was no sign of \(expected) for \(patience) of real time; at \(elapsed) "
            + (waits.isEmpty
                ? "nothing waits on the clock" : "there are:\n  " + waits.map(\.description).joined(separator: "\n  "))
    }
}
