import Foundation

/// How thoroughly the drills go: `HTTPCHAIN_DRILLS=full` in the environment for all of it, which takes minutes; a
/// sample otherwise.
package enum Drill {
    package static let isFull = ProcessInfo.processInfo.environment["HTTPCHAIN_DRILLS"] == "full"

    /// How many calls at once are many: 10,000, or `HTTPCHAIN_CALLS` in the environment.
    package static let calls = ProcessInfo.processInfo.environment["HTTPCHAIN_CALLS"].flatMap { Int($0) } ?? 10_000

    /// How many random steps a rule takes beside its model in one run: a million in full drills.
    package static let steps = isFull ? 1_000_000 : 250_000
}
