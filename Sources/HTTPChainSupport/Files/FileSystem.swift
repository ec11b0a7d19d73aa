#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// The file system operations that the package uses; they are few, so that tests can make each of them fail or stall.
///
/// They may block unless documented otherwise, so call them on a ``FileExecutor``.
package protocol FileSystem: Sendable {
    /// Creates a directory and its parents, for this user only; succeeds if it exists.
    func makeDirectory(_ path: String) throws(FileFault)
    /// Passes the names in a directory, including `.` and `..`, to a closure, as bytes that are only valid during the
    /// call.
    func list(_ path: String, _ visit: (UnsafeBufferPointer<UInt8>) -> Void) throws(FileFault)
    /// Returns the status of a file by its path, or `nil` if there is none; links aren't followed.
    func status(of path: String) throws(FileFault) -> FileStatus?
    /// Opens a file without waiting for the other end of a pipe.
    ///
    /// - Returns: `nil` if there is none and it isn't to be created.
    func open(_ path: String, _ opening: FileOpening) throws(FileFault) -> (any File)?
    /// Renames a file atomically, replacing any file at the destination.
    ///
    /// - Returns: `false` if the two places are on different volumes, so that the file can't be renamed atomically.
    func rename(_ path: String, to destination: String) throws(FileFault) -> Bool
    /// Removes a file.
    ///
    /// - Returns: Whether it existed.
    @discardableResult
    func remove(_ path: String) throws(FileFault) -> Bool
    /// Ensures that the names in a directory survive a power loss.
    func synchronizeDirectory(_ path: String) throws(FileFault)
    /// Whether files in a directory can be opened and read without waiting for a disk, if they are in memory.
    ///
    /// Defaults to `false`. It may block like the other operations.
    func readsImmediately(in directory: String) -> Bool
    /// Opens a file for reading without waiting for a disk, so that it can be called anywhere; links aren't followed.
    ///
    /// - Returns: `nil` if there is none.
    /// - Throws: ``FileFault/isWait`` if it would have to wait for the disk, ``FileFault/isUnsupported(_:)`` if that can't
    ///   be determined, which is the default.
    func openImmediately(_ path: String) throws(FileFault) -> (any File)?
}

extension FileSystem {
    package func readsImmediately(in directory: String) -> Bool { false }

    package func openImmediately(_ path: String) throws(FileFault) -> (any File)? {
        throw FileFault(operation: "open immediately", path: path, code: ENOTSUP, message: "not supported")
    }
}

/// An open file, closed when the last reference is released.
///
/// Reads and writes have explicit offsets, so threads can share it.
package protocol File: AnyObject, Sendable {
    /// Returns the current status of the file.
    func status() throws(FileFault) -> FileStatus
    /// Fills a buffer, starting at an offset.
    ///
    /// - Returns: The number of bytes read; fewer than requested only at the end of the file.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileFault) -> Int
    /// Writes all bytes; if it throws, any number of them may have been written.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileFault)
    /// Changes the length of the file.
    func truncate(to size: Int64) throws(FileFault)
    /// Sets the permissions of the file.
    func setPermissions(_ permissions: UInt16) throws(FileFault)
    /// Acquires the advisory lock of the file without waiting.
    ///
    /// The lock is released when the process ends, if not before.
    ///
    /// - Returns: `false` if another open file has it.
    func lock() throws(FileFault) -> Bool
    /// Releases the lock.
    ///
    /// Closing the file isn't enough, because a child process that has just been started may also have it open.
    func unlock()
    /// Ensures that the content survives a power loss.
    func synchronize() throws(FileFault)
    /// Does the same as ``read(into:at:)``, without waiting for a disk, so that it can be called anywhere.
    ///
    /// - Throws: ``FileFault/isWait`` if it would have to wait for the disk, ``FileFault/isUnsupported(_:)`` if that can't
    ///   be determined, which is the default.
    func readImmediately(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileFault) -> Int
    /// Fills several buffers in sequence, without waiting for a disk.
    ///
    /// - Returns: The number of bytes read, which is less than requested if the rest isn't in memory.
    func readImmediately(into buffers: [UnsafeMutableRawBufferPointer], at offset: Int64) throws(FileFault) -> Int
}

extension File {
    package func readImmediately(
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int64
    ) throws(FileFault) -> Int {
        throw FileFault(operation: "read immediately", path: "a file", code: ENOTSUP, message: "not supported")
    }

    package func readImmediately(
        into buffers: [UnsafeMutableRawBufferPointer],
        at offset: Int64
    ) throws(FileFault) -> Int {
        var count = 0
        for buffer in buffers {
            do throws(FileFault) {
                let got = try readImmediately(into: buffer, at: offset + Int64(count))
                count += got
                if got < buffer.count { break }
            } catch {
                guard count > 0 else { throw error }
                break
            }
        }
        return count
    }
}

/// A way to open a file.
package struct FileOpening: Sendable, Hashable {
    package enum Creation: Sendable, Hashable {
        /// The file must exist.
        case never
        case ifMissing
        /// The file must not exist.
        case exclusive
    }

    package var creation: Creation
    package var isWritable: Bool
    /// Whether the path may be a symbolic link to the file; otherwise links are rejected.
    package var followsLinks: Bool
    /// The permissions of a new file, before applying the process's umask.
    package var permissions: UInt16

    package init(_ creation: Creation, isWritable: Bool, followsLinks: Bool = false, permissions: UInt16 = 0o600) {
        self.creation = creation
        self.isWritable = isWritable
        self.followsLinks = followsLinks
        self.permissions = permissions
    }

    /// Opens an existing file for reading.
    package static let read = FileOpening(.never, isWritable: false)
    /// Opens an existing file for reading and writing.
    package static let update = FileOpening(.never, isWritable: true)
    /// Opens a file for reading and writing; creates it for this user only if it doesn't exist.
    package static let updateOrCreate = FileOpening(.ifMissing, isWritable: true)
    /// Creates a new file for reading and writing, for this user only.
    package static let create = FileOpening(.exclusive, isWritable: true)
}

/// The status of a file.
package struct FileStatus: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case regular, directory, link, pipe, socket, device
    }

    package var kind: Kind
    /// The size in bytes.
    package var size: Int64
    /// The number of hard links; 0 once the file has been removed.
    package var links: Int
    /// The permission bits, `0o777` at most.
    package var permissions: UInt16
    /// The user ID of the owner.
    package var owner: UInt32
    /// The time of the last change of the content, in nanoseconds since 1970, at the file system's precision.
    package var modified: Int64

    package init(
        kind: Kind = .regular,
        size: Int64,
        links: Int = 1,
        permissions: UInt16 = 0o600,
        owner: UInt32 = 0,
        modified: Int64 = 0
    ) {
        self.modified = modified
        self.kind = kind
        self.size = size
        self.links = links
        self.permissions = permissions
        self.owner = owner
    }
}
