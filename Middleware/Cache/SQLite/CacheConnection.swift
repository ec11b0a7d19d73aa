#if SQLite
import Foundation
import GRDB
import HTTPChainCache
import HTTPChainCore

/// The connection to a database: opened on demand, closed when unused, and recreated if damaged.
///
/// Every use is registered first. The connection is closed only after the last use has ended.
final class CacheConnection: Sendable {
    private enum Access {
        case allowed, suspended, closed
    }

    private struct State {
        var pool: DatabasePool?
        /// The WAL-index, which exists while the database is open; `nil` if the database has none.
        var index: WALIndex?
        /// The lock, which is held while the database is open.
        var lock: CacheLock?
        var access = Access.allowed
        var uses = 0
        /// Whether the connection is being closed, or will be closed after the last use.
        var isClosing = false
        /// Whether the database will be recreated when the connection is closed.
        var isDamaged = false
        /// The callers that wait until the connection is closed.
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// A use of the connection, which lasts as long as it is referenced.
    final class Use: Sendable {
        private let connection: CacheConnection

        fileprivate init(_ connection: CacheConnection) { self.connection = connection }

        deinit {
            let (isLast, isIdle) = connection.end()
            // The last reference may be released by code that must not wait for a disk.
            if isLast { return connection.executor.submit { [connection] in connection.closeNow() } }
            guard isIdle, connection.ledger.isUntidy, let tidy = connection.tidy.withLock({ $0 }) else { return }
            connection.executor.submit(tidy)
        }
    }

    let files: CacheDatabaseFiles
    let readers: CacheReaders
    /// A callback for when the last use has ended and there may be something to clean up.
    let tidy = Locked<(@Sendable () -> Void)?>(nil)
    private let executor: FileExecutor
    private let ledger: CacheLedger
    private let bounds: CacheBounds
    private let options: SQLiteCacheOptions
    private let prepare: @Sendable (Database) throws -> Void
    private let state = Locked(State())
    /// The lock of the thread that opens the database; no other thread waits for it.
    private let opening = Locked(())

    init(
        path: String,
        bounds: CacheBounds,
        options: SQLiteCacheOptions,
        executor: FileExecutor,
        ledger: CacheLedger,
        prepare: @escaping @Sendable (Database) throws -> Void
    ) {
        files = CacheDatabaseFiles(path: path)
        readers = CacheReaders(directory: files.readers)
        self.bounds = bounds
        self.options = options
        self.executor = executor
        self.ledger = ledger
        self.prepare = prepare
    }

    private var path: String { files.path }

    // MARK: - Uses

    /// Begins a use, waiting if the database is being closed for reopening.
    ///
    /// - Throws: ``CacheStoreFault`` if the connection was closed or suspended.
    func begin() async throws(CacheStoreFault) -> Use {
        while true {
            if let use = try beginNow() { return use }
            await untilClosed()
        }
    }

    /// Begins a use; returns `nil` while the database is being closed.
    func beginNow() throws(CacheStoreFault) -> Use? {
        try check()
        let isBegun = state.withLock { state in
            guard !state.isClosing, state.access == .allowed else { return false }
            state.uses += 1
            return true
        }
        return isBegun ? Use(self) : nil
    }

    /// Throws if the connection was closed or suspended.
    func check() throws(CacheStoreFault) {
        switch state.withLock({ $0.access }) {
        case .allowed: return
        case .suspended: throw CacheStoreFault(.suspended(path))
        case .closed: throw CacheStoreFault(.closed(path))
        }
    }

    /// - Returns: Whether the database must be closed now, and whether it is open and unused.
    private func end() -> (isLast: Bool, isIdle: Bool) {
        state.withLock { state in
            state.uses -= 1
            return (state.uses == 0 && state.isClosing, state.uses == 0 && state.pool != nil)
        }
    }

    private func untilClosed() async {
        await withCheckedContinuation { continuation in
            let isClosing = state.withLock { state in
                if state.isClosing { state.waiting.append(continuation) }
                return state.isClosing
            }
            if !isClosing { continuation.resume() }
        }
    }

    // MARK: - Closing

    /// Rejects all further uses, and closes the database after the current ones.
    ///
    /// - Parameter isForGood: Whether this is permanent, so that ``resume()`` has no effect.
    func shut(isForGood: Bool) async {
        await withCheckedContinuation { continuation in shut(isForGood: isForGood, continuation) }
    }

