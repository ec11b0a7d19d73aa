import Foundation

/// A file system for functions that throw their own error type.
package struct Files<Failure: FileFailure>: Sendable {
    package let system: any FileSystem
    /// Whether opening a file for reading, and reading it, fail instead of waiting for a disk.
    package let isImmediate: Bool

    package init(_ system: any FileSystem = SystemFiles()) {
        self.init(system, isImmediate: false)
    }

    private init(_ system: any FileSystem, isImmediate: Bool) {
        self.system = system
        self.isImmediate = isImmediate
    }

    /// The same files, but opening a file for reading, and reading it, never wait for a disk.
    ///
    /// An operation that would have to wait fails with an error whose ``FileFault/isWait`` is true. If
    /// ``FileSystem/readsImmediately(in:)`` is false, it fails with an error whose ``FileFault/isUnsupported(_:)`` is true.
    package var immediate: Files { Files(system, isImmediate: true) }

    /// Does the same as ``FileSystem/readsImmediately(in:)``.
    package func readsImmediately(in directory: String) -> Bool { system.readsImmediately(in: directory) }

    /// Does the same as ``FileSystem/makeDirectory(_:)``.
    package func makeDirectory(_ path: String) throws(Failure) {
        try Failure.wrapping { () throws(FileFault) in try system.makeDirectory(path) }
    }

    /// Creates a directory and its parents, and ensures that their names survive a power loss.
    ///
    /// Synchronizes the parent even if nothing had to be created, because a previous process may have been killed
    /// between creating and synchronizing.
    package func makeDurableDirectory(_ path: String) throws(Failure) {
        var parents = [Self.parent(of: path)]
        while let parent = parents.last, parent != ".", parent != "/", try status(of: parent) == nil {
            parents.append(Self.parent(of: parent))
        }
        try makeDirectory(path)
        for parent in parents.reversed() {
            try Failure.wrapping { () throws(FileFault) in
                do throws(FileFault) {
                    try system.synchronizeDirectory(parent)
                } catch {
                    // A directory that can't be listed may contain a usable directory; nothing can be created in it.
                    guard [EACCES, EPERM].contains(error.code) else { throw error }
                }
            }
        }
    }

    private static func parent(of path: String) -> String {
        let parent = (path as NSString).deletingLastPathComponent
        return parent.isEmpty ? "." : parent
    }

    /// Does the same as ``FileSystem/list(_:_:)``.
    package func list(_ path: String, _ visit: (UnsafeBufferPointer<UInt8>) -> Void) throws(Failure) {
        try Failure.wrapping { () throws(FileFault) in try system.list(path, visit) }
    }

    /// Returns the names in a directory, including `.` and `..`.
    package func names(in path: String) throws(Failure) -> [String] {
        var names: [String] = []
        try list(path) { names.append(String(decoding: $0, as: UTF8.self)) }
        return names
    }

    /// Does the same as ``FileSystem/status(of:)``.
    package func status(of path: String) throws(Failure) -> FileStatus? {
        try Failure.wrapping { () throws(FileFault) in try system.status(of: path) }
    }

    /// Does the same as ``FileSystem/open(_:_:)``.
    package func open(_ path: String, _ opening: FileOpening) throws(Failure) -> OpenFile<Failure>? {
        let file = try Failure.wrapping { () throws(FileFault) in
            isImmediate && opening == .read ? try system.openImmediately(path) : try system.open(path, opening)
        }
        return file.map { OpenFile($0, isImmediate: isImmediate) }
    }

    /// Renames a file atomically, replacing any file at the destination.
    ///
    /// - Returns: `false` if the two places are on different volumes, so that the file can't be renamed atomically.
    @discardableResult
    package func rename(_ path: String, to destination: String) throws(Failure) -> Bool {
        try Failure.wrapping { () throws(FileFault) in try system.rename(path, to: destination) }
    }

    /// Does the same as ``FileSystem/remove(_:)``.
    @discardableResult
    package func remove(_ path: String) throws(Failure) -> Bool {
        try Failure.wrapping { () throws(FileFault) in try system.remove(path) }
    }

    /// Does the same as ``FileSystem/synchronizeDirectory(_:)``.
    package func synchronizeDirectory(_ path: String) throws(Failure) {
        try Failure.wrapping { () throws(FileFault) in try system.synchronizeDirectory(path) }
    }
}
