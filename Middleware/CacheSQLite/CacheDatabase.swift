#if SQLite
import Foundation
import GRDB
import HTTPChainCache
import HTTPChainCore

/// The entries of a database.
final class CacheDatabase: Sendable {
    /// Threads of the database's own: where its disk stalls, nothing waits for it but the store.
    private let executor = FileExecutor(limit: 4)
    private let bounds: CacheBounds
    private let ledger = CacheLedger()
    private let connection: CacheConnection

    init(path: String, bounds: CacheBounds, prepare: @escaping @Sendable (Database) throws -> Void) {
        self.bounds = bounds
        connection = CacheConnection(
            path: path,
            bounds: bounds,
            executor: executor,
            ledger: ledger,
            prepare: prepare
        )
    }

    deinit {
        // The last reference may go anywhere, also where nothing may wait for a disk.
        connection.drop()
    }

    var path: String { connection.files.path }

    // MARK: - Uses

    /// Runs what uses the database on one of its threads; where the task is cancelled, nobody waits for it any more.
    func run<Value: Sendable>(_ operation: @escaping @Sendable () throws -> Value) async throws -> Value {
        let use = try await connection.begin()
        return try await executor.run {
            try withExtendedLifetime(use) { try operation() }
        }
    }

    /// Runs what uses the database on one of its threads, to its end, cancelled or not.
    func runToEnd<Value: Sendable>(_ operation: @escaping @Sendable () throws -> Value) async throws -> Value {
        let use = try await connection.begin()
        return try await executor.runToEnd {
            try withExtendedLifetime(use) { try operation() }
        }
    }

    /// Runs what clears away on one of the database's threads some time later, if it is open for it.
    private func submit(_ operation: @escaping @Sendable () -> Void) {
        guard let use = try? connection.beginNow() else { return }
        executor.submit {
            withExtendedLifetime(use) { operation() }
        }
    }

    /// Refuses when the database was closed or suspended.
    func check() throws(CacheStoreFault) { try connection.check() }

    func close() async { await connection.shut(isForGood: true) }

    func suspend() async { await connection.shut(isForGood: false) }

    func resume() { connection.resume() }

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

    private func opened() throws(CacheStoreFault) -> DatabasePool {
        let (pool, isNew) = try connection.opened()
        guard isNew else { return pool }
        var missed = ledger.takeMissedRemovals()[...]
        defer { ledger.miss(Array(missed)) }
        while let selection = missed.popFirst() { _ = try remove(selection) }
        return pool
    }

    /// What went wrong; a database that is damaged is closed, and made anew.
    private func failed(_ error: any Error, _ pool: DatabasePool) -> CacheStoreFault {
        let fault = connection.fault(error)
        if case .damaged(path) = fault.problem { connection.replace(pool) }
        return fault
    }

    // MARK: - Entries

    func isHidden(_ id: Int64) -> Bool { ledger.isHidden(id) }

    func hide(_ ids: [Int64]) { ledger.hide(ids) }

    /// Removes an entry that is damaged.
    func drop(_ id: Int64, _ fault: CacheStoreFault) {
        guard case .damaged = fault.problem else { return }
        hide([id])
        _ = try? write { db in try delete([id], db) }
    }

    func use(_ id: Int64) {
        if ledger.use(id) { try? write { db in try ledger.saveUses(db) } }
    }

    private func makeRoom(_ db: Database, bytes: Int64, entries: Int) throws -> [(id: Int64, key: CacheKey?)] {
        let usage = try CacheSchema.usage(db)
        guard usage.bytes + bytes > bounds.totalBytes.bytes || usage.entries + entries > bounds.entryCount else {
            return []
        }
        try ledger.saveUses(db)
        let evicted = try CacheSchema.makeRoom(db, bytes: bytes, entries: entries, bounds)
        try purge(evicted.map(\.id), db)
        return evicted
    }

    /// Makes room for another variant of a key.
    ///
    /// - Returns: How many variants went.
    private func removeSurplus(of key: Int64, _ db: Database) throws -> Int {
        guard try CacheSchema.variantCount(of: key, db) >= bounds.variantsPerKey else { return 0 }
        try ledger.saveUses(db)
        let surplus = try CacheSchema.surplus(of: key, keeping: bounds.variantsPerKey - 1, db)
        try delete(surplus, db)
        return surplus.count
    }

    /// Removes entries; what cannot be removed is remembered, and the next that opens the database begins with nothing.
    func removeToEnd(_ selection: CacheSelection) async throws -> Int {
        let use: CacheConnection.Use
        do {
            use = try await connection.begin()
        } catch {
            ledger.miss([selection])
            await executor.runToEnd { [connection] in connection.files.markOutdated() }
            throw error
        }
        return try await executor.runToEnd {
            try withExtendedLifetime(use) { try self.remove(selection) }
        }
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

    private func delete(_ ids: [Int64], _ db: Database) throws {
        let statement = try db.cachedStatement(sql: "DELETE FROM entry WHERE id = ?")
        for id in ids { try statement.execute(arguments: [id]) }
        try purge(ids, db)
    }

    private func purge(_ ids: [Int64], _ db: Database) throws {
        for id in ledger.unread(ids) { try CacheSchema.purge(id, db) }
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
    ///
    /// - Returns: `false` when the blocks before it are gone: another process took them for left over while the database
    ///   was suspended.
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

    /// Forgets the blocks of an entry that will never be there.
    func abandon(_ id: Int64) {
        ledger.endWriting(id)
        try? write { db in try purge([id], db) }
    }

    /// Forgets them some time later; those of a database that is closed go when it is opened.
    func abandonLater(_ id: Int64) {
        ledger.endWriting(id)
        submit { self.abandon(id) }
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
        defer { ledger.endWriting(id) }
        let evicted = try write { db -> [CacheKey]? in
            // All of its blocks or none: another process may have taken them for left over.
            if let last, last.block > 0 { guard try CacheSchema.isGarbage(id, db) else { return nil } }
            let (keyHash, variantHash) = (StoredHead.hash(of: key), StoredHead.hash(of: metadata.variant))
            let same = try db.cachedStatement(sql: "SELECT id FROM entry WHERE key = ? AND variant = ?")
            try delete(try Int64.fetchAll(same, arguments: [keyHash, variantHash]), db)
            let surplus = try removeSurplus(of: keyHash, db)
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
                metadata.classification, bytes, try ledger.nextTick(db), Data(head), StoredHead.checksum(of: head),
            ])
            return Array(repeating: key, count: surplus) + evicted.compactMap(\.key)
        }
        guard let evicted else { return CacheCommit(entry: nil) }
        let entryID = CacheEntryID(rawValue: UInt64(bitPattern: id))
        return CacheCommit(entry: CacheEntry(id: entryID, key: key, response: response), evicted: evicted)
    }

    // MARK: - Readers

    func beginReading(_ id: Int64) { ledger.beginReading(id) }

    func endReading(_ id: Int64) {
        guard ledger.endReading(id) else { return }
        submit {
            try? self.write { db in
                if try CacheSchema.isGarbage(id, db) { try self.purge([id], db) }
            }
        }
    }
}
#endif
