public import Foundation

/// A clock that measures and waits, and a calendar that dates.
public protocol TimeSource: Sendable {
    /// Time since an arbitrary fixed point; never goes backwards, not even when the wall clock is set.
    var elapsed: Duration { get }
    /// The wall clock, for what a protocol dates (`Date`, `Expires`, token expiry).
    var date: Date { get }
    /// Waits for `duration`; returns at once when it is not positive.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    func sleep(for duration: Duration) async throws

    /// Calls back once ``elapsed`` has reached a point in time: how deadlines are kept without a task for each.
    ///
    /// A clock that cannot do more than sleep needs no implementation of its own. A virtual clock has one, so that it
    /// can tell a deadline, which most calls never reach, from a sleep.
    ///
    /// - Parameters:
    ///   - instant: The point in time, on the scale of ``elapsed``; one that has passed calls back soon.
    ///   - purpose: What the alarm is for, in a few words, where a clock shows it.
    ///   - action: Called at most once, on any thread; it must be short.
    /// - Returns: The alarm; dropping it cancels it.
    func alarm(
        at instant: Duration,
        for purpose: @autoclosure () -> String,
        perform action: @escaping @Sendable () -> Void
    ) -> any TimeAlarm
}

/// The system's monotonic clock and wall clock.
public struct SystemTime: TimeSource {
    /// Makes a view of the system's clocks.
    public init() {}

    #if canImport(Glibc)
    private static let origin = reading

    /// Time since the process first asked.
    public var elapsed: Duration { .nanoseconds(nanoseconds) }

    /// As ``elapsed``, in nanoseconds.
    @usableFromInline
    package var nanoseconds: Int64 {
        // Before the clock is read: the first to ask makes it.
        let origin = Self.origin
        return Self.reading - origin
    }

    /// The reading of `ContinuousClock`, without its arithmetic, which takes half as long again as the clock.
    private static var reading: Int64 {
        var now = timespec()
        clock_gettime(CLOCK_BOOTTIME, &now)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }
    #else
    private static let origin = ContinuousClock.now

    /// Time since the process first asked.
    public var elapsed: Duration { Self.origin.duration(to: ContinuousClock.now) }

    /// As ``elapsed``, in nanoseconds.
    @usableFromInline
    package var nanoseconds: Int64 { elapsed.clampedNanoseconds }
    #endif

    /// The system's wall clock.
    public var date: Date { Date() }

    /// Waits on the system's monotonic clock, which goes on while the machine sleeps.
    public func sleep(for duration: Duration) async throws {
        guard duration > .zero else { return try Task.checkCancellation() }
        try await Task.sleep(for: duration, clock: .continuous)
    }
}
