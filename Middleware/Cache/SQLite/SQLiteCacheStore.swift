#if SQLite
public import Foundation
import GRDB
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
/// The database is in WAL mode: reads don't wait for writes, and an entry is complete or absent after the process was
/// killed at any point. Bodies are written and read in constant memory, in rows of 64 KiB, each with a checksum that is
/// verified before any byte of the row is returned. Checksums also cover descriptions and whole bodies.
///
/// - The database is opened by the first call, and again after a failure. A damaged one is recreated: it is removed if
///   no other store, of this process or another, has it open, and otherwise emptied in place. One of a later version is
///   left unchanged, and nothing is found in it. Failures are thrown as ``/HTTPChainCache/CacheStoreFault``, which the
///   cache reports as an event.
/// - ``close()`` ends the use of the database; ``suspend()`` and ``resume()`` are for an app that shares it with its
///   extensions.
/// - If the database isn't writable, nothing is stored, and removed entries are hidden from this process. On a full
///   disk, the next process then starts empty; on a read-only one, it finds the removed entries.
/// - The bounds count bodies and descriptions; the file is somewhat larger. Its free space is released in steps while
///   the store is unused, except for a reserve. A file created by an earlier version doesn't shrink.
/// - A body being read stays available to its end, even if another process replaces or removes it.
/// - The order of use is saved from time to time, and may be lost if the process is killed.
public final class SQLiteCacheStore: CacheStore, BoundedCacheStore, InvalidationKeeping {
    /// The limits of the store.
    package let bounds: CacheBounds
    /// The invalidations by all stages that use the store.
    package let invalidations = InvalidationLog()
    let database: CacheDatabase
    /// The disk budget for entries being written: at most as much as the store's total size, in addition to it.
    private let inFlight: FlightBudget

    /// Creates a store without opening or creating anything yet.
    ///
    /// - Parameters:
    ///   - file: The database file; its directory is created if missing.
    ///   - bounds: The limits of the store.
    ///   - options: The overwriting of removed data, and the protection of the files.
    public convenience init(file: URL, bounds: CacheBounds, options: SQLiteCacheOptions = SQLiteCacheOptions()) {
        self.init(file: file, bounds: bounds, options: options) { _ in }
    }

    /// - Parameter prepare: Called with each connection when it is opened, so that tests can make it fail.
    init(
        file: URL,
        bounds: CacheBounds,
        options: SQLiteCacheOptions = SQLiteCacheOptions(),
        prepare: @escaping @Sendable (Database) throws -> Void
    ) {
        self.bounds = bounds
        inFlight = FlightBudget(limit: bounds.totalBytes.bytes)
        database = CacheDatabase(path: file.path, bounds: bounds, options: options, prepare: prepare)
    }

    /// Always `true`: the store bounds its own waits.
    public var keepsDeadlines: Bool { true }

    /// "SQLite in" the file, and the limit.
    public var summary: String { "SQLite in \(database.path), up to \(bounds.totalBytes)" }

    /// Returns the stored variants of a key.
    ///
    /// - Throws: ``/HTTPChainCache/CacheStoreFault`` if nothing could be read.
    public func variants(of key: CacheKey) async throws -> [CacheEntry] {
        if let (found, removals) = database.recentVariants(of: key) { return try entries(found, of: key, removals) }
        return try await database.run {
            let (found, removals) = try self.database.variants(of: key)
            return try self.entries(found, of: key, removals)
        }
    }

    private func entries(_ found: [CacheLookup], of key: CacheKey, _ removals: UInt64) throws -> [CacheEntry] {
        var entries: [CacheEntry] = []
        var fault: CacheStoreFault?
        for variant in found where !database.isHidden(variant.id) {
            do throws(CacheStoreFault) {
                let head = try variant.head.get()
                guard head.key == key else { continue }
                let entry = CacheEntry(
                    id: CacheEntryID(rawValue: UInt64(bitPattern: variant.id)),
                    key: head.key,
                    response: head.response,
                    content: variant.content.map { StoredContent($0, removals: removals) }
                )
                entries.append(entry)
            } catch {
                database.drop(variant.id, error)
                fault = error
            }
        }
        if entries.isEmpty, let fault { throw fault }
        return entries
    }

    /// Returns the content of an entry; this counts as a use.
    ///
    /// - Throws: ``/HTTPChainCache/CacheStoreFault`` if it is damaged or can't be read.
    public func body(of entry: CacheEntry, range: Range<Int64>?) async throws -> HTTPBody? {
        if let body = try foundBody(of: entry, range: range) { return body }
        return try await database.run { try self.storedBody(of: entry, range: range) }
    }

    /// Returns the content read with the description, unless the entry may have been removed since.
    private func foundBody(of entry: CacheEntry, range: Range<Int64>?) throws -> HTTPBody? {
        guard let content = entry.content else { return nil }
        try database.check()
        guard database.use(Int64(bitPattern: entry.id.rawValue), since: content.removals) else { return nil }
        return HTTPBody(range.map { content.bytes[Int($0.lowerBound)..<Int($0.upperBound)] } ?? content.bytes)
    }

