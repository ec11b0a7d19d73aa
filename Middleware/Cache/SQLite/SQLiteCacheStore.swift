#if SQLite
public import Foundation
public import HTTPChainCache
public import HTTPChainCore

/// Stores responses in an SQLite database; requires the trait `SQLite`.
///
/// ```swift
/// let store = SQLiteCacheStore(
///     file: caches.appendingPathComponent("responses.sqlite"),
///     bounds: CacheBounds(totalBytes: .megabytes(500))
/// )
/// let cache = CacheMiddleware(store: store)
/// ```
///
/// The database is in WAL mode: reads don't wait for writes, and an entry is either complete or absent, even if the
/// process is killed at any point. Bodies are written and read in constant memory, in rows of 64 KiB. Each row has a
/// checksum that is verified before any byte of it is returned. Checksums also cover descriptions and whole bodies.
///
/// - The database is opened by the first call, and again after a failure. A damaged one is recreated: it is removed if
///   no other store, in this process or another, has it open, and otherwise emptied in place. A database of a later
///   version is left unchanged, and no entries are found in it. Failures are thrown as
///   ``/HTTPChainCache/CacheStoreFault``, which the cache reports as an event.
/// - ``close()`` ends the use of the database; ``suspend()`` and ``resume()`` are for an app that shares it with its
///   extensions.
/// - If the database isn't writable, nothing is stored, and removed entries are hidden from this process. If the disk
///   is full, the next process then starts empty; if it is read-only, the next process finds the removed entries.
/// - The bounds count bodies and descriptions; the file is somewhat larger. Its free space, except for a reserve, is
///   released in steps while the store is unused. A file created by an earlier version doesn't shrink.
/// - A body being read stays available to its end, even if another process replaces or removes it.
/// - The order of use is saved from time to time, and may be lost if the process is killed.
public final class SQLiteCacheStore: WrappingCacheStore {
    private let store: SQLiteStore
    package var wrapped: any CacheStore { store }

    /// Creates a store without opening or creating anything yet.
    ///
    /// - Parameters:
    ///   - file: The database file; its directory is created if missing.
    ///   - bounds: The limits of the store.
    ///   - options: The overwriting of removed data, and the protection of the files.
    public init(file: URL, bounds: CacheBounds, options: SQLiteCacheOptions = SQLiteCacheOptions()) {
        store = SQLiteStore(file: file, bounds: bounds, options: options)
    }

    /// Closes the database permanently.
    ///
    /// Waits for operations in progress, saves the order of use, and releases the files and their locks. The last store
    /// to close the database writes its journal into it and removes the journal. From then on, every use of the store
    /// throws a ``/HTTPChainCache/CacheStoreFault`` with ``/HTTPChainCache/CacheStoreFault/Problem/closed(_:)``: the
    /// cache reports it as an event, and calls go to the server. A body that is being read ends with that fault. Later
    /// removals fail, so the next process to open the database starts empty.
    ///
    /// A store that isn't closed explicitly closes its database some time after its last reference is released. Close a
    /// store before you move, copy or remove its file.
    public func close() async { await store.close() }

    /// Closes the database until ``resume()``.
    ///
    /// The system terminates an app that holds locks on files of its app group while it is suspended. Call this in the
    /// background task that ends with the app's work. It waits for operations in progress. From then on, every use of
    /// the store throws a ``/HTTPChainCache/CacheStoreFault`` with
    /// ``/HTTPChainCache/CacheStoreFault/Problem/suspended(_:)``, as after ``close()``. A body being written can be
    /// finished after ``resume()``, unless another process has opened the database in the meantime.
    public func suspend() async { await store.suspend() }

    /// Allows uses of the store again after ``suspend()``; the next call opens the database.
    ///
    /// A store that was closed stays closed.
    public func resume() { store.resume() }
}

extension CacheStore where Self == SQLiteCacheStore {
    /// Creates a store in an SQLite database.
    ///
    /// - Parameters:
    ///   - file: The database file; its directory is created if missing.
    ///   - limit: The maximum total size of bodies and descriptions.
    public static func sqlite(_ file: URL, limit: ByteCount) -> SQLiteCacheStore {
        SQLiteCacheStore(file: file, bounds: CacheBounds(totalBytes: limit))
    }
}
#endif
