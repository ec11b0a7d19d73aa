#if SQLite
import Foundation
import GRDB
import HTTPChainCache
import HTTPChainCore

/// The entries of a database.
final class CacheDatabase: Sendable {
    /// The database's own threads, so that a stalled disk delays only this store.
    private let executor = FileExecutor(limit: 4)
    /// The thread for changes, which are serialized.
    ///
    /// It may wait for another process's lock. Reads wait neither for a lock nor for this thread.
    private let changes = FileExecutor(limit: 1)
    private let bounds: CacheBounds
    private let options: SQLiteCacheOptions
    private let ledger = CacheLedger()
    private let connection: CacheConnection

    init(
        path: String,
        bounds: CacheBounds,
        options: SQLiteCacheOptions,
        prepare: @escaping @Sendable (Database) throws -> Void
    ) {
        self.bounds = bounds
        self.options = options
        connection = CacheConnection(
            path: path,
            bounds: bounds,
            options: options,
            executor: changes,
            ledger: ledger,
            prepare: prepare
        )
        connection.tidy.withLock { tidy in
            tidy = { [weak self] in self?.tidy() }
        }
    }

    deinit {
        // The last reference may be released by code that must not wait for a disk.
        connection.drop()
    }

    var path: String { connection.files.path }

    var recentLookupCount: Int { ledger.lookups.count }

    // MARK: - Uses

    /// Runs an operation on one of the database's threads; a cancelled task doesn't wait for it.
    func run<Value: Sendable>(_ operation: @escaping @Sendable () throws -> Value) async throws -> Value {
        let use = try await connection.begin()
        return try await executor.run {
            try withExtendedLifetime(use) { try operation() }
        }
    }

    /// Runs a change to its end on the thread for changes, even if the task is cancelled.
    func change<Value: Sendable>(_ operation: @escaping @Sendable () throws -> Value) async throws -> Value {
        let use = try await connection.begin()
        return try await changes.runToEnd {
            try withExtendedLifetime(use) { try operation() }
        }
    }

    /// Schedules a cleanup on the thread for changes, if the database is open.
    private func submit(_ operation: @escaping @Sendable () -> Void) {
        guard let use = try? connection.beginNow() else { return }
        changes.submit {
            withExtendedLifetime(use) { operation() }
        }
    }

    /// Throws if the database was closed or suspended.
    func check() throws(CacheStoreFault) { try connection.check() }

    func close() async { await connection.shut(isForGood: true) }

    func suspend() async { await connection.shut(isForGood: false) }

    func resume() { connection.resume() }

    // MARK: - Reading and writing

    /// Reads without a transaction; each statement sees a consistent state, but two statements may see different ones.
    func read<Result>(_ work: (Database) throws -> Result) throws(CacheStoreFault) -> Result {
        let pool = try opened()
        do { return try pool.unsafeRead(work) } catch { throw failed(error, pool) }
    }

    private func write<Result>(_ work: (Database) throws -> Result) throws(CacheStoreFault) -> Result {
        let pool = try opened()
        do { return try pool.write(work) } catch { throw failed(error, pool) }
    }

    private func opened() throws(CacheStoreFault) -> DatabasePool {
        let (pool, isNew) = try connection.opened()
        guard isNew else { return pool }
        var missed = ledger.takeMissedRemovals()[...]
        defer { ledger.miss(Array(missed)) }
        while let selection = missed.popFirst() { _ = try remove(selection) }
        return pool
    }

    /// Returns the fault for an error; a damaged database is closed and recreated.
    private func failed(_ error: any Error, _ pool: DatabasePool) -> CacheStoreFault {
        let fault = connection.fault(error)
        if case .damaged(path) = fault.problem { connection.replace(pool) }
        return fault
    }

    // MARK: - Entries

    func isHidden(_ id: Int64) -> Bool { ledger.isHidden(id) }

    func hide(_ ids: [Int64]) { ledger.hide(ids) }

    /// Removes a damaged entry.
    func drop(_ id: Int64, _ fault: CacheStoreFault) {
        guard case .damaged = fault.problem else { return }
        hide([id])
        // Doesn't wait, because the damage was found by a reader, and readers don't wait for changes.
        submit { _ = try? self.changeEntries { db, gone in try self.delete([id], &gone, db) } }
    }

    /// Returns the variants of a key, and the removal counter.
    func variants(of key: CacheKey) throws(CacheStoreFault) -> (found: [CacheLookup], removals: UInt64) {
        let removals = ledger.removals
        let hash = StoredHead.hash(of: key)
        let header = connection.header
        let found = try read { db in try CacheLookup.variants(ofKey: hash, db, ledger.recent) }
        // The result may or may not include a commit during the read, so it is kept only if there was none.
        if let header, header == connection.header, found.count == 1, let lookup = found.first, lookup.content != nil,
            lookup.length <= CacheLedger.longestLookup
        {
            ledger.lookups.keep((header, lookup), of: UInt64(bitPattern: hash))
        }
        return (found, removals)
    }

