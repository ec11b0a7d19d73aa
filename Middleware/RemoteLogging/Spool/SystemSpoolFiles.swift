#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The file system of the machine.
struct SystemSpoolFiles: SpoolFileSystem {
    func makeDirectory(_ path: String) throws(LogSpoolError) {
        if mkdir(path, 0o700) == 0 { return }
        switch errno {
        case EEXIST: return
        case ENOENT:
            guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { break }
            try makeDirectory(String(path[..<slash]))
            if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        default: break
        }
        throw LogSpoolError(system: "create", path)
    }

    func names(in path: String) throws(LogSpoolError) -> [String] {
        guard let directory = opendir(path) else { throw LogSpoolError(system: "list", path) }
        defer { closedir(directory) }
        var names: [String] = []
        errno = 0
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            names.append(name)
            errno = 0
        }
        // A list that breaks off would hide segments.
        guard errno == 0 else { throw LogSpoolError(system: "list", path) }
        return names
    }

    func size(of path: String) throws(LogSpoolError) -> Int64? {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw LogSpoolError(system: "look at", path)
        }
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int64(status.st_size)
    }

    func open(_ path: String, creating: Bool) throws(LogSpoolError) -> (any SpoolFile)? {
        try SystemSpoolFile(path, O_RDWR | (creating ? O_CREAT : 0))
    }

    func openForReading(_ path: String) throws(LogSpoolError) -> (any SpoolFile)? {
        try SystemSpoolFile(path, O_RDONLY)
    }

    func remove(_ path: String) throws(LogSpoolError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw LogSpoolError(system: "remove", path) }
    }

    func synchronizeDirectory(_ path: String) throws(LogSpoolError) {
        let descriptor = systemOpen(path, O_RDONLY | O_CLOEXEC, 0)
        guard descriptor >= 0 else { throw LogSpoolError(system: "open", path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw LogSpoolError(system: "synchronize", path) }
    }
}

/// A file of the machine.
private final class SystemSpoolFile: SpoolFile {
    private let descriptor: Int32
    private let path: String

    init?(_ path: String, _ flags: Int32) throws(LogSpoolError) {
        // Without O_NONBLOCK a pipe of that name would be waited for.
        let flags = flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        var opened = systemOpen(path, flags, 0o600)
        while opened < 0, errno == EINTR { opened = systemOpen(path, flags, 0o600) }
        self.path = path
        descriptor = opened
        guard opened >= 0 else {
            if errno == ENOENT, flags & O_CREAT == 0 { return nil }
            throw LogSpoolError(system: "open", path)
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(LogSpoolError) -> Int {
        var count = 0
        while count < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            let got = pread(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(count))
            if got == 0 { break }
            if got > 0 {
                count += got
            } else if errno != EINTR {
                throw LogSpoolError(system: "read", path)
            }
        }
        return count
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(LogSpoolError) {
        var count = 0
        while count < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[count...])
            let written = pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(count))
            if written >= 0 {
                count += written
            } else if errno != EINTR {
                throw LogSpoolError(system: "write", path)
            }
        }
    }

    func truncate(to size: Int64) throws(LogSpoolError) {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw LogSpoolError(system: "cut off", path) }
    }

    func lock() throws(LogSpoolError) -> Bool {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return false }
            guard errno == EINTR else { throw LogSpoolError(system: "lock", path) }
        }
        return true
    }

    func unlock() {
        _ = flock(descriptor, LOCK_UN)
    }

    func synchronize() throws(LogSpoolError) {
        guard fsync(descriptor) == 0 else { throw LogSpoolError(system: "synchronize", path) }
    }
}

extension LogSpoolError {
    /// What the system has just refused.
    fileprivate init(system operation: String, _ path: String) {
        let code = errno
        self.init(.system(operation: operation, path: path, code: code, message: String(cString: strerror(code))))
    }

    /// Whether the disk itself could not be read, as against a file that could not be opened now.
    var isMediumFailure: Bool {
        if case .system(_, _, EIO, _) = problem { true } else { false }
    }
}

/// The system call, out of reach of the method of the same name.
private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }
