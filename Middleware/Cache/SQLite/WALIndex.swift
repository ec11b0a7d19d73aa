#if SQLite
import GRDB
import GRDBSQLite

/// The header of a database's WAL-index.
///
/// It shows whether any process has committed anything since it was last read (https://www.sqlite.org/walformat.html,
/// "The WAL-Index Header").
///
/// SQLite compares it in the same way when a transaction begins. It is in memory that the processes share, so reading
/// it opens, locks and reads no file, and never waits for a disk. It exists as long as the connection.
struct WALIndex: Sendable {
    /// A header, which changes with every commit.
    struct Header: Hashable, Sendable {
        fileprivate let words: SIMD8<UInt64>
    }

    private static let headerSize = 48
    /// The size of a part of the WAL-index; the header is at the start of the first part.
    private static let partSize: Int32 = 32_768

    /// Safe, because the memory is only read, and never after the connection is closed.
    private nonisolated(unsafe) let start: UnsafeRawPointer

    /// - Returns: `nil` if the database has no such memory, such as a read-only one.
    init?(of db: Database) throws {
        // The memory exists only once there has been a transaction.
        _ = try Int.fetchOne(db, sql: "PRAGMA schema_version")
        var file: UnsafeMutablePointer<sqlite3_file>?
        var start: UnsafeMutableRawPointer?
        guard
            sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
            let file, let methods = file.pointee.pMethods?.pointee, methods.iVersion >= 2, let map = methods.xShmMap,
            map(file, 0, Self.partSize, 0, &start) == SQLITE_OK, let start
        else { return nil }
        self.start = UnsafeRawPointer(start)
    }

    /// The current header; `nil` while it is being written.
    ///
    /// It is compared with an earlier header. An incomplete read equals neither the previous header nor the next one,
    /// so no barrier is needed between the two copies.
    var header: Header? {
        let first = words(at: 0)
        return first == words(at: Self.headerSize) ? Header(words: first) : nil
    }

    private func words(at offset: Int) -> SIMD8<UInt64> {
        var words = SIMD8<UInt64>()
        for word in 0..<Self.headerSize / 8 {
            words[word] = start.load(fromByteOffset: offset + word * 8, as: UInt64.self)
        }
        return words
    }
}
#endif
