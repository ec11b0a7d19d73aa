import Foundation

/// How thoroughly the drills go: `HTTPCHAIN_DRILLS=full` in the environment for all of it, which takes minutes; a
/// sample otherwise.
package enum Drill {
    package static let isFull = ProcessInfo.processInfo.environment["HTTPCHAIN_DRILLS"] == "full"

    /// How many calls at once are many: 10,000, or `HTTPCHAIN_CALLS` in the environment.
    package static let calls = ProcessInfo.processInfo.environment["HTTPCHAIN_CALLS"].flatMap { Int($0) } ?? 10_000

    /// How many random steps a rule takes beside its model in one run: a million in full drills.
    package static let steps = isFull ? 1_000_000 : 250_000

    /// Writes a line of the log, "drill cache-kills-files: 300", so that CI can see that a drill did all that it should.
    ///
    /// - Parameters:
    ///   - name: What was counted.
    ///   - count: How much of it was done, counted where it was done.
    package static func report(_ name: String, _ count: Int) {
        // In one piece, and at once: other lines come from other threads.
        try? FileHandle.standardError.write(contentsOf: Data("drill \(name): \(count)\n".utf8))
    }
}