    private func storedBody(of entry: CacheEntry, range: Range<Int64>?) throws -> HTTPBody? {
        let id = Int64(bitPattern: entry.id.rawValue)
        let response = entry.response
        guard !database.isHidden(id) else { return nil }
        let whole = 0..<response.bodyLength
        let range = range ?? whole
        let blocks = CacheBlocks(database: database, id: id, length: response.bodyLength)
        do {
            let first = range.isEmpty ? 0 : range.lowerBound / CacheBlocks.payload
            let isSmall = response.bodyLength <= CacheBlocks.payload * 4
            let last = isSmall ? (response.bodyLength - 1) / CacheBlocks.payload : first
            let from = isSmall ? 0 : first
            guard let chunks = try blocks.fetch(from...max(from, last)) else { return nil }
            database.use(id)
            guard isSmall else { return range.isEmpty ? .empty : blocks.body(range) }
            var bytes = Data(capacity: Int(response.bodyLength))
            for chunk in chunks { bytes += chunk }
            guard Int64(bytes.count) == response.bodyLength, ContentChecksum(of: bytes) == response.bodyChecksum
            else { throw CacheStoreFault(.damaged("a stored body")) }
            return HTTPBody(range == whole ? bytes : bytes[Int(range.lowerBound)..<Int(range.upperBound)])
        } catch let fault as CacheStoreFault {
            database.drop(id, fault)
            throw fault
        }
    }

    /// Creates a writer for an entry.
    ///
    /// - Throws: ``/HTTPChainCache/CacheStoreFault`` if the store is closed or suspended.
    public func makeWriter(
        for key: CacheKey,
        _ metadata: CacheMetadata,
        expecting length: Int64?
    ) async throws -> (any CacheWriter)? {
        try database.check()
        let empty = StoredResponse(metadata, bodyLength: 0, bodyChecksum: ContentChecksum())
        let room = bounds.entryBytes.bytes - Int64(StoredHead(key, empty).encoded.count)
        guard room >= 0, bounds.entryCount > 0, (length ?? 0) <= room else { return nil }
        let share = FlightShare(of: inFlight)
        return SQLiteCacheWriter(database, key: key, metadata: metadata, room: room, share)
    }

    /// Replaces the description of a stored body; removes the entry if that fails.
    ///
    /// - Throws: ``/HTTPChainCache/CacheStoreFault`` if it fails.
    public func update(_ entry: CacheEntry, to metadata: CacheMetadata) async throws -> CacheEntry? {
        try await database.change { try self.describe(entry, as: metadata) }
    }

    private func describe(_ entry: CacheEntry, as metadata: CacheMetadata) throws -> CacheEntry? {
        let id = Int64(bitPattern: entry.id.rawValue)
        let response = entry.response.with(metadata)
        do {
            guard try database.update(id, entry.key, response) else { return nil }
        } catch {
            // An entry that can't be updated must not be served with its old description.
            database.hide([id])
            _ = try? database.remove(.entry(entry.id))
            throw error
        }
        return CacheEntry(id: entry.id, key: entry.key, response: response)
    }

    /// Removes entries, at least for this process if the database isn't writable.
    ///
    /// - Throws: ``/HTTPChainCache/CacheStoreFault`` if they could not be removed; this process doesn't find them.
    @discardableResult
    public func remove(_ selection: CacheSelection) async throws -> Int {
        try await database.removeToEnd(selection)
    }

    /// Visits entries in batches of a hundred; damaged ones are skipped.
    public func visit(_ selection: CacheSelection, _ visit: (CacheEntry) throws -> Bool) async throws {
        var last = Int64.min
        while true {
            let after = last
            let rows = try await database.run { [database] in
                try database.read { db in try CacheRow.fetch(selection, after: after, limit: 100, db) }
            }
            guard let end = rows.last?.id else { return }
            last = end
            for row in rows where !database.isHidden(row.id) {
                guard let entry = try? row.entry(), selection.contains(entry) else { continue }
                guard try visit(entry) else { return }
            }
        }
    }

    /// Closes the database permanently.
    ///
    /// Waits for operations in progress, saves the order of use, and releases the files and their locks; the last store
    /// to close the database writes its journal into it and removes the journal. From then on, every use of the store
    /// throws a ``/HTTPChainCache/CacheStoreFault`` with ``/HTTPChainCache/CacheStoreFault/Problem/closed(_:)``: the
    /// cache reports it as an event, and calls go to the server. A body being read ends with that fault. Later removals
    /// fail, so whoever opens the database next starts empty.
    ///
    /// A store that isn't closed closes its database some time after its last reference is released. Close a store
    /// before its file is moved, copied or removed.
    public func close() async { await database.close() }

    /// Closes the database until ``resume()``.
    ///
    /// The system terminates an app that holds locks on files of its app group while it is suspended. Call this in the
    /// background task that ends with the app's work. It waits for operations in progress. From then on, every use of
    /// the store throws a ``/HTTPChainCache/CacheStoreFault`` with
    /// ``/HTTPChainCache/CacheStoreFault/Problem/suspended(_:)``, as after ``close()``. A body being written can be
    /// finished after ``resume()``, unless another process has opened the database in the meantime.
    public func suspend() async { await database.suspend() }

    /// Allows uses of the store again after ``suspend()``; the next call opens the database.
    ///
    /// A store that was closed stays closed.
    public func resume() { database.resume() }

    /// Returns the usage of the store: bodies and descriptions.
    public func usage() async throws -> CacheUsage {
        // Runs after the changes that were begun earlier.
        try await database.change { [database] in try database.read { db in try CacheSchema.usage(db) } }
    }
}

extension SQLiteCacheStore: PlacedCacheStore {
    package var place: String { URL(fileURLWithPath: database.path).resolvingSymlinksInPath().path }
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
