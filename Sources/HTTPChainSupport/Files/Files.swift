import Foundation

/// A file system for functions that throw an error type of their own.
package struct Files<Failure: FileFailure>: Sendable {
    package let system: any FileSystem

    package init(_ system: any FileSystem = SystemFiles()) {
        self.system = system
    }

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
        try failing { () throws(FileFault) in try system.open(path, opening) }.map(OpenFile.init)
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
