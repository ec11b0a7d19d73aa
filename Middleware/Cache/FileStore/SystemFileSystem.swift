#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The file system of the machine.
struct SystemFileSystem: CacheFileSystem {
    func makeDirectory(_ path: String) throws(CacheStoreFault) {
        if mkdir(path, 0o700) == 0 { return }
        switch errno {
        case EEXIST: return
        case ENOENT:
            guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { break }
            try makeDirectory(String(path[..<slash]))
            if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        default: break
        }
        throw CacheStoreFault(system: "create", path)
    }

    func list(_ path: String, _ visit: (UnsafeBufferPointer<UInt8>) -> Void) throws(CacheStoreFault) {
        guard let directory = opendir(path) else { throw CacheStoreFault(system: "list", path) }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: UInt8.self, capacity: MemoryLayout.size(ofValue: name.pointee)) { start in
                    let length = strnlen(
                        UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self),
                        MemoryLayout.size(ofValue: name.pointee)
                    )
                    visit(UnsafeBufferPointer(start: start, count: Int(length)))
                }
            }
        }
    }

    func open(_ path: String, _ mode: CacheFileMode) throws(CacheStoreFault) -> (any CacheFile)? {
        try SystemFile(path, mode)
    }

    func rename(_ path: String, to destination: String) throws(CacheStoreFault) {
        guard systemRename(path, destination) == 0 else { throw CacheStoreFault(system: "rename", path) }
    }

    func remove(_ path: String) throws(CacheStoreFault) -> Bool {
        if unlink(path) == 0 { return true }
        guard errno == ENOENT else { throw CacheStoreFault(system: "remove", path) }
        return false
    }

    func synchronizeDirectory(_ path: String) throws(CacheStoreFault) {
        let descriptor = systemOpen(path, O_RDONLY | O_CLOEXEC, 0)
        guard descriptor >= 0 else { throw CacheStoreFault(system: "open", path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw CacheStoreFault(system: "synchronize", path) }
    }
}

/// A file of the machine.
private final class SystemFile: CacheFile {
    private let descriptor: Int32
    private let path: String

    init?(_ path: String, _ mode: CacheFileMode) throws(CacheStoreFault) {
        let flags =
            switch mode {
            case .read: O_RDONLY
            case .update: O_RDWR | O_CREAT
            case .create: O_RDWR | O_CREAT | O_EXCL
            }
        var opened = systemOpen(path, flags | O_CLOEXEC | O_NOFOLLOW, 0o600)
        while opened < 0, errno == EINTR { opened = systemOpen(path, flags | O_CLOEXEC | O_NOFOLLOW, 0o600) }
        self.path = path
        descriptor = opened
        guard opened >= 0 else {
            if errno == ENOENT, case .read = mode { return nil }
            throw CacheStoreFault(system: "open", path)
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    func status() throws(CacheStoreFault) -> (size: Int64, isLinked: Bool) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw CacheStoreFault(system: "look at", path) }
        return (Int64(status.st_size), status.st_nlink > 0)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(CacheStoreFault) -> Int {
        var count = 0
        while count < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            let got = pread(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(count))
            if got == 0 { break }
            if got > 0 {
                count += got
            } else if errno != EINTR {
                throw CacheStoreFault(system: "read", path)
            }
        }
        return count
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(CacheStoreFault) {
        var count = 0
        while count < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[count...])
            let written = pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(count))
            if written >= 0 {
                count += written
            } else if errno != EINTR {
                throw CacheStoreFault(system: "write", path)
            }
        }
    }

    func truncate(to size: Int64) throws(CacheStoreFault) {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw CacheStoreFault(system: "cut off", path) }
    }

    func lock() throws(CacheStoreFault) -> Bool {
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
        guard errno == EWOULDBLOCK || errno == EINTR else { throw CacheStoreFault(system: "lock", path) }
        return false
    }

    func unlock() {
        _ = flock(descriptor, LOCK_UN)
    }

    func synchronize() throws(CacheStoreFault) {
        guard fsync(descriptor) == 0 else { throw CacheStoreFault(system: "synchronize", path) }
    }
}

extension CacheStoreFault {
    /// What the system has just refused.
    fileprivate init(system operation: String, _ path: String) {
        let code = errno
        self.init(.system(operation: operation, path: path, code: code, message: String(cString: strerror(code))))
    }
}

// Out of reach of the methods of the same names.

private func systemRename(_ path: String, _ destination: String) -> Int32 { rename(path, destination) }

private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }
