#if SQLite
import Foundation
import GRDB
import HTTPChainCache
import HTTPChainCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The database of a store: opened when it is needed, made anew when it is damaged.
final class CacheDatabase: Sendable {
    private struct State: Sendable {
        var pool: DatabasePool?
        /// Whether a database that is damaged is being closed, so that it can be removed.
        var isClosing = false
        /// Locked, shared, as long as the database is open: who has it alone knows that no other process writes.
        var lock: Int32 = -1
        /// Removed, though the database may not know.
        var hidden: Set<Int64> = []
        var missedRemovals: [CacheSelection] = []
        /// Counts uses, of which the table has those up to the last time they were written down.
        var tick: Int64 = 0
        var uses: [Int64: Int64] = [:]
        /// How many readers each body has.
        var readers: [Int64: Int] = [:]
        /// Entries that are gone, whose blocks go with their last reader.
        var gone: Set<Int64> = []
    }
    let path: String
    /// Threads of the database's own: where its disk stalls, nothing waits for it but the store.
    let executor = FileExecutor(limit: 4)
    private let bounds: CacheBounds
    private let prepare: @Sendable (Database) throws -> Void
    private let state = Locked(State())

    init(path: String, bounds: CacheBounds, prepare: @escaping @Sendable (Database) throws -> Void) {
        self.path = path
        self.bounds = bounds
        self.prepare = prepare
    }

    deinit {
        letGo()
        // Last: whoever has it next may take itself for alone.
        let lock = state.withLock { $0.lock }
        if lock >= 0 { close(lock) }
    }

    /// Writes down what was used last, and closes the database with the last reference to it.
    private func letGo() {
        guard let pool = state.withLock({ $0.pool.take() }) else { return }
        try? pool.write { db in try saveUses(db) }
    }

    // MARK: - Opening

    private func opened() throws(CacheStoreFault) -> DatabasePool {
        let (pool, missed) = try state.withOutcome { state throws(CacheStoreFault) in
            if let pool = state.pool { return (pool, [CacheSelection]()) }
            guard !state.isClosing else { throw CacheStoreFault(.busy(path)) }
            let pool = try open(&state)
            state.pool = pool
            let last = try? pool.read { db in try Int64.fetchOne(db, sql: "SELECT max(used) FROM entry") }
            state.tick = max(state.tick, last ?? 0)
            defer { state.missedRemovals = [] }
            return (pool, state.missedRemovals)
        }
        for selection in missed { _ = try remove(selection) }
        return pool
    }

