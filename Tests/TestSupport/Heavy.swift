import Foundation
import HTTPChainCore
package import Testing

/// Lets a few tests at a time through, because each of them keeps the whole machine busy: a thousand calls, real
/// transports, many connections, drills.
///
/// The wait is no part of a test's time limit: a suite waits as a whole before any of its tests begins, and a test
/// function with the trait waits before its first case does.
package struct HeavyTrait: TestTrait, SuiteTrait, TestScoping {
    /// How many suites and tests with the trait run at the same time: two, or half as many as there are cores.
    package static let limit = max(2, ProcessInfo.processInfo.activeProcessorCount / 2)

    private static let permits = Permits(limit)

    @TaskLocal private static var isInside = false

    // The suite waits once, not each of its tests.
    package var isRecursive: Bool { false }

    package func scopeProvider(for test: Test, testCase: Test.Case?) -> HeavyTrait? {
        testCase == nil ? self : nil
    }

    package func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        // A heavy test in a heavy suite has the permit of its suite.
        if Self.isInside { return try await function() }
        try await Self.permits.take()
        defer { Self.permits.give() }
        try await Self.$isInside.withValue(true, operation: function)
    }
}

extension Trait where Self == HeavyTrait {
    /// Runs beside few others of its kind; see ``HeavyTrait``.
    package static var heavy: HeavyTrait { HeavyTrait() }
}

/// So many at a time.
private final class Permits: Sendable {
    private let free: Watched<Int>

    init(_ count: Int) {
        free = Watched(count)
    }

    func take() async throws {
        try await free.wait { free -> Void? in
            guard free > 0 else { return nil }
            free -= 1
            return ()
        }
    }

    func give() {
        free.update { $0 += 1 }
    }
}
