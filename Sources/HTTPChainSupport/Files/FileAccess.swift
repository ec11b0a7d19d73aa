/// Access to files, with the file system and the threads that wait for it.
package struct FileAccess: Sendable {
    package let system: any FileSystem
    package let executor: FileExecutor

    /// Makes access through the machine's file system and the process's threads by default; tests pass others.
    package init(system: any FileSystem = SystemFiles(), executor: FileExecutor = .shared) {
        self.system = system
        self.executor = executor
    }

    /// The machine's file system and the process's threads.
    package static let standard = FileAccess()
}
