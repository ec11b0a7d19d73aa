import Foundation

/// A file system for functions that throw an error type of their own.
package struct Files<Failure: FileFailure>: Sendable {
    package let system: any FileSystem
    /// Whether files are opened for reading, and read, without waiting for a disk: what would have to wait fails.
    package let isImmediate: Bool

    package init(_ system: any FileSystem = SystemFiles()) {
        self.init(system, isImmediate: false)
    }

    private init(_ system: any FileSystem, isImmediate: Bool) {
        self.system = system
        self.isImmediate = isImmediate
    }

    /// The same files, opened for reading, and read, without waiting for a disk.
    ///
    /// What would have to wait fails with an error of which ``FileFault/isWait`` holds, where
    /// ``FileSystem/readsImmediately(in:)`` does not with one of which ``FileFault/isUnsupported`` holds.
    package var immediate: Files { Files(system, isImmediate: true) }

    /// As ``FileSystem/readsImmediately(in:)``.
    package func readsImmediately(in directory: String) -> Bool { system.readsImmediately(in: directory) }

    /// As ``FileSystem/makeDirectory(_:)``.
    package func makeDirectory(_ path: String) throws(Failure) {
        try failing { () throws(FileFault) in try system.makeDirectory(path) }
    }

    /// Makes a directory, and those above it, so that their names survive a loss of power.
    ///
    /// The directory above is synchronized also where nothing was to be made: who made it may have been killed before
    /// that.
    package func makeDurableDirectory(_ path: String) throws(Failure) {
        var parents = [Self.parent(of: path)]
        while let parent = parents.last, parent != ".", parent != "/", try status(of: parent) == nil {
            parents.append(Self.parent(of: parent))
        }
        try makeDirectory(path)
        for parent in parents.reversed() {
            try failing { () throws(FileFault) in
                do throws(FileFault) {
                    try system.synchronizeDirectory(parent)
                } catch {
                    // A directory that may not be listed can hold a name that may be used; nothing can be made there.
                    guard [EACCES, EPERM].contains(error.code) else { throw error }
                }
            }
        }
    }

    private static func parent(of path: String) -> String {
        let parent = (path as NSString).deletingLastPathComponent
        return parent.isEmpty ? "." : parent
    }

    /// As ``FileSystem/list(_:_:)``.
    package func list(_ path: String, _ visit: (UnsafeBufferPointer<UInt8>) -> Void) throws(Failure) {
        try failing { () throws(FileFault) in try system.list(path, visit) }
    }

    /// The names in a directory, `.` and `..` included.
    package func names(in path: String) throws(Failure) -> [String] {
        var names: [String] = []
        try list(path) { names.append(String(decoding: $0, as: UTF8.self)) }
        return names
    }

    /// As ``FileSystem/status(of:)``.
    package func status(of path: String) throws(Failure) -> FileStatus? {
        try failing { () throws(FileFault) in try system.status(of: path) }
    }

    /// As ``FileSystem/open(_:_:)``.
    package func open(_ path: String, _ opening: FileOpening) throws(Failure) -> OpenFile<Failure>? {
        let file = try failing { () throws(FileFault) in
            isImmediate && opening == .read ? try system.openImmediately(path) : try system.open(path, opening)
        }
        return file.map { OpenFile($0, isImmediate: isImmediate) }
    }

    /// Renames a file in one step, replacing what is at the destination.
    ///
    /// - Returns: `false` when the two places are on different volumes, so that it cannot be done in one step.
    @discardableResult
    package func rename(_ path: String, to destination: String) throws(Failure) -> Bool {
        try failing { () throws(FileFault) in try system.rename(path, to: destination) }
    }

    /// As ``FileSystem/remove(_:)``.
    @discardableResult
    package func remove(_ path: String) throws(Failure) -> Bool {
        try failing { () throws(FileFault) in try system.remove(path) }
    }

    /// As ``FileSystem/synchronizeDirectory(_:)``.
    package func synchronizeDirectory(_ path: String) throws(Failure) {
        try failing { () throws(FileFault) in try system.synchronizeDirectory(path) }
    }

    private func failing<Result>(_ body: () throws(FileFault) -> Result) throws(Failure) -> Result {
        do throws(FileFault) { return try body() } catch { throw Failure(error) }
    }
}
