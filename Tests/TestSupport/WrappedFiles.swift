package import HTTPChainSupport

/// A file system over another one: a test's own type implements what it changes, everything else goes to `base`.
package protocol WrappedFiles: FileSystem {
    var base: any FileSystem { get }
}

extension WrappedFiles {
    package func makeDirectory(_ path: String) throws(FileFault) { try base.makeDirectory(path) }

    package func list(_ path: String, _ visit: (UnsafeBufferPointer<UInt8>) -> Void) throws(FileFault) {
        try base.list(path, visit)
    }

    package func status(of path: String) throws(FileFault) -> FileStatus? { try base.status(of: path) }

    package func rename(_ path: String, to destination: String) throws(FileFault) -> Bool {
        try base.rename(path, to: destination)
    }

    package func remove(_ path: String) throws(FileFault) -> Bool { try base.remove(path) }

    package func synchronizeDirectory(_ path: String) throws(FileFault) { try base.synchronizeDirectory(path) }
}

/// An open file over another one, as ``WrappedFiles``.
package protocol WrappedFile: File {
    var base: any File { get }
}

extension WrappedFile {
    package func status() throws(FileFault) -> FileStatus { try base.status() }

    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileFault) {
        try base.write(bytes, at: offset)
    }

    package func truncate(to size: Int64) throws(FileFault) { try base.truncate(to: size) }

    package func setPermissions(_ permissions: UInt16) throws(FileFault) { try base.setPermissions(permissions) }

    package func lock() throws(FileFault) -> Bool { try base.lock() }

    package func unlock() { base.unlock() }

    package func synchronize() throws(FileFault) { try base.synchronize() }
}
