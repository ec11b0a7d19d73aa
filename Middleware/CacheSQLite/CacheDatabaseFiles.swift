#if SQLite
import Foundation
import HTTPChainCache
import HTTPChainCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The files of a database, before SQLite opens them and after it has closed them.
struct CacheDatabaseFiles: Sendable {
    let path: String

    /// Creates the directory, refuses files that are symbolic links or another user's, and keeps others out of the rest.
    ///
    /// SQLite gives its journal the permissions of the database, which is therefore made here: under another name,
    /// because whoever closes a file takes away all locks that its process has on it (fcntl(2)), those of a connection
    /// that another store has to it too.
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
        // Some file systems have no links.
        if link(name, path) != 0, errno != EEXIST { Self.create(path) }
        unlink(name)
    }

    var isThere: Bool { access(path, F_OK) == 0 }

    /// Whether nothing was written yet.
    var isEmpty: Bool {
        var status = stat()
        return stat(path, &status) != 0 || status.st_size == 0
    }

    /// The directory of the files that tell what is read; see ``CacheReaders``.
    var readers: String { path + ".readers" }

    /// Says when the system lets the files be read; nothing is said where it has no such thing.
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

    /// Whether SQLite would take the database for one of a later format, and would read it and never write to it.
    ///
    /// The number in the header (file format §1.3.3) is 1 or 2; nothing else tells that a bit of it was flipped. Only for
    /// who is alone: to close the file takes away the locks of a connection that is open.
    var hasUnknownFormat: Bool {
        guard let file = FileHandle(forReadingAtPath: path) else { return false }
        defer { try? file.close() }
        guard let header = try? file.read(upToCount: 20), header.count == 20 else { return false }
        return header[18] > 2
    }

    /// Removes the database; only for who is alone, because another would go on with a file that nobody finds any more.
    func remove() {
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        if !isThere { removeOutdatedMark() }
    }

    // MARK: - The mark

    /// An empty file, for which there is room on a disk that is full: something that the database has was to be removed.
    private var outdatedMark: String { path + ".outdated" }

    var isOutdated: Bool { access(outdatedMark, F_OK) == 0 }

    func markOutdated() {
        if isThere { Self.create(outdatedMark) }
    }

    func removeOutdatedMark() { unlink(outdatedMark) }

    private static func create(_ path: String) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if descriptor >= 0 { close(descriptor) }
    }
}

/// Tells who has a database open: locked, shared, as long as it is (flock(2)).
///
/// Who has the lock alone knows that no other store, of this process or another, has the database open.
struct CacheLock: Sendable {
    private let path: String
    /// -1 where there can be no such file, as in a directory that may not be written to.
    private let descriptor: Int32

    init(database path: String) {
        self.path = path
        descriptor = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    }

    /// Takes the lock alone, if nobody else has it; otherwise it is not held at all afterwards.
    func takeAlone() -> Bool {
        guard descriptor >= 0 else { return false }
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
        flock(descriptor, LOCK_UN)
        return false
    }

    /// Takes the lock together with others that have the database open; those that open it have it alone for a moment.
    func share() throws(CacheStoreFault) {
        guard descriptor >= 0 else { return }
        for _ in 0..<2000 {
            if flock(descriptor, LOCK_SH | LOCK_NB) == 0 { return }
            // Some file systems have no locks.
            guard errno == EWOULDBLOCK || errno == EINTR else { return }
            usleep(1000)
        }
        throw CacheStoreFault(.busy(path))
    }

    /// Lets the lock go.
    ///
    /// It is unlocked first: a process that is just being started has the descriptor too, until it runs its program, and
    /// would keep the lock for that long.
    func release() {
        guard descriptor >= 0 else { return }
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
#endif
