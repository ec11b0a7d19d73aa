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

/// The content of a store's file.
protocol CredentialDocumentContent: Codable, Sendable {
    /// Which form it has; 1.
    var version: Int { get }
    /// Makes the content for a file that is not there.
    init()
}

/// The file of a store: JSON that is read only when nobody else can reach it, and replaced in one step under a lock.
///
/// The lock is on a file beside it, because the file itself is another one after each change. All work with the disk is
/// done on the threads for files.
struct CredentialDocument<Content: CredentialDocumentContent>: Sendable {
    /// The largest size of the file, which no store of credentials reaches.
    static var limit: ByteCount { .mebibytes(4) }
    private static var pause: Duration { .milliseconds(10) }

    private let path: String
    private let patience: Duration
    private let time: any TimeSource
    private let access: FileAccess
    private let files: Files<CredentialStoreError>

    /// Takes a file, which need not exist; a link is followed now, and no other later.
    init(at url: URL, patience: Duration, time: any TimeSource, access: FileAccess = .standard) {
        path = url.resolvingSymlinksInPath().path
        self.patience = patience
        self.time = time
        self.access = access
        files = Files(access.system)
    }

    /// The content; an empty one when there is no file.
    ///
    /// - Throws: ``CredentialStoreError``; `CancellationError` as soon as the task is cancelled.
    func read() async throws -> Content {
        try await access.executor.run { try content() }
    }

    /// Changes the content while no other process, and no other task of this one, does.
    ///
    /// - Throws: ``CredentialStoreError``; `CancellationError` when cancelled while it waits for the lock.
    func change(_ change: @escaping @Sendable (inout Content) -> Void) async throws {
        // Counted, and not timed: on a machine that has no time for this process, the lock may be free all the while.
        var attempts = 0
        while try await !changed(by: change) {
            guard Self.pause * attempts < patience else { throw failure(.locked) }
            attempts += 1
            try await time.sleep(for: Self.pause)
        }
    }

    /// - Returns: `false` when somebody else has the lock.
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
        // What failed to decode is not told: it would quote the file.
        guard let content = try? JSONDecoder().decode(Content.self, received: bytes), content.version == 1 else {
            throw failure(.corrupt)
        }
        return content
    }

    /// Replaces the file: whoever reads it sees the old content or the new, also after a crash.
    private func replace(with content: Content) throws(CredentialStoreError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        guard let bytes = try? encoder.encode(content) else { throw failure(.corrupt) }
        // One name is enough under the lock, and what a process that was killed has left there goes.
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
        // Where the directory cannot be opened, the name survives a crash of the process nevertheless.
        try? files.synchronizeDirectory((path as NSString).deletingLastPathComponent)
    }

    /// Refuses a place where another user could put a file of their own in the place of this one: a directory on the
    /// way that others may write, unless only the owner of a file may replace it there (the sticky bit, as in `/tmp`).
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
                // A sandbox hides the directories above its own, where nobody else can put a file into it.
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
