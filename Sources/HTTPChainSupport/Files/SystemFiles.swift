import CImmediateFiles

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// The machine's file system.
package struct SystemFiles: FileSystem {
    package init() {}

    package func makeDirectory(_ path: String) throws(FileFault) {
        if mkdir(path, 0o700) == 0 { return }
        switch errno {
        case EEXIST: return
        case ENOENT:
            guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else { break }
            try makeDirectory(String(path[..<slash]))
            if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        default: break
        }
        throw FileFault(system: "create", path)
    }

    package func list(_ path: String, _ visit: (UnsafeBufferPointer<UInt8>) -> Void) throws(FileFault) {
        guard let directory = opendir(path) else { throw FileFault(system: "list", path) }
        defer { closedir(directory) }
        errno = 0
        while let entry = readdir(directory) {
            withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                let name = bytes.prefix { $0 != 0 }
                name.withContiguousStorageIfAvailable(visit)
            }
            errno = 0
        }
        // Throws an error, because an incomplete list would hide files.
        guard errno == 0 else { throw FileFault(system: "list", path) }
    }

    package func status(of path: String) throws(FileFault) -> FileStatus? {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw FileFault(system: "inspect", path)
        }
        return FileStatus(status)
    }

    package func open(_ path: String, _ opening: FileOpening) throws(FileFault) -> (any File)? {
        try SystemFile(path, opening)
    }

    package func rename(_ path: String, to destination: String) throws(FileFault) -> Bool {
        if systemRename(path, destination) == 0 { return true }
        guard errno == EXDEV else { throw FileFault(system: "rename", path) }
        return false
    }

    package func remove(_ path: String) throws(FileFault) -> Bool {
        if unlink(path) == 0 { return true }
        guard errno == ENOENT else { throw FileFault(system: "remove", path) }
        return false
    }

    package func synchronizeDirectory(_ path: String) throws(FileFault) {
        let descriptor = systemOpen(path, O_RDONLY | O_CLOEXEC, 0)
        guard descriptor >= 0 else { throw FileFault(system: "open", path) }
        defer { close(descriptor) }
        guard flush(descriptor) else { throw FileFault(system: "synchronize", path) }
    }

    package func readsImmediately(in directory: String) -> Bool { httpchain_reads_immediately(directory) == 1 }

    package func openImmediately(_ path: String) throws(FileFault) -> (any File)? {
        try SystemFile(immediately: path)
    }
}

/// A file in the machine's file system.
private final class SystemFile: File {
    private let descriptor: Int32
    private let path: String
    /// Whether the file was opened without waiting for a disk, and may be closed on a thread that must not wait.
    private let isImmediate: Bool

    init?(immediately path: String) throws(FileFault) {
        self.path = path
        isImmediate = true
        descriptor = httpchain_open_immediately(path)
        guard descriptor < 0 else { return }
        if descriptor == -ENOENT { return nil }
        throw FileFault(system: "open", path, code: -descriptor)
    }