    private func open(_ state: inout State) throws(CacheStoreFault) -> DatabasePool {
        let directory = URL(fileURLWithPath: path).deletingLastPathComponent()
        try? FileManager.default.createDirectory(
            at: directory,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        try secureFiles()
        if state.lock < 0 { state.lock = openFile(path + ".lock") }
        let isAlone = state.lock >= 0 && flock(state.lock, LOCK_EX | LOCK_NB) == 0
        // Another that is alone removes what it takes for left over: nothing is written before it has ended that.
        if !isAlone { try share(state.lock) }
        do {
            let pool = try pool(isAlone: isAlone)
            // To exchange a lock is to have none for a moment, in which another may be alone.
            if isAlone { try share(state.lock) }
            return pool
        } catch {
            if state.lock >= 0 { _ = flock(state.lock, LOCK_UN) }
            throw error
        }
    }

    private func pool(isAlone: Bool) throws(CacheStoreFault) -> DatabasePool {
        do {
            let pool = try makePool(isAlone: isAlone)
            guard isOutdated else { return pool }
            try pool.close()
        } catch {
            let fault = fault(error)
            guard case .damaged = fault.problem else { throw fault }
        }
        removeFiles()
        guard !isOutdated else { throw CacheStoreFault(.busy(path)) }
        do { return try makePool(isAlone: isAlone) } catch { throw fault(error) }
    }

    /// Takes the lock together with others that have the database open; those that open it keep it for a moment.
    private func share(_ lock: Int32) throws(CacheStoreFault) {
        guard lock >= 0 else { return }
        for _ in 0..<2000 {
            if flock(lock, LOCK_SH | LOCK_NB) == 0 { return }
            // Some file systems have no locks.
            guard errno == EWOULDBLOCK || errno == EINTR else { return }
            usleep(1000)
        }
        throw CacheStoreFault(.busy(path))
    }

    /// Refuses files that are symbolic links or another user's, and keeps others out of the rest.
    ///
    /// SQLite gives its journal the permissions of the database, which is therefore made here: under another name,
    /// because whoever closes a file takes away all locks that its process has on it (fcntl(2)), those of a connection
    /// that another store has to it too.
    private func secureFiles() throws(CacheStoreFault) {
        for suffix in ["", "-wal", "-shm", ".lock"] { try CacheOwnership.check(path + suffix, isDirectory: false) }
        guard access(path, F_OK) != 0 else { return }
        var name = Array((path + ".XXXXXX").utf8CString)
        let descriptor = mkstemp(&name)
        guard descriptor >= 0 else { return }
        close(descriptor)
        // Some file systems have no links.
        if link(name, path) != 0, errno != EEXIST { close(openFile(path)) }
        unlink(name)
    }

    /// Whether SQLite would take the database for one of a later format, and would read it and never write to it.
    ///
    /// The number in the header (file format §1.3.3) is 1 or 2; nothing else tells that a bit of it was flipped. Only for
    /// who is alone: to close the file takes away the locks of a connection that is open.
    private var hasUnknownFormat: Bool {
        guard let file = FileHandle(forReadingAtPath: path) else { return false }
        defer { try? file.close() }
        guard let header = try? file.read(upToCount: 20), header.count == 20 else { return false }
        return header[18] > 2
    }

    private func makePool(isAlone: Bool) throws -> DatabasePool {
        guard !isAlone || !hasUnknownFormat else { throw CacheStoreFault(.damaged(path)) }
        var configuration = Configuration()
        configuration.busyMode = .timeout(2)
        configuration.maximumReaderCount = 4
        configuration.prepareDatabase { [prepare] db in
            // In WAL mode an entry is whole or not there after a loss of power too; the newest may be lost.
            try db.execute(sql: "PRAGMA synchronous = NORMAL")
            try prepare(db)
        }
        var isReadOnly = false
        let pool: DatabasePool
        do {
            pool = try DatabasePool(path: path, configuration: configuration)
        } catch let error as DatabaseError
            where [.SQLITE_READONLY, .SQLITE_CANTOPEN].contains(error.resultCode)
        {
            configuration.readonly = true
            pool = try DatabasePool(path: path, configuration: configuration)
            isReadOnly = true
        }
        let version = try pool.read { db in try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0 }
        guard version <= CacheSchema.version else { throw CacheStoreFault(.newerFormat(path)) }
        guard !isReadOnly else { return pool }
        do {
            try pool.write { db in
                if version == 0 { try CacheSchema.create(db) }
                // Nobody else is there: what was being written is left over.
                if isAlone { try CacheSchema.purge(db, except: []) }
                _ = try CacheSchema.makeRoom(db, bytes: 0, entries: 0, bounds)
            }
        } catch {
            // On a disk that is full, or read-only by now, what is there can still be read.
            if version == 0 { throw error }
            if case .damaged = fault(error).problem { throw error }
        }
        return pool
    }

    private func removeFiles() {
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        guard !FileManager.default.fileExists(atPath: path) else { return }
        try? FileManager.default.removeItem(atPath: outdatedMark)
    }

    /// An empty file, for which there is room on a disk that is full: something that the database has was to be removed.
    private var outdatedMark: String { path + ".outdated" }

    private var isOutdated: Bool { FileManager.default.fileExists(atPath: outdatedMark) }

    // MARK: - Reading and writing

    /// Reads without a transaction: each statement sees one state, and two may see two.
    func read<Result>(_ work: (Database) throws -> Result) throws(CacheStoreFault) -> Result {
        let pool = try opened()
        do { return try pool.unsafeRead(work) } catch { throw failed(error, pool) }
    }

    private func write<Result>(_ work: (Database) throws -> Result) throws(CacheStoreFault) -> Result {
        let pool = try opened()
        do {
            return try pool.write(work)
        } catch {
            throw failed(error, pool)
        }
    }

    /// What went wrong; a database that is damaged is closed, and made anew when it is opened again.
    private func failed(_ error: any Error, _ pool: DatabasePool) -> CacheStoreFault {
        let fault = fault(error)
        guard case .damaged(path) = fault.problem else { return fault }
        let isFirst = state.withLock { state in
            guard state.pool === pool else { return false }
            state.pool = nil
            state.isClosing = true
            return true
        }
        guard isFirst else { return fault }
        // First closed: one that is closed later takes the journal away that has its name, which is the new one's.
        try? pool.close()
        removeFiles()
        state.withLock { $0.isClosing = false }
        return fault
    }

    private func fault(_ error: any Error) -> CacheStoreFault {
        if let fault = error as? CacheStoreFault { return fault }
        guard let error = error as? DatabaseError else {
            return CacheStoreFault(.system(operation: "use", path: path, code: 0, message: "\(error)"))
        }
        switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_MISMATCH:
            // Our statements are right for our tables: where one is refused, the tables are no longer ours.
            return CacheStoreFault(.damaged(path))
        case .SQLITE_BUSY, .SQLITE_LOCKED: return CacheStoreFault(.busy(path))
        default:
            let code = error.extendedResultCode.rawValue
            return CacheStoreFault(.system(operation: "use", path: path, code: code, message: error.message ?? ""))
        }
    }