    /// Returns the variants from memory, without waiting for a disk.
    ///
    /// Returns nil unless the database is unchanged since they were found.
    func recentVariants(of key: CacheKey) -> (found: [CacheLookup], removals: UInt64)? {
        let removals = ledger.removals
        guard let header = connection.header,
            let kept = ledger.lookups.value(of: UInt64(bitPattern: StoredHead.hash(of: key))), kept.header == header
        else { return nil }
        return ([kept.lookup], removals)
    }

    /// Records a use of an entry.
    ///
    /// - Parameter removals: The removal counter from ``variants(of:)`` when the entry was found.
    /// - Returns: Whether the entry certainly exists, because nothing was removed since it was found.
    @discardableResult
    func use(_ id: Int64, since removals: UInt64? = nil) -> Bool {
        guard let isMuch = ledger.use(id, since: removals) else { return false }
        if isMuch { submit { try? self.write { db in try self.ledger.saveUses(db) } } }
        return true
    }

    /// Changes entries in one transaction, and removes the blocks of deleted ones in another.
    ///
    /// The blocks are removed only after the deletion is committed, because from then on no reader can start reading
    /// them.
    ///
    /// - Parameter work: A closure that performs the changes and adds the deleted entries to a list.
    private func changeEntries<Result>(
        _ work: (Database, inout [Int64]) throws -> Result
    ) throws(CacheStoreFault) -> Result {
        var gone: [Int64] = []
        let result = try write { db in
            gone = []
            return try work(db, &gone)
        }
        ledger.leave(gone)
        collect()
        return result
    }

    /// Removes the blocks of deleted entries that nobody reads, in any process.
    ///
    /// Blocks that are being read are removed by a later change, or when the database is opened.
    private func collect() {
        var ids = ledger.unread
        guard !ids.isEmpty else { return }
        ids = connection.readers.unread(ids)
        guard !ids.isEmpty else { return }
        let isDone: Void? = try? write { db in
            for id in ids where try CacheSchema.isGarbage(id, db) { try CacheSchema.purge(id, db) }
        }
        if isDone != nil { ledger.forget(ids) }
    }

    /// Releases some free space of the file; called again each time the database becomes unused.
    private func tidy() {
        guard let use = try? connection.beginNow() else { return }
        withExtendedLifetime(use) {
            ledger.isUntidy = false
            collect()
            guard let (free, allowed) = try? read({ db in try CacheSchema.slack(db) }), free > allowed else { return }
            let left: Int? = try? write { db in
                try CacheSchema.vacuum(db)
                return try CacheSchema.slack(db).free
            }
            // A database created by an earlier version can't release free space.
            guard let left, left < free else { return }
            if left > allowed { ledger.isUntidy = true } else { checkpoint(.passive) }
        }
    }

    /// Writes the journal into the database, except for pages that a reader still needs.
    private func checkpoint(_ mode: Database.CheckpointMode) {
        guard let pool = try? opened() else { return }
        _ = try? pool.writeWithoutTransaction { db in try db.checkpoint(mode) }
    }

    private func makeRoom(
        _ db: Database,
        bytes: Int64,
        entries: Int,
        _ gone: inout [Int64]
    ) throws -> [(id: Int64, key: CacheKey?)] {
        let usage = try CacheSchema.usage(db)
        guard bounds.areExceeded(by: usage, adding: bytes, entries: entries) else { return [] }
        try ledger.saveUses(db)
        let evicted = try CacheSchema.makeRoom(db, bytes: bytes, entries: entries, bounds)
        gone += evicted.map(\.id)
        return evicted
    }

    /// Makes room for another variant of a key.
    ///
    /// - Returns: The number of variants removed.
    private func removeSurplus(of key: CacheKey, _ gone: inout [Int64], _ db: Database) throws -> Int {
        let count = try CacheSchema.variantCount(of: StoredHead.hash(of: key), db)
        guard count >= bounds.variantsPerKey else { return 0 }
        try ledger.saveUses(db)
        let surplus = try CacheSchema.surplus(of: key, keeping: bounds.variantsPerKey - 1, db)
        try delete(surplus, &gone, db)
        return surplus.count
    }

    /// Removes entries; if that fails, marks the database so that the next process to open it starts empty.
    func removeToEnd(_ selection: CacheSelection) async throws -> Int {
        let use: CacheConnection.Use
        do {
            use = try await connection.begin()
        } catch {
            ledger.miss([selection])
            await changes.runToEnd { [connection] in connection.files.markOutdated() }
            throw error
        }
        return try await changes.runToEnd {
            try withExtendedLifetime(use) {
                let count = try self.remove(selection)
                // The journal still has the pages that were overwritten in the database.
                if self.options.overwritesWhatIsRemoved { self.checkpoint(.truncate) }
                return count
            }
        }
    }

