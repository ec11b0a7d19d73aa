#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// The operations that the package needs of a file system: few operations, so that tests can make each of them fail or
/// stall.
///
/// All of them may block, but for those that say that they do not: call them on a ``FileExecutor``.
package protocol FileSystem: Sendable {
    /// Makes a directory, and those above it, for this user alone; one that exists is fine.
    func makeDirectory(_ path: String) throws(FileFault)
    /// Shows the names in a directory, `.` and `..` included, as bytes that are valid during the call.
    func list(_ path: String, _ visit: (UnsafeBufferPointer<UInt8>) -> Void) throws(FileFault)
    /// Describes a file by its path; `nil` when there is none. Links are not followed.
    func status(of path: String) throws(FileFault) -> FileStatus?
    /// Opens a file without waiting for the other end of a pipe.
    ///
    /// - Returns: `nil` when there is none and it is not to be created.
    func open(_ path: String, _ opening: FileOpening) throws(FileFault) -> (any File)?
    /// Renames a file in one step, replacing what is at the destination.
    ///
    /// - Returns: `false` when the two places are on different volumes, so that it cannot be done in one step.
    func rename(_ path: String, to destination: String) throws(FileFault) -> Bool
    /// Removes a file.
    ///
    /// - Returns: Whether it existed.
    @discardableResult
    func remove(_ path: String) throws(FileFault) -> Bool
    /// Makes the names in a directory survive a loss of power.
    func synchronizeDirectory(_ path: String) throws(FileFault)
    /// Whether files in a directory can be opened and read without waiting for a disk, where they are in memory.
    ///
    /// Not by default; it may block as the others do.
    func readsImmediately(in directory: String) -> Bool
    /// Opens a file for reading without waiting for a disk, so that it may be called anywhere; links are not followed.
    ///
    /// - Returns: `nil` when there is none.
    /// - Throws: ``FileFault/isWait`` where the disk would have to be waited for, ``FileFault/isUnsupported`` where
    ///   nobody can tell, which is so by default.
    func openImmediately(_ path: String) throws(FileFault) -> (any File)?
}

extension FileSystem {
    package func readsImmediately(in directory: String) -> Bool { false }

    package func openImmediately(_ path: String) throws(FileFault) -> (any File)? {
        throw FileFault(operation: "open immediately", path: path, code: ENOTSUP, message: "not supported")
    }
}

/// An open file, closed when the last reference goes.
///
/// Reads and writes name their offset, so threads can share it.
package protocol File: AnyObject, Sendable {
    /// Describes the file as it is now.
    func status() throws(FileFault) -> FileStatus
    /// Fills a buffer from an offset on.
    ///
    /// - Returns: How many bytes there were; fewer than asked for only at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileFault) -> Int
    /// Writes all bytes; when it throws, any number of them may have been written.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileFault)
    /// Changes the length of the file.
    func truncate(to size: Int64) throws(FileFault)
    /// Sets who may read and write the file.
    func setPermissions(_ permissions: UInt16) throws(FileFault)
    /// Takes the advisory lock of the file without waiting; it ends with the process at the latest.
    ///
    /// - Returns: `false` when another open file has it.
    func lock() throws(FileFault) -> Bool
    /// Releases the lock.
    ///
    /// To close the file is not enough: a child process that was just started has it open too.
    func unlock()
    /// Makes the content survive a loss of power.
    func synchronize() throws(FileFault)
    /// As ``read(into:at:)``, without waiting for a disk, so that it may be called anywhere.
    ///
    /// - Throws: ``FileFault/isWait`` where the disk would have to be waited for, ``FileFault/isUnsupported`` where
    ///   nobody can tell, which is so by default.
    func readImmediately(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileFault) -> Int
    /// The same for several buffers, which are filled one after another.
    ///
    /// - Returns: How many bytes were in memory; fewer than there is room for where the rest would have to be waited for.
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
    /// Whether a symbolic link leads to the file; otherwise it is refused.
    package var followsLinks: Bool
    /// The permissions of a new file, before the process's umask takes its share.
    package var permissions: UInt16

    package init(_ creation: Creation, isWritable: Bool, followsLinks: Bool = false, permissions: UInt16 = 0o600) {
        self.creation = creation
        self.isWritable = isWritable
        self.followsLinks = followsLinks
        self.permissions = permissions
    }

    /// For reading; it must exist.
    package static let read = FileOpening(.never, isWritable: false)
    /// For reading and writing; it must exist.
    package static let update = FileOpening(.never, isWritable: true)
    /// For reading and writing; created for this user alone if it does not exist.
    package static let updateOrCreate = FileOpening(.ifMissing, isWritable: true)
    /// For reading and writing; created for this user alone, and it must not exist.
    package static let create = FileOpening(.exclusive, isWritable: true)
}

/// The status of a file.
package struct FileStatus: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case regular, directory, link, pipe, socket, device
    }

    package var kind: Kind
    /// Bytes.
    package var size: Int64
    /// The number of its names; 0 once it was removed.
    package var links: Int
    /// The permission bits, `0o777` at most.
    package var permissions: UInt16
    /// The user that it belongs to.
    package var owner: UInt32
    /// The time of the last change of the content, in nanoseconds since 1970, as exactly as the file system knows.
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
