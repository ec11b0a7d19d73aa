import Foundation

/// The process that started this one.
package enum Parent {
    /// Ends this process soon after its parent has ended, however that came: a run of tests that is broken off leaves no
    /// drill behind that writes for ever.
    package static func endWithIt() {
        let parent = getppid()
        Thread.detachNewThread {
            // Nothing tells a process portably: one whose parent is gone has another one.
            while getppid() == parent { usleep(100_000) }
            _exit(5)
        }
    }
}