    // MARK: - Entries

    func isHidden(_ id: Int64) -> Bool { state.withLock { $0.hidden.contains(id) } }

    func hide(_ ids: [Int64]) { state.withLock { $0.hidden.formUnion(ids) } }

    /// Removes an entry that is damaged.
    func drop(_ id: Int64, _ fault: CacheStoreFault) {
        guard case .damaged = fault.problem else { return }
        hide([id])
        _ = try? write { db in try delete([id], db) }
    }

    func use(_ id: Int64) {
        let isMany = state.withLock { state in
            state.tick += 1
            state.uses[id] = state.tick
            return state.uses.count >= 4096
        }
        if isMany { try? write { db in try saveUses(db) } }
    }

    /// Writes down what was used, which decides what goes next.
    private func saveUses(_ db: Database) throws {
        let uses = state.withLock { state in
            let taken = state.uses
            state.uses = [:]
            return taken
        }
        guard !uses.isEmpty else { return }
        let statement = try db.cachedStatement(sql: "UPDATE entry SET used = ? WHERE id = ?")
        for (id, tick) in uses { try statement.execute(arguments: [tick, id]) }
    }

    /// The number of the next use, after all that this process and others have counted.
    private func nextTick(_ db: Database) throws -> Int64 {
        let statement = try db.cachedStatement(sql: "SELECT ifnull(max(used), 0) FROM entry")
        let last = try Int64.fetchOne(statement) ?? 0
        return state.withLock { state in
            state.tick = max(state.tick, last) + 1
            return state.tick
        }
    }

    private func makeRoom(_ db: Database, bytes: Int64, entries: Int) throws -> [(id: Int64, key: CacheKey?)] {
        let usage = try CacheSchema.usage(db)
        guard usage.bytes + bytes > bounds.totalBytes.bytes || usage.entries + entries > bounds.entryCount else {
            return []
        }
        try saveUses(db)
        let evicted = try CacheSchema.makeRoom(db, bytes: bytes, entries: entries, bounds)
        try purge(evicted.map(\.id), db)
        return evicted
    }

    func remove(_ selection: CacheSelection) throws(CacheStoreFault) -> Int {
        do throws(CacheStoreFault) {
            return try write { db in
                let ids = try CacheRow.ids(selection, db)
                try delete(ids, db)
                return ids.count { !isHidden($0) }
            }
        } catch {
            if case .newerFormat = error.problem { throw error }
            // For the next process; this one remembers.
            let mark = openFile(outdatedMark)
            if mark >= 0 { close(mark) }
            if let ids = try? read({ db in try CacheRow.ids(selection, db) }) {
                hide(ids)
            } else {
                state.withLock { state in
                    state.missedRemovals.append(selection)
                    if state.missedRemovals.count > 64 { state.missedRemovals = [.all] }
                    state.pool = nil
                }
            }
            throw error
        }
    }

    private func delete(_ ids: [Int64], _ db: Database) throws {
        let statement = try db.cachedStatement(sql: "DELETE FROM entry WHERE id = ?")
        for id in ids { try statement.execute(arguments: [id]) }
        try purge(ids, db)
    }

    private func purge(_ ids: [Int64], _ db: Database) throws {
        let unread = state.withLock { state in
            ids.filter { id in
                guard state.readers[id] != nil else { return true }
                state.gone.insert(id)
                return false
            }
        }
        for id in unread { try CacheSchema.purge(id, db) }
    }

