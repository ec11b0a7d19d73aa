#if SQLite
import Foundation
import GRDB
import GRDBSQLite
import HTTPChainCache
import HTTPChainCore

/// A variant of a key as found by a single statement: the description, and the body if that is small.
///
/// It is read with SQLite's own functions, which provide bytes without copying them. A description that was decoded
/// before is only compared.
struct CacheLookup {
    let id: Int64
    /// The number of bytes read, of the description and the body.
    let length: Int
    let head: Result<StoredHead, CacheStoreFault>
    /// The body of a single variant, if it is one undamaged block.
    let content: Data?

    // Omits the bodies if there are several variants, because only one of them will be used.
    private static let query = """
        SELECT id, head, sum,
            CASE WHEN bytes <= \(CacheBlocks.payload)
                AND (SELECT count(*) FROM entry AS variant WHERE variant.key = entry.key) = 1
            THEN (SELECT block.bytes FROM block WHERE block.id = entry.id << 24) END
        FROM entry WHERE key = ?
        """

    /// Returns the variants of the keys with a hash.
    static func variants(
        ofKey hash: Int64,
        _ db: Database,
        _ recent: RecentDescriptions
    ) throws -> [CacheLookup] {
        let statement = try db.cachedStatement(sql: query).sqliteStatement
        // Resets the statement, because the connection keeps its snapshot until then.
        defer { sqlite3_reset(statement) }
        var found: [CacheLookup] = []
        var code = sqlite3_bind_int64(statement, 1, hash)
        if code == SQLITE_OK { code = sqlite3_step(statement) }
        while code == SQLITE_ROW {
            found.append(try CacheLookup(statement, recent))
            code = sqlite3_step(statement)
        }
        guard code == SQLITE_DONE else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
        return found
    }

    private init(_ row: SQLiteStatement, _ recent: RecentDescriptions) throws {
        guard sqlite3_column_type(row, 0) == SQLITE_INTEGER, sqlite3_column_type(row, 2) == SQLITE_INTEGER else {
            throw DatabaseError(resultCode: .SQLITE_MISMATCH)
        }
        id = sqlite3_column_int64(row, 0)
        let sum = sqlite3_column_int64(row, 2)
        let bytes = try Self.bytes(row, 1)
        let name = UInt64(bitPattern: id)
        head = Result { () throws(CacheStoreFault) in
            try recent.head(of: name, bytes) { () throws(CacheStoreFault) in
                try StoredHead(decoding: bytes, sum: sum)
            }
        }
        content = try Self.content(row, head)
        length = bytes.count + (content?.count ?? 0)
    }

    private static func content(_ row: SQLiteStatement, _ head: Result<StoredHead, CacheStoreFault>) throws -> Data? {
        guard case .success(let head) = head else { return nil }
        if head.response.bodyLength == 0 { return Data() }
        guard sqlite3_column_type(row, 3) == SQLITE_BLOB else { return nil }
        let bytes = try bytes(row, 3)
        guard Int64(bytes.count) == head.response.bodyLength, let start = bytes.baseAddress else { return nil }
        let content = Data(bytes: start, count: bytes.count)
        // If the content is damaged, the next read of the body detects that.
        return ContentChecksum(of: content) == head.response.bodyChecksum ? content : nil
    }

    /// The bytes of a column, which are valid until the next step.
    private static func bytes(_ row: SQLiteStatement, _ column: Int32) throws -> UnsafeRawBufferPointer {
        guard sqlite3_column_type(row, column) == SQLITE_BLOB else {
            throw DatabaseError(resultCode: .SQLITE_MISMATCH)
        }
        let start = sqlite3_column_blob(row, column)
        let count = Int(sqlite3_column_bytes(row, column))
        // The result is also null if no memory is left.
        guard start != nil || count == 0 else { throw DatabaseError(resultCode: .SQLITE_NOMEM) }
        return UnsafeRawBufferPointer(start: start, count: count)
    }
}

extension StoredHead {
    /// Decodes a description whose checksum is stored separately.
    init(decoding bytes: UnsafeRawBufferPointer, sum: Int64) throws(CacheStoreFault) {
        guard StoredHead.checksum(of: bytes) == sum else { throw CacheStoreFault(.damaged("a stored response")) }
        try self.init(decoding: bytes)
    }
}
#endif
