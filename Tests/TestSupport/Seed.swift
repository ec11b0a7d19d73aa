import Foundation
package import HTTPChainTesting
package import Testing

/// Where the random numbers of a test begin.
///
/// A test with the trait `.seeded` draws from ``numbers(_:)``, and each of its failures names the seed:
///
/// ```swift
/// @Test("Every path survives a round trip", .seeded)
/// func roundTrip() throws {
///     let numbers = Seed.numbers()
///     ...
/// }
/// ```
///
/// The seed is the same on every run, so that a change that breaks a test is the change that was made. With
/// `HTTPCHAIN_SEED` in the environment it is that number, and with `HTTPCHAIN_SEED=random` another one for each test
/// case: run a test so for an hour to look for what no run has seen yet.
package enum Seed {
    /// The environment variable: a number, or "random".
    package static let variable = "HTTPCHAIN_SEED"

    @TaskLocal private static var drawn: UInt64?

    /// The seed of the test that runs.
    package static var current: UInt64 { drawn ?? make() }

    /// The random numbers of the test that runs.
    ///
    /// - Parameter stream: Which of the sequences that belong to the seed; tasks that run beside each other, and rows
    ///   of a table, take one each.
    package static func numbers(_ stream: UInt64 = 0) -> SeededRandom {
        // The start is mixed: at a fixed distance, one sequence would be another one a few numbers later.
        SeededRandom(seed: stream == 0 ? current : current ^ SeededRandom(seed: stream).next())
    }

    fileprivate static func make() -> UInt64 {
        switch ProcessInfo.processInfo.environment[variable] {
        case "random": .random(in: 0...UInt64(UInt32.max))
        case let text?: UInt64(text) ?? 1
        case nil: 1
        }
    }

    fileprivate static func withSeed(_ seed: UInt64, _ body: () async throws -> Void) async throws {
        try await $drawn.withValue(seed, operation: body)
    }
}

/// Gives each case of a test a seed, and adds it to each of its failures.
package struct SeededTrait: TestTrait, SuiteTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func scopeProvider(for test: Test, testCase: Test.Case?) -> SeededTrait? {
        testCase == nil ? nil : self
    }

    package func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        let seed = Seed.make()
        let naming = IssueHandlingTrait.compactMapIssues { issue in
            var issue = issue
            issue.comments.append("the seed was \(seed); to run it again set \(Seed.variable)=\(seed)")
            return issue
        }
        try await Seed.withSeed(seed) {
            try await naming.provideScope(for: test, testCase: testCase, performing: function)
        }
    }
}

extension Trait where Self == SeededTrait {
    /// The test draws random numbers from ``Seed``, and its failures name the seed.
    package static var seeded: SeededTrait { SeededTrait() }
}

/// `SeededRandom` where the standard library asks for a generator.
package struct Numbers: RandomNumberGenerator, Sendable {
    private let source: SeededRandom

    package init(_ source: SeededRandom) {
        self.source = source
    }

    package init(seed: UInt64) {
        source = SeededRandom(seed: seed)
    }

    package mutating func next() -> UInt64 { source.next() }
}

extension SeededRandom {
    /// A number from 0 up to, and without, the limit.
    package func index(below limit: Int) -> Int { Int(next() % UInt64(limit)) }
}