    init?(_ path: String, _ opening: FileOpening) throws(FileFault) {
        // Without O_NONBLOCK, opening a pipe of that name would block.
        var flags = (opening.isWritable ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK
        if !opening.followsLinks { flags |= O_NOFOLLOW }
        switch opening.creation {
        case .never: break
        case .ifMissing: flags |= O_CREAT
        case .exclusive: flags |= O_CREAT | O_EXCL
        }
        let permissions = mode_t(opening.permissions)
        var opened = systemOpen(path, flags, permissions)
        while opened < 0, errno == EINTR { opened = systemOpen(path, flags, permissions) }
        self.path = path
        isImmediate = false
        descriptor = opened
        guard opened >= 0 else {
            if errno == ENOENT, opening.creation == .never { return nil }
            throw FileFault(system: "open", path)
        }
    }

    deinit {
        guard descriptor >= 0 else { return }
        // Closing the last descriptor of a removed file frees its blocks, and may wait for the disk.
        guard isImmediate, isRemoved else { return closeDescriptor(descriptor) }
        FileExecutor.shared.submit { [descriptor] in closeDescriptor(descriptor) }
    }

    private var isRemoved: Bool {
        var status = stat()
        return fstat(descriptor, &status) != 0 || status.st_nlink == 0
    }

    func status() throws(FileFault) -> FileStatus {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileFault(system: "inspect", path) }
        return FileStatus(status)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileFault) -> Int {
        var count = 0
        while count < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            let got = pread(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(count))
            if got == 0 { break }
            if got > 0 {
                count += got
            } else if errno != EINTR {
                throw FileFault(system: "read", path)
            }
        }
        return count
    }

    func readImmediately(
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int64
    ) throws(FileFault) -> Int {
        var count = 0
        while count < buffer.count {
            var place = iovec(UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
            let got = try readImmediately(into: &place, 1, at: offset + Int64(count))
            count += got
            // The data in memory consists of whole pages, whose size is a multiple of 4 KiB, except at the end of the
            // file.
            if got == 0 || (offset + Int64(count)) % 4096 != 0 { break }
        }
        return count
    }

    func readImmediately(
        into buffers: [UnsafeMutableRawBufferPointer],
        at offset: Int64
    ) throws(FileFault) -> Int {
        let places = buffers.map { iovec($0) }
        return try readImmediately(into: places, Int32(places.count), at: offset)
    }

    private func readImmediately(
        into places: UnsafePointer<iovec>,
        _ count: Int32,
        at offset: Int64
    ) throws(FileFault) -> Int {
        let got = Int(httpchain_read_immediately(descriptor, places, count, offset))
        guard got >= 0 else { throw FileFault(system: "read", path, code: Int32(clamping: -got)) }
        return got
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileFault) {
        var count = 0
        while count < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[count...])
            let written = pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(count))
            if written >= 0 {
                count += written
            } else if errno != EINTR {
                throw FileFault(system: "write", path)
            }
        }
    }

    func truncate(to size: Int64) throws(FileFault) {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw FileFault(system: "truncate", path) }
    }

    func setPermissions(_ permissions: UInt16) throws(FileFault) {
        guard fchmod(descriptor, mode_t(permissions)) == 0 else {
            throw FileFault(system: "set the permissions of", path)
        }
    }

    func lock() throws(FileFault) -> Bool {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return false }
            guard errno == EINTR else { throw FileFault(system: "lock", path) }
        }
        return true
    }

    func unlock() {
        _ = flock(descriptor, LOCK_UN)
    }

    func synchronize() throws(FileFault) {
        guard flush(descriptor) else { throw FileFault(system: "synchronize", path) }
    }
}

extension iovec {
    fileprivate init(_ buffer: UnsafeMutableRawBufferPointer) {
        self.init(iov_base: buffer.baseAddress, iov_len: buffer.count)
    }
}

extension FileStatus {
    fileprivate init(_ status: stat) {
        let kind: Kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .directory
            case S_IFLNK: .link
            case S_IFIFO: .pipe
            case S_IFSOCK: .socket
            default: .device
            }
        #if canImport(Darwin)
        let modified = status.st_mtimespec
        #else
        let modified = status.st_mtim
        #endif
        self.init(
            kind: kind,
            size: Int64(status.st_size),
            links: Int(status.st_nlink),
            permissions: UInt16(truncatingIfNeeded: status.st_mode & 0o777),
            owner: UInt32(status.st_uid),
            // Uses wrapping arithmetic, because a file system may report arbitrary times.
            modified: Int64(modified.tv_sec) &* 1_000_000_000 &+ Int64(modified.tv_nsec)
        )
    }
}

extension FileFault {
    /// Makes the fault for the system call that has just failed.
    fileprivate init(system operation: String, _ path: String, code: Int32 = errno) {
        self.init(operation: operation, path: path, code: code, message: String(cString: strerror(code)))
    }
}

/// Ensures that data written through a descriptor survives a power loss.
///
/// - Returns: Whether the operation succeeded; otherwise `errno` has the reason.
private func flush(_ descriptor: Int32) -> Bool {
    #if canImport(Darwin)
    // On these platforms, `fsync` only passes the content to the drive, which may keep it in its cache.
    var flushed = fcntl(descriptor, F_FULLFSYNC)
    while flushed == -1, errno == EINTR { flushed = fcntl(descriptor, F_FULLFSYNC) }
    if flushed != -1 { return true }
    // Most network file systems don't support this command. An error of the medium is still an error.
    if errno == EIO || errno == ENXIO { return false }
    #endif
    while fsync(descriptor) != 0 {
        guard errno == EINTR else { return false }
    }
    return true
}

// These are wrappers, because methods with the same names hide the system's functions.

private func systemRename(_ path: String, _ destination: String) -> Int32 { rename(path, destination) }

private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }

private func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }
