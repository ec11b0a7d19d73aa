#if DEBUG && !canImport(Darwin)
import Synchronization
#endif

/// Counts the steps of scanners and parsers of external data, so that tests can prove linear time without a clock.
///
/// Each iteration over external data calls ``take(_:)``. It does nothing in release builds, and on Apple platforms,
/// whose oldest supported versions have no atomics.
package enum Steps {
    @inlinable
    package static func take(_ count: Int = 1) {
        #if DEBUG && !canImport(Darwin)
        note(count)
        #endif
    }

    #if DEBUG && !canImport(Darwin)
    @usableFromInline
    static func note(_ count: Int) {
        if measurements.load(ordering: .relaxed) > 0 { tally?.add(count) }
    }

    /// The number of measurements in progress.
    ///
    /// If there are none, a step costs one load.
    private static let measurements = Atomic(0)
    @TaskLocal private static var tally: Tally?

    private final class Tally: Sendable {
        private let steps = Atomic(0)

        func add(_ count: Int) { steps.add(count, ordering: .relaxed) }

        var count: Int { steps.load(ordering: .relaxed) }
    }

    /// Returns the number of steps of a closure and its child tasks.
    package static func counted(_ body: () async throws -> Void) async rethrows -> Int {
        measurements.add(1, ordering: .relaxed)
        defer { measurements.subtract(1, ordering: .relaxed) }
        let tally = Tally()
        try await $tally.withValue(tally, operation: body)
        return tally.count
    }
    #endif
}