    /// Gives an entry another description.
    func update(_ id: Int64, _ key: CacheKey, _ response: StoredResponse) throws(CacheStoreFault) -> Bool {
        let head = StoredHead(key, response).encoded
        let bytes = Int64(head.count) + response.bodyLength
        guard bytes <= bounds.entryBytes.bytes else { throw CacheStoreFault(.damaged("an entry too large")) }
        guard !isHidden(id) else { return false }
        return try write { db in
            let statement = try db.cachedStatement(
                sql: """
                    UPDATE entry SET head = ?, sum = ?, bytes = ?, variant = ?, classification = ? WHERE id = ?
                    """
            )
            let metadata = response.metadata
            try statement.execute(arguments: [
                Data(head), StoredHead.checksum(of: head), bytes, StoredHead.hash(of: metadata.variant),
                metadata.classification, id,
            ])
            guard db.changesCount > 0 else { return false }
            let evicted = try makeRoom(db, bytes: 0, entries: 0)
            return !evicted.contains { $0.id == id }
        }
    }

    // MARK: - Writers

    /// Keeps a block of an entry that is not there yet.
    func write(_ bytes: Data, block: Int64, of id: Int64) throws(CacheStoreFault) {
        try write { db in
            if block == 0 { try db.execute(sql: "INSERT INTO garbage (id) VALUES (?)", arguments: [id]) }
            try CacheSchema.insert(bytes, block: block, of: id, db)
        }
    }

    /// Forgets the blocks of an entry that will never be there.
    func abandon(_ id: Int64) {
        try? write { db in try purge([id], db) }
    }

    /// Makes an entry visible: in one transaction with the last of its blocks and with what it takes the place of.
    func commit(
        _ id: Int64,
        _ key: CacheKey,
        _ response: StoredResponse,
        last: (bytes: Data, block: Int64)?
    ) throws(CacheStoreFault) -> CacheCommit {
        let head = StoredHead(key, response).encoded
        let bytes = Int64(head.count) + response.bodyLength
        guard bytes <= bounds.entryBytes.bytes else {
            abandon(id)
            return CacheCommit(entry: nil)
        }
        let metadata = response.metadata
        let evicted = try write { db in
            let (keyHash, variantHash) = (StoredHead.hash(of: key), StoredHead.hash(of: metadata.variant))
            let same = try db.cachedStatement(sql: "SELECT id FROM entry WHERE key = ? AND variant = ?")
            try delete(try Int64.fetchAll(same, arguments: [keyHash, variantHash]), db)
            let evicted = try makeRoom(db, bytes: bytes, entries: 1)
            if let last { try CacheSchema.insert(last.bytes, block: last.block, of: id, db) }
            let free = try db.cachedStatement(sql: "DELETE FROM garbage WHERE id = ?")
            try free.execute(arguments: [id])
            let insert = try db.cachedStatement(
                sql: """
                    INSERT INTO entry
                    (id, key, variant, url, partition, origin, identifier, classification, bytes, used, head, sum)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """
            )
            try insert.execute(arguments: [
                id, keyHash, variantHash, key.url, key.partition, key.origin?.description, key.identifier,
                metadata.classification, bytes, try nextTick(db), Data(head), StoredHead.checksum(of: head),
            ])
            return evicted.compactMap(\.key)
        }
        let entryID = CacheEntryID(rawValue: UInt64(bitPattern: id))
        return CacheCommit(entry: CacheEntry(id: entryID, key: key, response: response), evicted: evicted)
    }

    // MARK: - Readers

    func beginReading(_ id: Int64) { state.withLock { $0.readers[id, default: 0] += 1 } }

    func endReading(_ id: Int64) {
        let isGone = state.withLock { state in
            let left = (state.readers[id] ?? 1) - 1
            state.readers[id] = left > 0 ? left : nil
            return left <= 0 && state.gone.remove(id) != nil && state.pool != nil
        }
        guard isGone else { return }
        try? write { db in
            guard try Int.fetchOne(db, sql: "SELECT 1 FROM garbage WHERE id = ?", arguments: [id]) != nil else {
                return
            }
            try purge([id], db)
        }
    }
}

/// Out of reach of the method of the same name.
private func openFile(_ path: String) -> Int32 { open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600) }

extension Locked {
    /// `withLock` that keeps the type of what is thrown.
    fileprivate func withOutcome<Result: Sendable>(
        _ body: (inout sending Value) throws(CacheStoreFault) -> Result
    ) throws(CacheStoreFault) -> Result {
        let outcome = withLock { value -> Swift.Result<Result, CacheStoreFault> in
            do throws(CacheStoreFault) { return .success(try body(&value)) } catch { return .failure(error) }
        }
        return try outcome.get()
    }
}
#endif
