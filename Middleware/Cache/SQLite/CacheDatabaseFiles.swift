#if SQLite
import Foundation
import HTTPChainCache
import HTTPChainCore

/// The files of a database, before SQLite opens them and after it has closed them.
struct CacheDatabaseFiles: Sendable {
    let path: String

    /// Creates the directory, rejects symbolic links and other users' files, and restricts access to the rest.
    ///
    /// SQLite gives its journal the permissions of the database file, so that file is created here. It is created under
    /// another name, because closing a file releases all locks of the process on it (fcntl(2)), including those of
    /// another store's connection.
    func secure() throws(CacheStoreFault) {
        try? FileManager.default.createDirectory(
            at: URL(fileURLWithPath: path).deletingLastPathComponent(),
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        for suffix in ["", "-wal", "-shm", ".lock"] { try CacheOwnership.check(path + suffix, isDirectory: false) }
        try CacheOwnership.check(readers, isDirectory: true)
        guard !isThere else { return }
        var name = Array((path + ".XXXXXX").utf8CString)
        let descriptor = mkstemp(&name)
        guard descriptor >= 0 else { return }
        close(descriptor)
        // Some file systems don't support links.
        if link(name, path) != 0, errno != EEXIST { Self.create(path) }
        unlink(name)
    }

    var isThere: Bool { access(path, F_OK) == 0 }

    /// Whether nothing has been written yet.
    var isEmpty: Bool {
        var status = stat()
        return stat(path, &status) != 0 || status.st_size == 0
    }

    /// The directory of the files that list what is being read; see ``CacheReaders``.
    var readers: String { path + ".readers" }

    /// Sets the file protection; does nothing on systems without it.
    func protect(_ protection: SQLiteCacheOptions.FileProtection?) {
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
        guard let protection else { return }
        let type: FileProtectionType =
            switch protection {
            case .complete: .complete
            case .completeUnlessOpen: .completeUnlessOpen
            case .completeUntilFirstUserAuthentication: .completeUntilFirstUserAuthentication
            case .none: .none
            }
        for suffix in ["", "-wal", "-shm", ".lock"] where access(path + suffix, F_OK) == 0 {
            try? FileManager.default.setAttributes([.protectionKey: type], ofItemAtPath: path + suffix)
        }
        #endif
    }

    /// Whether SQLite would consider the database one of a later format, and would read it but never write to it.
    ///
    /// The number in the header (file format §1.3.3) is 1 or 2; a flipped bit in it isn't detected otherwise. For use
    /// only when the store is alone: closing the file releases the locks of an open connection.
    var hasUnknownFormat: Bool {
        guard let file = FileHandle(forReadingAtPath: path) else { return false }
        defer { try? file.close() }
        guard let header = try? file.read(upToCount: 20), header.count == 20 else { return false }
        return header[18] > 2
    }

    /// Removes the database; only if the store is alone, because others would keep using an unlinked file.
    func remove() {
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        if !isThere { removeOutdatedMark() }
    }

    // MARK: - The mark

    /// An empty file, which fits even on a full disk: a removal from the database has failed.
    private var outdatedMark: String { path + ".outdated" }

    var isOutdated: Bool { access(outdatedMark, F_OK) == 0 }

    func markOutdated() {
        if isThere { Self.create(outdatedMark) }
    }

    func removeOutdatedMark() { unlink(outdatedMark) }

    private static func create(_ path: String) {
        _ = try? Files<FileFault>().open(path, .updateOrCreate)
    }
}

/// Shows who has a database open, by a shared lock held while it is open (flock(2)).
///
/// With an exclusive lock, no other store, of this process or another, has the database open.
struct CacheLock: Sendable {
    private let path: String
    /// -1 if the file can't be created, as in a read-only directory.
    private let descriptor: Int32

    init(database path: String) {
        self.path = path
        descriptor = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    }

    /// Acquires the lock exclusively, if nobody else has it; otherwise it isn't held at all afterwards.
    func takeAlone() -> Bool {
        guard descriptor >= 0 else { return false }
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
        flock(descriptor, LOCK_UN)
        return false
    }

    /// Acquires the lock together with other users of the database; opening it takes an exclusive lock briefly.
    func share() throws(CacheStoreFault) {
        guard descriptor >= 0 else { return }
        for _ in 0..<2000 {
            if flock(descriptor, LOCK_SH | LOCK_NB) == 0 { return }
            // Some file systems don't support locks.
            guard errno == EWOULDBLOCK || errno == EINTR else { return }
            usleep(1000)
        }
        throw CacheStoreFault(.busy(path))
    }

    /// Releases the lock.
    ///
    /// It is unlocked before the file is closed: a child process that has just been forked has the descriptor too until
    /// it executes its program, and would keep the lock until then.
    func release() {
        guard descriptor >= 0 else { return }
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
#endif
