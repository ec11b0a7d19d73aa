public import Foundation
import HTTPChainSupport

/// A monotonic clock for measuring and waiting, and a wall clock for dates.
public protocol TimeSource: Sendable {
    /// The time since an arbitrary fixed point; it never goes backwards, not even if the wall clock is set.
    var elapsed: Duration { get }
    /// The wall clock, for dates in protocols (`Date`, `Expires`, token expiry).
    var date: Date { get }
    /// Waits for `duration`; returns immediately if it isn't positive.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    func sleep(for duration: Duration) async throws
}

extension TimeSource {
    /// Unavailable, because there are two clocks.
    @available(*, unavailable, message: "use elapsed to measure time, or date for the wall clock")
    public var now: Duration { elapsed }
}

/// The system's monotonic clock and wall clock.
@usableFromInline
package struct SystemTime: TimeSource {
    @usableFromInline
    package init() {}

    #if canImport(Glibc)
    private static let origin = reading

    /// The time since the clock was first read in the process.
    @usableFromInline package var elapsed: Duration { .nanoseconds(nanoseconds) }

    /// The same as ``elapsed``, in nanoseconds.
    @usableFromInline
    package var nanoseconds: Int64 {
        // Accessed before the clock is read, because the first access creates the origin.
        let origin = Self.origin
        return Self.reading - origin
    }

    /// The reading of `ContinuousClock`, without its arithmetic, which takes 1.5 times as long as reading the clock.
    private static var reading: Int64 {
        var now = timespec()
        clock_gettime(CLOCK_BOOTTIME, &now)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }
    #else
    private static let origin = ContinuousClock.now

    /// The time since the clock was first read in the process.
    @usableFromInline package var elapsed: Duration { Self.origin.duration(to: ContinuousClock.now) }

    /// The same as ``elapsed``, in nanoseconds.
    @usableFromInline
    package var nanoseconds: Int64 { elapsed.clampedNanoseconds }
    #endif

    /// The system's wall clock.
    @usableFromInline package var date: Date { Date() }

    /// Waits on the system's monotonic clock, which continues while the machine sleeps.
    @usableFromInline
    package func sleep(for duration: Duration) async throws {
        guard duration > .zero else { return try Task.checkCancellation() }
        // The runtime traps if the end doesn't fit into 64-bit seconds.
        try await Task.sleep(for: duration.bounded, clock: .continuous)
    }
}
