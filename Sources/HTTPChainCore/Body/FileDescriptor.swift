package import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// An open file, closed when the last reference goes.
///
/// Reads and writes name their offset, so threads can share it.
package final class FileDescriptor: Sendable {
    package let path: String
    private let descriptor: Int32

    package enum Mode {
        case read
        /// Creates the file, which must not exist, for this user alone.
        case createExclusively
    }

    package init(_ path: String, _ mode: Mode) throws(BodyError) {
        let flags =
            switch mode {
            case .read: O_RDONLY | O_CLOEXEC
            case .createExclusively: O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC
            }
        descriptor = open(path, flags, 0o600)
        self.path = path
        guard descriptor >= 0 else { throw Self.error(path, "open") }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    package var size: Int64 {
        get throws(BodyError) {
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { throw Self.error(path, "read the size of") }
            return Int64(status.st_size)
        }
    }

    /// Up to `count` bytes from `offset`; empty only at the end of the file.
    package func read(at offset: Int64, count: Int) throws(BodyError) -> Data {
        guard count > 0, let buffer = malloc(count) else { return Data() }
        while true {
            let got = pread(descriptor, buffer, count, off_t(offset))
            if got >= 0 {
                return Data(bytesNoCopy: buffer, count: got, deallocator: .free)
            }
            guard errno == EINTR else {
                let error = Self.error(path, "read")
                free(buffer)
                throw error
            }
        }
    }

    package func write(_ data: Data, at offset: Int64) throws(BodyError) {
        let failure: BodyError? = data.withUnsafeBytes { bytes in
            var written = 0
            while written < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
                let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(written))
                if count >= 0 {
                    written += count
                } else if errno != EINTR {
                    return Self.error(path, "write")
                }
            }
            return nil
        }
        if let failure { throw failure }
    }

    /// Renames a file, replacing what is there.
    ///
    /// - Returns: `false` when the two places are on different volumes, so that it cannot be done in one step.
    package static func rename(_ path: String, to destination: String) throws(BodyError) -> Bool {
        if systemRename(path, destination) == 0 { return true }
        guard errno == EXDEV else { throw error(destination, "write") }
        return false
    }

    private static func error(_ path: String, _ operation: String) -> BodyError {
        let code = errno
        return BodyError(.file(path: path, operation: operation, code: code, message: String(cString: strerror(code))))
    }
}

/// The system call, out of reach of the method of the same name.
private func systemRename(_ path: String, _ destination: String) -> Int32 {
    rename(path, destination)
}
