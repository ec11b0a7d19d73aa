import Foundation
import HTTPChainCore
package import HTTPChainSupport

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The content of a store file.
protocol CredentialDocumentContent: Codable, Sendable {
    /// The format version; 1.
    var version: Int { get }
    /// Makes the content for a missing file.
    init()
}

/// A store file in JSON; it is read only if no other user can access it, and replaced atomically under a lock.
///
/// The lock is a separate file, because each change replaces the store file. All disk work runs on the file threads.
struct CredentialDocument<Content: CredentialDocumentContent>: Sendable {
    /// The maximum file size; real credential stores are far smaller.
    static var limit: ByteCount { .mebibytes(4) }
    private static var pause: Duration { .milliseconds(10) }

    /// The file's path.
    let path: String
    private let patience: Duration
    private let time: any TimeSource
    private let access: FileAccess
    private let files: Files<CredentialStoreError>

    /// Uses a file, which may not exist yet; a symbolic link is resolved now, not later.
    init(at url: URL, patience: Duration, time: any TimeSource, access: FileAccess = .standard) {
        path = url.resolvingSymlinksInPath().path
        self.patience = patience
        self.time = time
        self.access = access
        files = Files(access.system)
    }

    /// Reads the content; a missing file is empty.
    ///
    /// - Throws: ``CredentialStoreError``; `CancellationError` as soon as the task is cancelled.
    func read() async throws -> Content {
        try await access.executor.run { try content() }
    }

    /// Changes the content, while other processes and other tasks of this one are locked out.
    ///
    /// - Throws: ``CredentialStoreError``; `CancellationError` if cancelled while waiting for the lock.
    func change(_ change: @escaping @Sendable (inout Content) -> Void) async throws {
        // Counts attempts instead of measuring time, because on an overloaded machine time may pass while the lock is
        // free.
        var attempts = 0
        while try await !changed(by: change) {
            guard Self.pause * attempts < patience else { throw failure(.locked) }
            attempts += 1
            try await time.sleep(for: Self.pause)
        }
    }

    /// - Returns: `false` if the lock is taken.
    private func changed(
        by change: @escaping @Sendable (inout Content) -> Void
    ) async throws(CredentialStoreError) -> Bool {
        try await access.executor.runToEnd { () throws(CredentialStoreError) in
            try checkDirectories()
            guard let lock = try files.open(path + ".lock", .updateOrCreate), try lock.lock() else { return false }
            defer { lock.unlock() }
            var content = try content()
            change(&content)
            try replace(with: content)
            return true
        }
    }

    private func content() throws(CredentialStoreError) -> Content {
        guard let file = try files.open(path, .read) else { return Content() }
        try checkDirectories()
        let status = try file.status()
        guard status.kind == .regular else { throw failure(.notAFile) }
        guard status.owner == UInt32(geteuid()) else { throw failure(.ownedByAnother) }
        guard status.permissions & 0o077 == 0 else { throw failure(.readableByOthers(mode: status.permissions)) }
        guard status.size <= Self.limit.bytes else { throw failure(.tooLarge(Self.limit)) }
        let bytes = try file.data(Int(status.size), at: 0)
        // Omits the decoding error, which would quote the file.
        guard let content = try? JSONDecoder().decode(Content.self, received: bytes), content.version == 1 else {
            throw failure(.corrupt)
        }
        return content
    }

    /// Replaces the file atomically: readers see the old or the new content, even after a crash.
    private func replace(with content: Content) throws(CredentialStoreError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        guard let bytes = try? encoder.encode(content) else { throw failure(.corrupt) }
        // A single name is enough, because the lock is held. A file left by a killed process is removed.
        let temporary = path + ".new"
        try files.remove(temporary)
        do throws(CredentialStoreError) {
            guard let file = try files.open(temporary, .create) else { throw failure(.notAFile) }
            try file.write(bytes, at: 0)
            try file.synchronize()
            try files.rename(temporary, to: path)
        } catch {
            _ = try? files.remove(temporary)
            throw error
        }
        // If the directory can't be opened, the rename still survives a crash of the process, though not a power loss.
        try? files.synchronizeDirectory((path as NSString).deletingLastPathComponent)
    }

    /// Rejects a path if another user could replace the file.
    ///
    /// This is the case if a parent directory is writable by others, unless only a file's owner may replace it there
    /// (the sticky bit, as in `/tmp`).
    private func checkDirectories() throws(CredentialStoreError) {
        var directory = (path as NSString).deletingLastPathComponent
        if !directory.begins(with: "/") {
            directory = (FileManager.default.currentDirectoryPath as NSString).appendingPathComponent(directory)
        }
        let own = directory
        while true {
            defer { directory = (directory as NSString).deletingLastPathComponent }
            var status = stat()
            guard stat(directory, &status) == 0 else {
                let (code, message) = (errno, String(cString: strerror(errno)))
                // A sandbox hides its parent directories, but nobody else can replace them.
                if directory != own, directory != "/", [EPERM, EACCES].contains(code) { continue }
                throw failure(.system(operation: "inspect the directory of", code: code, message: message))
            }
            let isSticky = status.st_mode & S_ISVTX != 0
            guard status.st_mode & 0o022 == 0 || isSticky else {
                let mode = UInt16(truncatingIfNeeded: status.st_mode & 0o7777)
                throw failure(.directoryWritableByOthers(directory, mode: mode))
            }
            guard status.st_uid == geteuid() || status.st_uid == 0 else {
                throw failure(.directoryOwnedByAnother(directory))
            }
            guard directory != "/", !directory.isEmpty else { return }
        }
    }

    private func failure(_ problem: CredentialStoreError.Problem) -> CredentialStoreError {
        CredentialStoreError(problem: problem, path: path)
    }
}

extension CredentialStoreError: FileFailure {
    package init(_ fault: FileFault) {
        let problem = Problem.system(operation: fault.operation, code: fault.code, message: fault.message)
        self.init(problem: problem, path: fault.path)
    }
}