    /// Closes the database permanently, without waiting for that.
    func drop() { shut(isForGood: true, nil) }

    private func shut(isForGood: Bool, _ continuation: CheckedContinuation<Void, Never>?) {
        let (isIdle, isOpen) = state.withLock { state in
            if state.access != .closed { state.access = isForGood ? .closed : .suspended }
            if let continuation { state.waiting.append(continuation) }
            defer { state.isClosing = true }
            return (!state.isClosing && state.uses == 0, state.pool != nil)
        }
        guard isIdle else { return }
        // If nothing is open, there is nothing to wait for.
        if isOpen { executor.submit { self.closeNow() } } else { closeNow() }
    }

    /// Allows uses again, unless the connection was closed permanently.
    func resume() {
        state.withLock { state in
            if state.access == .suspended { state.access = .allowed }
        }
    }

    /// Closes the database after the current uses; the next use reopens it.
    func reopen() { state.withLock { $0.isClosing = true } }

    /// Closes a damaged database after the current uses, and recreates it.
    func replace(_ pool: DatabasePool) {
        state.withLock { state in
            guard state.pool === pool else { return }
            state.isClosing = true
            state.isDamaged = true
        }
    }

    /// Closes the connection; it must be unused, and can't be used again before this ends.
    private func closeNow() {
        let (pool, lock, isDamaged) = state.withLock { state in
            state.index = nil
            return (state.pool.take(), state.lock.take(), state.isDamaged)
        }
        ledger.lookups.clear()
        if let pool {
            if !isDamaged, ledger.hasUses { try? pool.write { [ledger] db in try ledger.saveUses(db) } }
            close(pool)
        }
        readers.removeFile()
        if let lock {
            // Done after closing, because a connection that is closed later would remove the new journal, which has the
            // same name.
            if isDamaged { recreate(lock) }
            lock.release()
        }
        let waiting = state.withLock { state in
            state.isClosing = false
            state.isDamaged = false
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Closes the writing connection last, because only it can write the journal into the database and remove it.
    private func close(_ pool: DatabasePool) {
        pool.invalidateReadOnlyConnections()
        try? pool.close()
    }

    // MARK: - Opening

    /// Returns the database, within a use.
    ///
    /// - Returns: The database, and whether it was opened just now.
    func opened() throws(CacheStoreFault) -> (pool: DatabasePool, isNew: Bool) {
        try opening.withFault { _ throws(CacheStoreFault) in
            if let pool = state.withLock({ $0.pool }) { return (pool, false) }
            let (pool, lock) = try open()
            let last = try? pool.read { db in try Int64.fetchOne(db, sql: "SELECT max(used) FROM entry") }
            ledger.beginAfter(last ?? 0)
            readers.resume()
            let index = try? pool.writeWithoutTransaction { db in try WALIndex(of: db) }
            state.withLock { state in
                state.pool = pool
                state.index = index
                state.lock = lock
            }
            return (pool, true)
        }
    }

    /// The header of the WAL-index, which changes with every commit to the database.
    ///
    /// It is `nil` if it isn't known, or if the database is closed or about to be closed. Reading it doesn't wait for a
    /// disk.
    var header: WALIndex.Header? {
        state.withLock { state in
            guard state.access == .allowed, !state.isClosing else { return nil }
            return state.index?.header
        }
    }

    private func open() throws(CacheStoreFault) -> (DatabasePool, CacheLock) {
        try files.secure()
        let lock = CacheLock(database: path)
        do throws(CacheStoreFault) {
            let isAlone = lock.takeAlone()
            // The only store that uses a database removes leftovers. No other store writes before that is done.
            if !isAlone { try lock.share() }
            if isAlone { readers.removeLeftovers() }
            let pool = try pool(isAlone: isAlone)
            // Converting a lock releases it for a moment, during which another store may lock the database exclusively.
            if isAlone { try lock.share() }
            files.protect(options.fileProtection)
            return (pool, lock)
        } catch {
            lock.release()
            throw error
        }
    }

    private func pool(isAlone: Bool) throws(CacheStoreFault) -> DatabasePool {
        do {
            let pool = try makePool(isAlone: isAlone)
            guard files.isOutdated else { return pool }
            close(pool)
        } catch {
            let fault = fault(error)
            guard case .damaged = fault.problem else { throw fault }
        }
        if isAlone { files.remove() } else { try? empty() }
        guard !files.isOutdated else { throw CacheStoreFault(.busy(path)) }
        do {
            return try makePool(isAlone: isAlone)
        } catch {
            let fault = fault(error)
            // The database can't be recreated while another process has it open.
            if case .damaged = fault.problem, !isAlone { throw CacheStoreFault(.busy(path)) }
            throw fault
        }
    }

    private func makePool(isAlone: Bool) throws -> DatabasePool {
        guard !isAlone || !files.hasUnknownFormat else { throw CacheStoreFault(.damaged(path)) }
        var configuration = configuration(isNew: files.isEmpty)
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
        do {
            try begin(pool, isAlone: isAlone, isReadOnly: isReadOnly)
        } catch {
            close(pool)
            throw error
        }
        return pool
    }

    private func begin(_ pool: DatabasePool, isAlone: Bool, isReadOnly: Bool) throws {
        let version = try pool.read { db in try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0 }
        guard version <= CacheSchema.version else { throw CacheStoreFault(.newerFormat(path)) }
        guard !isReadOnly else { return }
        // Hits wait for this. They should wait for another process's lock only if there is something to change.
        guard try version == 0 || isAlone || pool.read(isTooFull) else { return }
        do {
            let evicted = try pool.write { db in
                if version == 0 { try CacheSchema.create(db) }
                // No other store has the database open, so unfinished entries are left over from earlier processes.
                if isAlone { try CacheSchema.purge(db, except: ledger.kept) }
                return try CacheSchema.makeRoom(db, bytes: 0, entries: 0, bounds).map(\.id)
            }
            ledger.leave(evicted)
        } catch {
            // If the disk is full or has become read-only, existing entries can still be read.
            if version == 0 { throw error }
            if case .damaged = fault(error).problem { throw error }
        }
    }

    private func isTooFull(_ db: Database) throws -> Bool {
        bounds.areExceeded(by: try CacheSchema.usage(db))
    }

    private func configuration(isNew: Bool) -> Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(2)
        configuration.maximumReaderCount = 4
        configuration.prepareDatabase { [prepare, options] db in
            // This must be done before the first page is written. It allows free pages to be released in steps.
            if isNew { try CacheSchema.allowVacuum(db) }
            try db.execute(sql: "PRAGMA secure_delete = \(options.overwritesWhatIsRemoved ? "ON" : "OFF")")
            // In WAL mode, an entry is either complete or absent after a power loss, too, although the newest may be
            // lost.
            try db.execute(sql: "PRAGMA synchronous = NORMAL")
            try prepare(db)
        }
        return configuration
    }

    // MARK: - Damage

    /// Recreates a database closed by this store: removes it, unless another store has it open.
    private func recreate(_ lock: CacheLock) {
        if lock.takeAlone() { return files.remove() }
        // Makes sure that no other store is removing the database, because it must then not be written to.
        guard (try? lock.share()) != nil else { return }
        try? empty()
    }

    /// Empties the database in place, in one transaction that is visible to other processes like any other.
    private func empty() throws {
        var inMemory = Configuration()
        inMemory.prepareDatabase { db in try CacheSchema.allowVacuum(db) }
        let new = try DatabaseQueue(configuration: inMemory)
        try new.write { db in try CacheSchema.create(db) }
        var configuration = Configuration()
        configuration.busyMode = .timeout(2)
        let old = try DatabaseQueue(path: path, configuration: configuration)
        try new.backup(to: old)
        try old.close()
        files.removeOutdatedMark()
    }

    /// Converts an error to a fault.
    func fault(_ error: any Error) -> CacheStoreFault {
        if let fault = error as? CacheStoreFault { return fault }
        // The columns are never NULL, and always have the right type, unless they are damaged.
        if error is RowDecodingError { return CacheStoreFault(.damaged(path)) }
        guard let error = error as? DatabaseError else {
            return CacheStoreFault(.system(operation: "use", path: path, code: 0, message: "\(error)"))
        }
        switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_MISMATCH:
            // The statements match the tables. If one is rejected, the tables are damaged.
            return CacheStoreFault(.damaged(path))
        case .SQLITE_BUSY, .SQLITE_LOCKED: return CacheStoreFault(.busy(path))
        default:
            let code = error.extendedResultCode.rawValue
            return CacheStoreFault(.system(operation: "use", path: path, code: code, message: error.message ?? ""))
        }
    }
}
#endif