    func remove(_ selection: CacheSelection) throws(CacheStoreFault) -> Int {
        do throws(CacheStoreFault) {
            return try changeEntries { db, gone in
                let ids = try CacheRow.ids(selection, db)
                try delete(ids, &gone, db)
                return ids.count { !isHidden($0) }
            }
        } catch {
            if case .newerFormat = error.problem { throw error }
            // The mark is for the next process. This process keeps the removal in memory.
            connection.files.markOutdated()
            if let ids = try? read({ db in try CacheRow.ids(selection, db) }) {
                hide(ids)
            } else {
                ledger.miss([selection])
                connection.reopen()
            }
            throw error
        }
    }

    private func delete(_ ids: [Int64], _ gone: inout [Int64], _ db: Database) throws {
        let statement = try db.cachedStatement(sql: "DELETE FROM entry WHERE id = ?")
        for id in ids { try statement.execute(arguments: [id]) }
        gone += ids
    }

    /// Replaces the description of an entry.
    func update(_ id: Int64, _ key: CacheKey, _ response: StoredResponse) throws(CacheStoreFault) -> Bool {
        let head = StoredHead(key, response).encoded
        let bytes = Int64(head.count) + response.bodyLength
        guard bytes <= bounds.entryBytes.bytes else { throw CacheStoreFault(.damaged("an entry too large")) }
        guard !isHidden(id) else { return false }
        return try changeEntries { db, gone in
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
            let evicted = try makeRoom(db, bytes: 0, entries: 0, &gone)
            return !evicted.contains { $0.id == id }
        }
    }

    // MARK: - Writers

    /// Stores a block of an entry that isn't visible yet.
    ///
    /// - Returns: `false` if the previous blocks are gone, because another process treated them as left over while the
    ///   database was suspended.
    func write(_ bytes: Data, block: Int64, of id: Int64) throws(CacheStoreFault) -> Bool {
        if block == 0 { ledger.beginWriting(id) }
        return try write { db in
            if block == 0 {
                try db.execute(sql: "INSERT INTO garbage (id) VALUES (?)", arguments: [id])
            } else {
                guard try CacheSchema.isGarbage(id, db) else { return false }
            }
            try CacheSchema.insert(bytes, block: block, of: id, db)
            return true
        }
    }

    /// Removes the blocks of an entry that will never be committed.
    func abandon(_ id: Int64) {
        ledger.endWriting(id)
        try? write { db in try CacheSchema.purge(id, db) }
    }

    /// Schedules the removal of an entry's blocks; if the database is closed, they are removed when it is opened.
    func abandonLater(_ id: Int64) {
        ledger.endWriting(id)
        submit { self.abandon(id) }
    }

    /// Makes an entry visible; the same transaction writes the last block and removes the replaced entries.
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
        defer { ledger.endWriting(id) }
        let evicted = try changeEntries { db, gone -> [CacheKey]? in
            // Either all of its blocks exist, or none: another process may have treated them as left over.
            if let last, last.block > 0 { guard try CacheSchema.isGarbage(id, db) else { return nil } }
            let (keyHash, variantHash) = (StoredHead.hash(of: key), StoredHead.hash(of: metadata.variant))
            let same = try db.cachedStatement(sql: "SELECT id FROM entry WHERE key = ? AND variant = ?")
            try delete(try Int64.fetchAll(same, arguments: [keyHash, variantHash]), &gone, db)
            let surplus = try removeSurplus(of: key, &gone, db)
            let evicted = try makeRoom(db, bytes: bytes, entries: 1, &gone)
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
                metadata.classification, bytes, try ledger.nextTick(db), Data(head), StoredHead.checksum(of: head),
            ])
            return Array(repeating: key, count: surplus) + evicted.compactMap(\.key)
        }
        guard let evicted else { return CacheCommit(entry: nil) }
        let entryID = CacheEntryID(rawValue: UInt64(bitPattern: id))
        return CacheCommit(entry: CacheEntry(id: entryID, key: key, response: response), evicted: evicted)
    }

    // MARK: - Readers

    func beginReading(_ id: Int64, isStream: Bool) {
        ledger.beginReading(id)
        if isStream { connection.readers.begin(id) }
    }

    func endReading(_ id: Int64, isStream: Bool) {
        let isGone = ledger.endReading(id)
        // The last reference may be released by code that must not wait for a disk.
        if isStream { changes.submit { [connection] in connection.readers.end(id) } }
        if isGone { submit { self.collect() } }
    }
}
#endif
