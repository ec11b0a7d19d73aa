#if SQLite
import GRDB
import GRDBSQLite

/// The beginning of a database's WAL-index, which tells whether anything was committed since, by whomever
/// (https://www.sqlite.org/walformat.html, "The WAL-Index Header").
///
/// SQLite compares it in the same way when a transaction begins. It is memory that processes share: looking at it opens,
/// locks and reads no file, and may be done where nothing may wait for a disk. It is there as long as the connection is.
struct WALIndex: Sendable {
    /// A header: another one after each commit.
    struct Header: Hashable, Sendable {
        fileprivate let words: SIMD8<UInt64>
    }

    private static let headerSize = 48
    /// The size of a part of the WAL-index; the header is at the start of the first.
    private static let partSize: Int32 = 32_768

    /// Only read, and by nobody once the connection is closed.
    private nonisolated(unsafe) let start: UnsafeRawPointer

    /// - Returns: `nil` where the database has no such memory, as one that may not be written to.
    init?(of db: Database) throws {
        // The memory is there from the first transaction on.
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

    /// The header as it is now; `nil` while it is being written.
    ///
    /// It is compared with one that was there before. What is read while it is written is neither the one before nor the
    /// one after, so that no barrier is needed between its two copies.
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
