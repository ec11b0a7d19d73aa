import Foundation

/// How thoroughly the drills go: `HTTPCHAIN_DRILLS=full` in the environment for every fault and 300 kills, which takes
/// minutes; a sample of them otherwise.
enum Drill {
    static let isFull = ProcessInfo.processInfo.environment["HTTPCHAIN_DRILLS"] == "full"
}
