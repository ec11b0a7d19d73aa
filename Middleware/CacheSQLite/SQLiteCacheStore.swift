#if SQLite
public import Foundation
import GRDB
public import HTTPChainCache
public import HTTPChainCore

/// Keeps responses in an SQLite database; the trait `SQLite` brings it.
///
/// ```swift
/// let store = SQLiteCacheStore(
///     file: caches.appendingPathComponent("responses.sqlite"),
///     bounds: CacheBounds(totalBytes: .megabytes(500))
/// )
/// let cache = CacheMiddleware(store: store)
/// ```
///
/// The database is in WAL mode: what is read does not wait for what is written, and an entry is there whole or not at
/// all after the process was killed at any point. Bodies are divided into rows of 64 KiB, each with a checksum that is
/// compared before any byte of the row is handed out, and are written and read in constant memory. Descriptions and
/// whole bodies are under checksums too.
///
/// - The database is opened with the first call, and again after a failure. One that is damaged is made anew: it is
///   removed where no other store, of this process or another, has it open, and emptied in place otherwise. One of a
///   later version is left alone, and nothing is found in it. What cannot be done is thrown as a
///   ``/HTTPChainCache/CacheStoreFault``, which the cache reports as an event.
/// - ``close()`` ends the use of the database; ``suspend()`` and ``resume()`` are for an app that shares it with its
///   extensions.
/// - Where the database cannot be written to, nothing is stored, and what is removed is hidden from this process. On a
///   disk that is full the next process then begins with nothing; on one that is read-only it finds what was removed.
/// - Bounds count bodies and descriptions; the file is somewhat larger. What is free in it is given back piece by piece
///   when nobody uses the store, but for a reserve. A file that an earlier version made does not shrink.
/// - A body that is being read is there to its end, also when another process replaces or removes it.
/// - What was used last is written down now and then, and may be forgotten when the process is killed.
public final class SQLiteCacheStore: CacheStore, BoundedCacheStore, InvalidationKeeping {
    /// The limits of the store.
    public let bounds: CacheBounds
    /// The entries that stages which use the store have made invalid.
    package let invalidations = InvalidationLog()
    let database: CacheDatabase
    /// The room on the disk for entries that are being written: at most as much again as the store holds.
    private let inFlight: FlightBudget

    /// Makes a store; nothing is opened or created yet.
    ///
    /// - Parameters:
    ///   - file: Where the database is; the directory is created where it is not there.
    ///   - bounds: How much it holds at most.
    ///   - options: Whether what is removed is overwritten, and when the files can be read.
    public convenience init(file: URL, bounds: CacheBounds, options: SQLiteCacheOptions = SQLiteCacheOptions()) {
        self.init(file: file, bounds: bounds, options: options) { _ in }
    }

    /// - Parameter prepare: Is shown each connection when it is opened, so that tests can make it fail.
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

    /// It waits for nothing but its own work.
    public var keepsDeadlines: Bool { true }

    /// "SQLite in" the file, and the bound.
    public var summary: String { "SQLite in \(database.path), up to \(bounds.totalBytes)" }

    /// The stored variants of a key.
    ///
    /// - Throws: ``/HTTPChainCache/CacheStoreFault`` when nothing could be read.
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

    /// The content of an entry, which counts as a use of it.
    ///
    /// - Throws: ``/HTTPChainCache/CacheStoreFault`` when it is damaged or cannot be read.
    public func body(of entry: CacheEntry, range: Range<Int64>?) async throws -> HTTPBody? {
        if let body = try foundBody(of: entry, range: range) { return body }
        return try await database.run { try self.storedBody(of: entry, range: range) }
    }

    /// The content that was read together with the description, unless the entry may have been removed since.
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

    /// Begins to write an entry.
    ///
    /// - Throws: ``/HTTPChainCache/CacheStoreFault`` when the store is closed or suspended.
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

    /// Gives a stored body a new description; an entry for which that fails is removed.
    ///
    /// - Throws: ``/HTTPChainCache/CacheStoreFault`` when it fails.
    public func update(_ entry: CacheEntry, to metadata: CacheMetadata) async throws -> CacheEntry? {
        try await database.change { try self.describe(entry, as: metadata) }
    }

    private func describe(_ entry: CacheEntry, as metadata: CacheMetadata) throws -> CacheEntry? {
        let id = Int64(bitPattern: entry.id.rawValue)
        let response = entry.response.with(metadata)
        do {
            guard try database.update(id, entry.key, response) else { return nil }
        } catch {
            // What cannot be described anew must not be served as it was described before.
            database.hide([id])
            _ = try? database.remove(.entry(entry.id))
            throw error
        }
        return CacheEntry(id: entry.id, key: entry.key, response: response)
    }

    /// Removes entries: at least for this process, when the database refuses.
    ///
    /// - Throws: ``/HTTPChainCache/CacheStoreFault`` when they could not be removed; this process does not find them.
    @discardableResult
    public func remove(_ selection: CacheSelection) async throws -> Int {
        try await database.removeToEnd(selection)
    }

    /// Shows entries, a hundred at a time; those that are damaged are passed over.
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

    /// Closes the database, for good.
    ///
    /// Waits for what the store is doing, writes down what was used last, and lets the files and their locks go; the last
    /// that closes the database writes its journal into it and removes the journal. Every use of the store from then on
    /// throws a ``/HTTPChainCache/CacheStoreFault`` that says ``/HTTPChainCache/CacheStoreFault/Problem/closed(_:)``: the
    /// cache reports it as an event, and calls go to the server. A body that is being read then ends with that fault. What is to be removed after
    /// that cannot be: whoever opens the database next begins with nothing.
    ///
    /// A store that is not closed closes its database some time after the last reference to it has gone. Close one whose
    /// file is to be moved, copied or removed.
    public func close() async { await database.close() }

    /// Closes the database until ``resume()``.
    ///
    /// An app may not hold locks on files of its app group while the system suspends it, and is ended for that. Call this
    /// in the background task that ends with the app's work. It waits for what the store is doing. Every use of the
    /// store from then on throws a ``/HTTPChainCache/CacheStoreFault`` that says
    /// ``/HTTPChainCache/CacheStoreFault/Problem/suspended(_:)``, as after ``close()``; a body that is being written can be finished after ``resume()``, unless another process has opened
    /// the database meanwhile.
    public func suspend() async { await database.suspend() }

    /// Lets the store be used again after ``suspend()``; the database is opened with the next call.
    ///
    /// A store that was closed stays closed.
    public func resume() { database.resume() }

    /// Returns the usage of the store: bodies and descriptions.
    public func usage() async throws -> CacheUsage {
        // After the changes that were begun before it.
        try await database.change { [database] in try database.read { db in try CacheSchema.usage(db) } }
    }
}

extension SQLiteCacheStore: PlacedCacheStore {
    package var place: String { URL(fileURLWithPath: database.path).resolvingSymlinksInPath().path }
}

extension CacheStore where Self == SQLiteCacheStore {
    /// A store in an SQLite database.
    ///
    /// - Parameters:
    ///   - file: Where the database is; the directory is created where it is not there.
    ///   - limit: Bodies and descriptions together.
    public static func sqlite(_ file: URL, limit: ByteCount) -> SQLiteCacheStore {
        SQLiteCacheStore(file: file, bounds: CacheBounds(totalBytes: limit))
    }
}
#endif
