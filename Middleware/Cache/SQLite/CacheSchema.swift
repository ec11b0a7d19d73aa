#if SQLite
import Foundation
import GRDB
import HTTPChainCache
import HTTPChainCore

/// The database's tables.
///
/// `entry` has a row for each visible entry. Its body is in rows of `block`, identified by the entry and a number.
/// `garbage` lists entries that are being written or were deleted. A row stays there until the blocks belong to a
/// visible entry or have been removed. `total` has the sums of all entries.
enum CacheSchema {
    /// The version of the schema, stored in `user_version`.
    static let version = 1

    static func create(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE entry (
                    id INTEGER PRIMARY KEY, key INTEGER NOT NULL, variant INTEGER NOT NULL,
                    url TEXT NOT NULL, partition TEXT NOT NULL, origin TEXT, identifier TEXT, classification TEXT,
                    bytes INTEGER NOT NULL, used INTEGER NOT NULL, head BLOB NOT NULL, sum INTEGER NOT NULL
                );
                CREATE INDEX entry_key ON entry (key);
                CREATE INDEX entry_url ON entry (url);
                CREATE INDEX entry_used ON entry (used);
                CREATE INDEX entry_identifier ON entry (identifier) WHERE identifier IS NOT NULL;
                CREATE TABLE block (id INTEGER PRIMARY KEY, sum INTEGER NOT NULL, bytes BLOB NOT NULL);
                CREATE TABLE garbage (id INTEGER PRIMARY KEY);
                CREATE TABLE total (id INTEGER PRIMARY KEY, entries INTEGER NOT NULL, bytes INTEGER NOT NULL);
                INSERT INTO total (id, entries, bytes) VALUES (0, 0, 0);
                CREATE TRIGGER entry_inserted AFTER INSERT ON entry BEGIN
                    UPDATE total SET entries = entries + 1, bytes = bytes + new.bytes;
                END;
                CREATE TRIGGER entry_resized AFTER UPDATE OF bytes ON entry BEGIN
                    UPDATE total SET bytes = bytes + new.bytes - old.bytes;
                END;
                CREATE TRIGGER entry_deleted AFTER DELETE ON entry BEGIN
                    UPDATE total SET entries = entries - 1, bytes = bytes - old.bytes;
                    INSERT OR IGNORE INTO garbage (id) VALUES (old.id);
                END;
                PRAGMA user_version = \(version);
                """
        )
    }

    /// Allows free pages to be released in steps; the database must not have any pages yet.
    static func allowVacuum(_ db: Database) throws {
        if !db.configuration.readonly { try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL") }
    }

    /// The number of free pages, and the number that may stay free for reuse: 1 MiB, or an eighth of the pages in use.
    static func slack(_ db: Database) throws -> (free: Int, allowed: Int) {
        let free = try Int.fetchOne(db, sql: "PRAGMA freelist_count") ?? 0
        let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
        return (free, max(256, (pages - free) / 8))
    }

    /// Releases some free pages, which takes a few milliseconds.
    static func vacuum(_ db: Database) throws { try db.execute(sql: "PRAGMA incremental_vacuum(256)") }

    static func usage(_ db: Database) throws -> CacheUsage {
        let statement = try db.cachedStatement(sql: "SELECT bytes, entries FROM total")
        guard let row = try Row.fetchOne(statement) else { return CacheUsage() }
        let usage = CacheUsage(bytes: try row.decode(atIndex: 0), entries: try row.decode(atIndex: 1))
        // Real databases don't reach these values. Sums with larger ones could overflow.
        guard (0...(1 << 60 as Int64)).contains(usage.bytes), (0...(Int.max / 2)).contains(usage.entries) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT)
        }
        return usage
    }

    /// Evicts the least recently used entries until there is room.
    static func makeRoom(
        _ db: Database,
        bytes: Int64,
        entries: Int,
        _ bounds: CacheBounds
    ) throws -> [(id: Int64, key: CacheKey?)] {
        var evicted: [(id: Int64, key: CacheKey?)] = []
        while bounds.areExceeded(by: try usage(db), adding: bytes, entries: entries) {
            let oldest = try db.cachedStatement(sql: "SELECT id, head, sum FROM entry ORDER BY used LIMIT 1")
            guard let row = try CacheRow.fetchOne(oldest) else { break }
            evicted.append((row.id, (try? row.entry())?.key))
            let delete = try db.cachedStatement(sql: "DELETE FROM entry WHERE id = ?")
            try delete.execute(arguments: [row.id])
        }
        return evicted
    }

    static func variantCount(of key: Int64, _ db: Database) throws -> Int {
        let statement = try db.cachedStatement(sql: "SELECT count(*) FROM entry WHERE key = ?")
        return try Int.fetchOne(statement, arguments: [key]) ?? 0
    }

    /// The least recently used entries of a key that must be removed so that at most this many remain.
    ///
    /// Includes damaged entries, and those of another key with the same hash.
    static func surplus(of key: CacheKey, keeping count: Int, _ db: Database) throws -> [Int64] {
        let statement = try db.cachedStatement(
            sql: "SELECT id, head, sum FROM entry WHERE key = ? ORDER BY used DESC"
        )
        return try CacheRow.fetchAll(statement, arguments: [StoredHead.hash(of: key)])
            .filter { ((try? $0.entry())?.key ?? key) == key }
            .dropFirst(count).map(\.id)
    }

    /// The identifier of an entry's block: the entry's, with the block number in the lower bits.
    static func blockID(_ block: Int64, of id: Int64) -> Int64 { id << 24 | block }

    static func insert(_ bytes: Data, block: Int64, of id: Int64, _ db: Database) throws {
        let statement = try db.cachedStatement(sql: "INSERT INTO block (id, sum, bytes) VALUES (?, ?, ?)")
        let name = blockID(block, of: id)
        try statement.execute(arguments: [name, CacheBlocks.checksum(bytes, name), bytes])
    }

    /// Removes the blocks of a deleted entry.
    static func purge(_ id: Int64, _ db: Database) throws {
        let blocks = try db.cachedStatement(sql: "DELETE FROM block WHERE id BETWEEN ? AND ?")
        try blocks.execute(arguments: [blockID(0, of: id), blockID(1 << 24 - 1, of: id)])
        let name = try db.cachedStatement(sql: "DELETE FROM garbage WHERE id = ?")
        try name.execute(arguments: [id])
    }

    /// Whether an entry isn't visible but may have blocks.
    static func isGarbage(_ id: Int64, _ db: Database) throws -> Bool {
        let statement = try db.cachedStatement(sql: "SELECT 1 FROM garbage WHERE id = ?")
        return try Int.fetchOne(statement, arguments: [id]) != nil
    }

    static func purge(_ db: Database, except kept: Set<Int64>) throws {
        for id in try Int64.fetchAll(db, sql: "SELECT id FROM garbage") where !kept.contains(id) { try purge(id, db) }
    }
}

/// The columns of an entry that are read.
struct CacheRow: FetchableRecord {
    let id: Int64
    private let head: Data
    private let sum: Int64

    // In a damaged file, a column may have an invalid type, on which GRDB's subscript traps.
    init(row: Row) throws {
        id = try row.decode(atIndex: 0)
        head = try row.decode(atIndex: 1)
        sum = try row.decode(atIndex: 2)
    }

    func entry() throws(CacheStoreFault) -> CacheEntry {
        let outcome = head.withUnsafeBytes { bytes in
            Result { () throws(CacheStoreFault) in try StoredHead(decoding: bytes, sum: sum) }
        }
        let stored = try outcome.get()
        return CacheEntry(
            id: CacheEntryID(rawValue: UInt64(bitPattern: id)),
            key: stored.key,
            response: stored.response
        )
    }

    static func ids(_ selection: CacheSelection, _ db: Database) throws -> [Int64] {
        let (condition, arguments) = selection.condition
        let statement = try db.cachedStatement(sql: "SELECT id FROM entry WHERE \(condition)")
        return try Int64.fetchAll(statement, arguments: arguments)
    }

    static func fetch(_ selection: CacheSelection, after id: Int64, limit: Int, _ db: Database) throws -> [CacheRow] {
        let (condition, arguments) = selection.condition
        let statement = try db.cachedStatement(
            sql: "SELECT id, head, sum FROM entry WHERE (\(condition)) AND id > ? ORDER BY id LIMIT ?"
        )
        return try fetchAll(statement, arguments: arguments + [id, limit])
    }
}

extension CacheSelection {
    /// The selection as an SQL condition.
    ///
    /// May select additional entries, because it compares hashes.
    fileprivate var condition: (String, StatementArguments) {
        switch self {
        case .all: ("1", [])
        case .key(let key): ("key = ?", [StoredHead.hash(of: key)])
        case .url(let url): ("url = ?", [url])
        case .identifier(let identifier): ("identifier = ?", [identifier])
        case .identifierPrefix(""): ("identifier IS NOT NULL", [])
        case .identifierPrefix(let prefix):
            (
                "identifier IS NOT NULL AND substr(CAST(identifier AS BLOB), 1, ?) = CAST(? AS BLOB)",
                [prefix.utf8.count, prefix]
            )
        case .classification(let name): ("classification IS ?", [name])
        case .origin(let origin): ("origin = ?", [origin.description])
        case .partition(let partition): ("partition = ?", [partition])
        case .entry(let id): ("id = ?", [Int64(bitPattern: id.rawValue)])
        }
    }
}
#endif
