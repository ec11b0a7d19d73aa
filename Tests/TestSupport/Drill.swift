import Foundation

/// How thoroughly the drills go: `HTTPCHAIN_DRILLS=full` in the environment for all of it, which takes minutes; a
/// sample otherwise.
package enum Drill {
    package static let isFull = ProcessInfo.processInfo.environment["HTTPCHAIN_DRILLS"] == "full"
}
