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
/// Time moves in one step: who wakes sees the time that it was moved to, and who goes back to sleep counts from there.
/// To go from wait to wait use ``advanceToNextDeadline()``. For a stage that waits several times in a row, such as a
/// retry with backoff, an automatic clock needs no driver at all: a sleep there moves the time on by itself and
/// returns, and ``sleeps`` tells what was waited for. It suits one line of waits; with a deadline beside the work,
/// move the time by hand.
public final class VirtualClock: TimeSource {
    private struct Sleeper: Sendable {
        let id: Int
        let deadline: Duration
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State: Sendable {
        var elapsed = Duration.zero
        var start: Date
        var sleepers: [Sleeper] = []
        var sleeps: [Duration] = []
        var nextID = 0

        /// Moves the time, never backwards, and takes out who is due, in order of deadline.
        mutating func advance(to time: Duration) -> [Sleeper] {
            elapsed = max(elapsed, min(time, VirtualClock.furthest))
            let due = sleepers.prefix { $0.deadline <= elapsed }
            sleepers.removeFirst(due.count)
            return Array(due)
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
            return state.start.addingTimeInterval(state.elapsed.seconds)
        }
        set {
            state.update { $0.start = newValue.addingTimeInterval(-$0.elapsed.seconds) }
        }
    }

    /// Whether a sleep moves the time itself.
    public let isAutomatic: Bool

    /// What was slept for so far, in the order the sleeps began; those of no or negative length are left out.
    public var sleeps: [Duration] { state.value.sleeps }

    /// When the tasks that sleep now will wake, soonest first, on the scale of ``elapsed``.
    public var pendingDeadlines: [Duration] { state.value.sleepers.map(\.deadline) }

    /// Waits until the time has been moved on by `duration`; returns at once when it is not positive.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        guard duration > .zero else { return }
        let id = state.update { state in
            state.nextID += 1
            state.sleeps.append(duration)
            return state.nextID
        }
        if isAutomatic {
            advance(by: duration)
            await Task.yield()
            return try Task.checkCancellation()
        }
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

    /// Moves the time on and wakes who is due, in order of deadline.
    ///
    /// - Parameter duration: How far; the time does not go back.
    public func advance(by duration: Duration) {
        let due = state.update { state in
            state.advance(to: state.elapsed + max(.zero, min(duration, Self.furthest)))
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Moves the time on to a point on the scale of ``elapsed``, unless it is past, and wakes who is due.
    public func advance(to time: Duration) {
        for sleeper in state.update({ $0.advance(to: time) }) { sleeper.continuation.resume() }
    }

    /// Moves the time on to the next moment at which a task wakes.
    ///
    /// - Returns: That moment on the scale of ``elapsed``, or `nil` when no task sleeps.
    @discardableResult
    public func advanceToNextDeadline() -> Duration? {
        let (due, time) = state.update { state -> ([Sleeper], Duration?) in
            guard let deadline = state.sleepers.first?.deadline else { return ([], nil) }
            return (state.advance(to: deadline), deadline)
        }
        for sleeper in due { sleeper.continuation.resume() }
        return time
    }

    /// Waits until so many tasks sleep on this clock, which tells that the code under test has come to its wait.
    ///
    /// - Parameter count: How many; 1 by default.
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func waitForSleepers(count: Int = 1) async throws {
        try await state.wait { $0.sleepers.count >= count ? () : nil }
    }
}

extension Duration {
    fileprivate var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}
