#if SQLite
import Foundation
import HTTPChainCache
import HTTPChainCore

/// The files of a database, before SQLite opens them and after it has closed them.
struct CacheDatabaseFiles: Sendable {
    let path: String

    /// Creates the directory and the database file, rejects symbolic links and other users' files, and restricts access
    /// to the user's own files.
    ///
    /// SQLite gives its journal the permissions of the database file, so the database file is created here. It is
    /// created under another name and then linked, because closing a file releases all locks of the process on it
    /// (fcntl(2)), including those of another store's connection.
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

    /// Whether nothing has been written to the database yet.
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

    /// Whether SQLite would treat the database as one of a later format, which it reads but never writes to.
    ///
    /// The number in the header (file format §1.3.3) is 1 or 2. SQLite doesn't detect a changed bit in it otherwise.
    /// Call this only if the store is alone, because closing the file releases the locks of an open connection.
    var hasUnknownFormat: Bool {
        guard let file = FileHandle(forReadingAtPath: path) else { return false }
        defer { try? file.close() }
        guard let header = try? file.read(upToCount: 20), header.count == 20 else { return false }
        return header[18] > 2
    }

    /// Removes the database; call this only if the store is alone, because others would keep using the unlinked file.
    func remove() {
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        if !isThere { removeOutdatedMark() }
    }

    // MARK: - The mark

    /// The path of a file that marks the database as outdated, because a removal from it has failed.
    ///
    /// The file is empty, so that it fits on a full disk.
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

/// A file lock that shows which stores have a database open (flock(2)): it is shared, and held while the database is
/// open.
///
/// A store that holds the lock exclusively is the only one that has the database open, in this process or another.
struct CacheLock: Sendable {
    private let path: String
    /// The file descriptor; -1 if the file can't be created, as in a read-only directory.
    private let descriptor: Int32

    init(database path: String) {
        self.path = path
        descriptor = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    }

    /// Acquires the lock exclusively if nobody else has it; otherwise the lock isn't held at all afterwards.
    func takeAlone() -> Bool {
        guard descriptor >= 0 else { return false }
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
        flock(descriptor, LOCK_UN)
        return false
    }

    /// Acquires the lock together with other users of the database.
    ///
    /// Waits while another store that is opening the database holds it exclusively.
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
    /// The file is unlocked before it is closed. A child process that has just been forked also has the descriptor
    /// until it executes its program, and would otherwise keep the lock until then.
    func release() {
        guard descriptor >= 0 else { return }
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
#endif
