/// A file system, with the threads that perform its blocking operations.
package struct FileAccess: Sendable {
    package let system: any FileSystem
    package let executor: FileExecutor

    /// Makes access to files.
    ///
    /// Defaults to the machine's file system and the process's threads; tests pass others.
    package init(system: any FileSystem = SystemFiles(), executor: FileExecutor = .shared) {
        self.system = system
        self.executor = executor
    }

    /// The machine's file system and the process's threads.
    package static let standard = FileAccess()
}
