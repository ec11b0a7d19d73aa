import Foundation
import HTTPChainCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The file of a store, as the system sees it: read only when nobody else can, replaced in one step.
struct CredentialFile: Sendable {
    /// What no store of credentials reaches.
    static let limit = ByteCount.mebibytes(4)

    let path: String

    /// The content; `nil` when there is no file.
    func read() throws(CredentialStoreError) -> Data? {
        // A pipe of that name would otherwise hold the call up.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw error("open")
        }
        defer { close(descriptor) }
        try checkDirectories()
        try check(descriptor)
        var content = Data()
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = systemRead(descriptor, &buffer, buffer.count)
            if count == 0 { return content }
            if count < 0 {
                guard errno == EINTR else { throw error("read") }
                continue
            }
            content += buffer.prefix(count)
            guard content.count <= Self.limit.bytes else { throw failure(.tooLarge(Self.limit)) }
        }
    }

    /// Refuses a place where another user could put a file of their own in the place of this one: a directory on the
    /// way that others may write, unless only the owner of a file may replace it there (the sticky bit, as in `/tmp`).
    func checkDirectories() throws(CredentialStoreError) {
        var directory = (path as NSString).deletingLastPathComponent
        if !directory.hasPrefix("/") {
            directory = (FileManager.default.currentDirectoryPath as NSString).appendingPathComponent(directory)
        }
        while true {
            var status = stat()
            guard stat(directory, &status) == 0 else { throw error("inspect the directory \(directory) of") }
            let isSticky = status.st_mode & S_ISVTX != 0
            guard status.st_mode & 0o022 == 0 || isSticky else {
                let mode = UInt16(truncatingIfNeeded: status.st_mode & 0o7777)
                throw failure(.directoryWritableByOthers(directory, mode: mode))
            }
            guard status.st_uid == geteuid() || status.st_uid == 0 else {
                throw failure(.directoryOwnedByAnother(directory))
            }
            guard directory != "/", !directory.isEmpty else { return }
            directory = (directory as NSString).deletingLastPathComponent
        }
    }

    private func check(_ descriptor: Int32) throws(CredentialStoreError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw error("inspect") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw failure(.notAFile) }
        guard status.st_uid == geteuid() else { throw failure(.ownedByAnother) }
        let mode = UInt16(truncatingIfNeeded: status.st_mode & 0o777)
        guard mode & 0o077 == 0 else { throw failure(.readableByOthers(mode: mode)) }
    }

    /// Replaces the file: whoever reads it sees the old content or the new, also after a crash.
    func write(_ content: Data) throws(CredentialStoreError) {
        try checkDirectories()
        let temporary = "\(path).\(UUID().uuidString).tmp"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw error("create a file beside") }
        do throws(CredentialStoreError) {
            defer { close(descriptor) }
            guard writeAll(content, to: descriptor), fsync(descriptor) == 0 else { throw error("write") }
            guard rename(temporary, path) == 0 else { throw error("replace") }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    private func writeAll(_ content: Data, to descriptor: Int32) -> Bool {
        content.withUnsafeBytes { bytes in
            var written = 0
            while written < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
                let count = systemWrite(descriptor, rest.baseAddress, rest.count)
                if count >= 0 { written += count } else if errno != EINTR { return false }
            }
            return true
        }
    }

    /// Keeps other processes, and other tasks of this one, from writing while `change` runs.
    ///
    /// The lock is on a file beside it: the file itself is another one after each change.
    func locked<Result>(
        patience: Duration,
        time: any TimeSource,
        _ change: () throws(CredentialStoreError) -> Result
    ) async throws -> Result {
        try checkDirectories()
        let descriptor = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw error("create the lock of") }
        // Closing lets the lock go.
        defer { close(descriptor) }
        // Counted, and not timed: on a machine that has no time for this process, the lock may be free all the while.
        let pause = Duration.milliseconds(10)
        var attempts = 0
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else { throw error("lock") }
            guard pause * attempts < patience else { throw failure(.locked) }
            attempts += 1
            try await time.sleep(for: pause)
        }
        return try change()
    }

    func failure(_ problem: CredentialStoreError.Problem) -> CredentialStoreError {
        CredentialStoreError(problem: problem, path: path)
    }

    private func error(_ operation: String) -> CredentialStoreError {
        let code = errno
        return failure(.system(operation: operation, code: code, message: String(cString: strerror(code))))
    }
}

/// The system calls, out of reach of the methods of the same names.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
